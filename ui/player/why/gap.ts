// The gap in the picture: a dashed line through plane and lanes at the watermark that is needed, and a bracket to it
// from the current one. Its words take the room that the step leaves. The two sides of a join, which lie over the
// plane, draw it themselves (picture/join.ts).
import { svg } from "../base/dom.ts";
import { timeDistance, say } from "../base/format.ts";
import { placeOfRecord, plot } from "./subjects.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Area, Attributes, Gap, Point } from "../types/player.ts";
import type { Box, Candidate } from "../types/picture.ts";
import type { Player } from "../player.ts";
import type { RecordFact } from "#types/payload";

// How far (px) from the record, or from the present moment, the bracket may be; the nearest first.
const AWAY_FROM = {
  record: [30, -30, 48, -48, 68, -68, 92, -92, 120, 150],
  now: [46, -46, 68, -68, 92, -92, 120, 150, 180],
};
// Room (px) for the labels of the axis, which the line does not cross.
const TICKS = 24;
export const BOLD = 15;
export const QUIET = 13;
const TO_SIDE = 0.5;

/** A way to draw the bracket: its height, and where its words begin. */
type Bracket = Candidate & { y: number; left: number; over: boolean; also: Box[]; cost: number };

export class GapOverlay extends PlayerPart {
  node = svg("svg", { class: "tm-gap", "aria-hidden": "true" });

  clear() {
    this.node.replaceChildren();
    this.player.plane.scene.forgetNotes();
    this.player.join.explain(null);
  }

  /** Draws `gap` {needs, now, judged, row}, the ring round a record, or nothing. */
  draw(gap: Gap | null | undefined, record: RecordFact | null | undefined, step: number) {
    this.clear();
    const { join, plane } = this.player;
    if (join.on) {
      join.explain(gap ?? null);
      return;
    }
    const area = plot(this.player);
    if (!area) return;
    if (record && area.holdsMoment(record.arrival)) this.ring(record, area);
    if (gap) this.lines(gap, area, step);
    plane.scene.label();
  }

  ring(record: RecordFact, area: Area) {
    const { scene } = this.player.plane;
    const { x, y } = scene.laid?.at.get(record.id) ?? this.inPlot(placeOfRecord(record, area), area);
    const r = (scene.laid?.dot ?? 0) / 2 + 7;
    scene.whyNotes.append(svg("circle", { class: "tm-gap-ring", cx: x, cy: y, r }));
    scene.moment?.ring([{ id: record.id, x, y, r }]);
  }

  inPlot({ x, y }: Point, area: Area) {
    return { x: x - area.left, y: y - area.top };
  }

  lines(gap: Gap, area: Area, step: number) {
    const { lanes, planeCard, plane } = this.player;
    const { whyNotes } = plane.scene;
    const bottom = Math.min(lanes.container.offsetTop + lanes.container.offsetHeight, planeCard.clientHeight);
    const to = area.x(gap.needs);
    const from = gap.now === null || gap.now === undefined ? null : area.x(gap.now);
    this.line("tm-gap-needed", to, area, bottom);
    if (gap.judged && from !== null) this.line("tm-gap-then", from, area, bottom);
    const bracket = this.place(gap, from, to, area, step);
    if (!bracket) return;
    const { y, left: begin, over } = bracket;
    if (from !== null) {
      whyNotes.append(bracketOf(from, to, y));
    }
    whyNotes.append(...gapNotes(this.player, gap, { x: begin, y, over }));
  }

  /**
   * The best place for the bracket and its words: at the right, over its line, or at its left.
   * @param from null where there is nothing to measure from
   */
  place(gap: Gap, from: number | null, to: number, area: Area, step: number): Bracket | null {
    const { up, scene } = this.player.plane;
    const { bold, quiet } = gapWords(this.player, gap);
    const { frame, moment } = scene;
    if (!frame || !moment) return null;
    const wide = Math.max(bold ? frame.wide(bold, BOLD, 600) : 0, frame.wide(quiet, QUIET, 400));
    const [a, b] = from === null ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    const { facts, payload } = this.player;
    const fact = facts.at("steps", step)[0];
    const home = area.y(gap.row?.arrival ?? (payload.arrival_axis === "at" ? fact.at : fact.item));
    const brackets = AWAY_FROM[gap.row ? "record" : "now"]
      .map((dy) => home + (up ? -dy : dy))
      .filter((y) => y > 20 && y < area.height - 24)
      .flatMap((y, index) =>
        [b + 10, b - 10 - wide, a - 10 - wide].map((left, turn) => ({
          y,
          left,
          over: turn === 1,
          box: { left, right: left + wide, top: y - (turn === 1 ? 20 : 12), bottom: y + 20 },
          also: from === null ? [] : [{ left: a, right: b, top: y - 5, bottom: y + 5 }],
          cost: TO_SIDE * (index + turn),
        })),
      );
    return moment.note(brackets, gap.row?.id ?? "why");
  }

  /** A line through the plane, under its marks, and on through the lanes. */
  line(name: string, x: number, area: Area, bottom: number) {
    this.player.plane.scene.whyLines.append(svg("path", { class: name, d: `M${x} 0V${area.height}` }));
    const across = area.left + x;
    const begin = area.top + area.height + TICKS;
    this.node.append(svg("path", { class: name, d: `M${across} ${begin}V${bottom}` }));
  }
}

function noteOf(said: string, attributes: Attributes) {
  const node = svg("text", attributes);
  node.textContent = said;
  return node;
}

/** What the bracket says: how far it is, and to what. */
export function gapWords({ times, words: { why } }: Player, gap: Gap) {
  const span = timeDistance(Math.abs(gap.needs - (gap.now ?? 0)));
  const template = gap.judged ? why[`bracket_${gap.judged}` as const] : why.bracket_missing;
  return {
    bold: gap.now === null || gap.now === undefined ? "" : say(template, { span }),
    quiet: say(gap.judged ? why.bracket_limit : why.bracket_needs, { time: times.exact(gap.needs) }),
  };
}

export function bracketOf(from: number, to: number, y: number) {
  const [a, b] = [Math.min(from, to), Math.max(from, to)];
  return svg("path", { class: "tm-gap-bracket", d: `M${a} ${y - 5}v10M${a} ${y}H${b}M${b} ${y - 5}v10` });
}

/** The words at a bracket: beside it, or `over` and under its line. */
export function gapNotes(player: Player, gap: Gap, { x, y, over }: { x: number; y: number; over: boolean }) {
  const { bold, quiet } = gapWords(player, gap);
  const names = { "data-label": "why", "data-names": gap.row?.id ?? "why" };
  const first = bold ? [noteOf(bold, { x, y: over ? y - 8 : y + 1, class: "tm-gap-span", ...names })] : [];
  return [...first, noteOf(quiet, { x, y: y + 17, class: "tm-gap-note", ...names })];
}
