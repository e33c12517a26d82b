// The course of a question to the class: what the next key does. A vote, its result without the answer, a second vote,
// the answer, the belief behind the wrong ones.
import type { PollSheet, Stage } from "../types/lecture.ts";

export type Move = "ask" | "pause" | "again" | "show" | "hide" | "leave" | PollSheet;

/**
 * What Page Down (`direction` 1) or Page Up (-1) does.
 * @param stage null before the class is asked
 * @param sheet what covers the picture
 * @param belief whether a belief can be shown
 * @returns a request to the server, a sheet that is opened, "hide" for none, or "leave" the question
 */
export function moveOf(stage: Stage, sheet: PollSheet | null, direction: number, belief: boolean): Move {
  switch (stage) {
    case null:
      return direction > 0 ? "ask" : "leave";
    case "first":
      return direction > 0 ? "pause" : "leave";
    case "talk":
      if (direction > 0) return sheet ? "again" : "votes";
      return sheet ? "hide" : "leave";
    case "second":
      if (direction > 0) return sheet ? "hide" : "show";
      return sheet ? "leave" : "votes";
    case "shown":
      if (direction > 0) return sheet === "answer" && belief ? "belief" : "leave";
      return sheet === "belief" ? "answer" : sheet ? "hide" : "leave";
    default:
      return "leave";
  }
}

/**
 * Who went where between two votes, the largest groups first.
 * @param moved by choice of the first and of the second vote
 * @returns places of choices, from 0
 */
export function movement(moved: number[][]): {
  stayed: number;
  changes: { from: number; to: number; count: number }[];
} {
  const changes = moved.flatMap((row, from) =>
    row.map((count, to) => ({ from, to, count })).filter((each) => each.count > 0 && each.to !== from),
  );
  changes.sort((one, other) => other.count - one.count);
  return { stayed: moved.reduce((sum, row, choice) => sum + row[choice], 0), changes };
}
