// What the class answered, over the picture: the first vote without the answer; both votes with it, and who went where;
// the belief behind most wrong answers beside the truth.
import { el } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { mark } from "../base/icons.ts";
import { cloud } from "./cloud.ts";
import { movement } from "./voting.ts";
import type { HeldBelief, PollSheet, Room } from "../types/lecture.ts";
import type { PlayerWords } from "#types/words";
import type { Poll } from "./poll.ts";

const MOST_MOVES = 4;

/** The parts of the sheet. */
export function sheetParts(poll: Poll, room: Room, sheet: PollSheet): HTMLElement[] {
  if (sheet === "belief" && room.belief) return beliefParts(poll.words, room.belief);
  const { words } = poll.player;
  const tells = sheet === "answer";
  const parts: HTMLElement[] = [voteHead(words, room, tells), el("h2", "", room.text)];
  if (tells) parts[0].append(saveRow(poll));
  if (room.way.name !== "choose") parts.push(cloud(room, words.poll, tells));
  if (tells || room.way.name === "choose") parts.push(voteBars(room, words, tells));
  if (!tells) parts.push(el("p", "tm-poll-neighbour", words.poll.neighbour));
  else parts.push(...movedParts(words.poll, room));
  return parts;
}

function voteHead({ poll: words, joints }: PlayerWords, room: Room, tells: boolean) {
  const total = (votes: number[]) => votes.reduce((sum, each) => sum + each, 0);
  const said = (count: number) => (count === 1 ? words.answers_one : say(words.answers, { count }));
  const head = el("p", "tm-poll-head");
  const votes = tells ? room.votes : room.votes.slice(0, 1);
  votes.forEach((counts, vote) => {
    const name = vote ? words.second_vote : words.first_vote;
    const part = el("span", `tm-poll-vote-${vote + 1}`);
    if (votes.length > 1) part.append(el("i", "tm-poll-key", null, { "aria-hidden": "true" }), name, joints.colon);
    part.append(said(total(counts)));
    head.append(part);
  });
  return head;
}

/**
 * A row for each choice, with a bar for each vote.
 * @param tells whether the right one is marked
 */
function voteBars(room: Room, words: PlayerWords, tells: boolean) {
  const votes = tells ? room.votes : room.votes.slice(0, 1);
  const list = el("ol", "tm-poll-bars");
  const shares = votes.map((counts) => {
    const total = counts.reduce((sum, each) => sum + each, 0);
    return counts.map((count) => (total ? Math.round((100 * count) / total) : 0));
  });
  const replied = repliedChoices(room, votes);
  room.choices.forEach((text, choice) => {
    const right = tells && choice === room.answer;
    const chosen = votes.some((counts) => counts[choice] > 0);
    // Nobody was offered these: only what was answered is of interest.
    if (room.way.name !== "choose" && !right && !chosen) return;
    const item = el("li", right ? "tm-is-right" : "");
    const number = el("span", "tm-poll-number", String(choice + 1));
    const said = el("p", "tm-poll-text", text);
    if (tells) {
      number.append(mark(right ? "right" : "dropped"));
      said.append(el("span", "tm-visually-hidden", ` (${right ? words.present.right : words.present.wrong})`));
    }
    const tracks = el("div", "tm-poll-tracks", null, { "aria-hidden": "true" });
    votes.forEach((_, vote) => {
      const bar = el("div", `tm-poll-bar tm-poll-vote-${vote + 1}`);
      const filled = el("i");
      filled.style.width = `${shares[vote][choice]}%`;
      bar.append(filled);
      tracks.append(bar);
    });
    const [first, last] = [votes[0][choice], votes[votes.length - 1][choice]];
    const count = votes.length > 1 ? say(words.poll.both, { before: first, after: last }) : last;
    const percent = shares[votes.length - 1][choice];
    const share = el("b", "tm-poll-count", chosen ? "" : "0");
    if (!share.textContent) share.textContent = say(words.poll.share, { count, percent });
    item.append(number, said, tracks, share);
    const more = !tells ? "" : right ? room.because : replied.includes(choice) ? room.replies[choice] : "";
    if (more) item.append(el("p", "tm-poll-more", more));
    list.append(item);
  });
  return list;
}

/**
 * The wrong choices that get their reply: all that somebody chose; below a cloud there is room for the one chosen most.
 */
function repliedChoices({ choices, answer, way }: Room, votes: number[][]) {
  const counts = choices.map((_, choice) => votes.map((each) => each[choice]).reverse());
  const chosen = [...choices.keys()].filter((choice) => choice !== answer && counts[choice].some((count) => count > 0));
  const often = chosen.sort(
    (one, other) => counts[other][0] - counts[one][0] || counts[other][1] - counts[one][1] || 0,
  );
  return way.name === "choose" ? often : often.slice(0, 1);
}

/** Who changed their minds between the votes. */
function movedParts(words: PlayerWords["poll"], { moved }: Room) {
  const { stayed, changes } = movement(moved);
  if (!stayed && !changes.length) return [];
  const line = el("p", "tm-poll-moved");
  line.append(el("b", "", changes.length ? words.moved : words.moved_none));
  for (const { from, to, count } of changes.slice(0, MOST_MOVES)) {
    line.append(el("span", "", say(words.moved_from, { before: from + 1, after: to + 1, count })));
  }
  line.append(el("span", "tm-poll-stayed", say(words.stayed, { count: stayed })));
  return [line];
}

function saveRow(poll: Poll) {
  const row = el("span", "tm-poll-save", poll.words.save);
  for (const form of ["csv", "json"] as const) {
    const button = el("button", "tm-button", form.toUpperCase(), { type: "button" });
    button.addEventListener("click", () => poll.saveTally(form));
    row.append(button);
  }
  return row;
}

function beliefParts({ belief: words }: PlayerWords["poll"], { claim, truth, rows }: HeldBelief) {
  const sides = el("div", "tm-poll-sides");
  for (const [name, text, kind] of [
    [words.believed, claim, "tm-is-wrong"],
    [words.truth, truth, "tm-is-right"],
  ]) {
    const side = el("div", `tm-poll-side ${kind}`);
    side.append(el("h3", "", name), el("p", "", text));
    sides.append(side);
  }
  const parts = [el("h2", "", words.head), sides];
  if (!rows.length) return parts;
  const table = el("table", "tm-poll-beside");
  const head = el("tr");
  head.append(el("td"), ...[words.believed, words.truth].map((text) => el("th", "", text, { scope: "col" })));
  table.append(head);
  for (const [of, believed, so] of rows) {
    const row = el("tr");
    row.append(el("th", "", of, { scope: "row" }), el("td", "", believed), el("td", "", so));
    table.append(row);
  }
  parts.push(table);
  return parts;
}
