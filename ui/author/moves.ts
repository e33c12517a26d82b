// The edit that a move in the picture stands for.
import type { Move, PlaceEdit } from "./types.ts";

/**
 * Brings a record from where it was to where it is held; null where that is the same place. The arrival axis is that of
 * the picture in which the move began: a preview may have another one.
 * @param clock whether both axes are the clock
 */
export function placeEdit(
  { item, record, axes, from, to }: Pick<Move, "item" | "record" | "axes" | "from" | "to">,
  clock: boolean,
) {
  const edit: PlaceEdit = { kind: "place", item };
  const [right, down] = [to[0] !== from[0], to[1] !== from[1]];
  if (right && !clock && record.ts !== null) edit.ts = to[0];
  if (down && axes.byItem) edit.to = Math.max(to[1], 0);
  else if (down) edit.at = to[1];
  else if (right && clock) edit.at = to[0];
  return "ts" in edit || "to" in edit || "at" in edit ? edit : null;
}
