// Tables of everything that is true at the step. Closed, they stay for screen readers.
import { el, fill, mark, patch, signer, tableRow } from "../base/dom.ts";
import { valueText } from "../base/format.ts";
import { keyId } from "../base/facts.ts";
import { fateMark, keyText, windowContents } from "../base/reading.ts";
import { resultText } from "../picture/box_drawing.ts";
import { codeLine } from "../cards/code.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { Row } from "../types/player.ts";

const MOST_TABLE_ROWS = 300;

const RESULTS = new Set(["pane", "joined", "group", "emitted", "ranked"]);
const isResult = (row: any) => RESULTS.has(row.row);
const windowed = (row: any) => row.row === "pane" || (row.start ?? null) !== null;

/** Tables of windows, firings and records at the step. */
export class FactTables extends PlayerPart {
  node = el("div", "tm-tables");
  signs = signer();
  /** Whether items say when they arrive: else all of them do at 0, and only their order counts. */
  clocked: boolean = this.player.payload.arrival_axis === "at";
  order: Map<string, number> = new Map(this.player.payload.lanes.rows.map((row, index) => [keyId(row.key), index]));
  panes;
  numbered: boolean;
  changing: boolean;
  fired;
  records;

  constructor(player: Player) {
    super(player);
    const { facts, words } = player;
    const { columns } = words;
    this.panes = this.table(
      "panes",
      [columns.key, columns.window, columns.status, columns.contents, columns.result],
      [],
    );
    const results = facts
      .all("outputs")
      .map((each) => each.row)
      .filter(isResult);
    // Pairs, groups and sorted records have neither timing nor number; some have no window but a time.
    this.numbered = !results.length || results.some((row) => row.row === "pane");
    // With updates a row says what it changes: +I, -U, +U.
    this.changing = results.some((row) => row.change);
    const of = results.some((row) => windowed(row)) || !results.length ? columns.window : columns.time;
    this.fired = this.table(
      "fired",
      [
        columns.key,
        of,
        ...(this.numbered ? [columns.timing, columns.pane] : []),
        ...(this.changing ? [columns.change] : []),
        columns.value,
        columns.watermark,
        ...(this.clocked ? [columns.given] : []),
      ],
      !this.numbered ? [3, 4] : this.changing ? [3, 6, 7] : [3, 5, 6],
    );
    this.records = this.table(
      "records",
      [columns.record, columns.key, columns.time, columns.value, ...(this.clocked ? [columns.at] : []), columns.fate],
      this.clocked ? [0, 2, 4] : [0, 2],
    );
    // What a run never has, has no table: windows in an interval join, times of panes among sorted records.
    this.panes.section.hidden = !facts.all("windows").length;
    this.fired.section.hidden = !results.length && !facts.all("windows").length;
    this.fired.title.textContent = this.numbered ? words.tables.fired : words.output;
  }

  table(name: string, columns: string[], numeric: number[]) {
    const head = fill(el("thead"), tableRow(columns, { header: true, numeric }));
    const body = el("tbody");
    const node = fill(el("table", "tm-table", null, { "data-table": name }), head, body);
    const title = el("h3", "", this.player.words.tables[name]);
    const section = fill(el("section", "tm-table-section"), title, node);
    this.node.append(section);
    return { section, title, body, numeric };
  }

  /** The window of a result; of one without a window its own time. */
  windowOf(row: Row) {
    const { times } = this.player;
    return windowed(row) ? times.window(row.start, row.end) : times.short(row.timestamp ?? row.ts);
  }

  show(step: number) {
    const { facts, times, words } = this.player;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const sign = (row: any) => this.signs(row, String(touched.has(row.id)));
    const tint = (row: any) => (touched.has(row.id) ? "tm-hl" : "");
    const place = (row: any) => this.order.get(keyId(row.key)) ?? 0;
    const windows = facts
      .at("windows", step)
      .slice(-MOST_TABLE_ROWS)
      .sort((a, b) => place(a) - place(b) || (a.start ?? 0) - (b.start ?? 0) || (a.end ?? 0) - (b.end ?? 0));
    patch(this.panes.body, windows, sign, (row) =>
      tableRow(
        [
          keyText(row.key),
          times.window(row.start, row.end),
          words.statuses[row.status],
          windowContents(facts, row, step)
            .map((each) => valueText(each.value))
            .join(", "),
          row.result === null ? "" : valueText(row.result),
        ],
        { className: tint(row) },
      ),
    );
    const fired = facts.at("outputs", step).filter((each) => isResult(each.row));
    patch(this.fired.body, fired.slice(-MOST_TABLE_ROWS), sign, (each) =>
      tableRow(
        [
          keyText(each.row.key),
          this.windowOf(each.row),
          ...(this.numbered ? [words.timings[each.row.timing ?? ""] ?? "", each.row.pane ?? ""] : []),
          ...(this.changing ? [each.row.change ?? ""] : []),
          "value" in each.row ? valueText(each.row.value) : resultText(each.row, 40),
          times.exact(each.row.watermark),
          ...(this.clocked ? [times.short(each.row.at)] : []),
        ],
        { numeric: this.fired.numeric, className: tint(each) },
      ),
    );
    const records = facts
      .at("records", step)
      .filter((row) => row.fate !== "ahead" || !this.player.present.hidesFuture)
      .sort((a, b) => a.item - b.item);
    patch(this.records.body, records.slice(0, MOST_TABLE_ROWS), sign, (row) => {
      const fate = fill(el("span"), mark(fateMark(row.fate)), ` ${words.fates[row.fate]}`);
      return tableRow(
        [
          row.item,
          keyText(row.key),
          times.short(row.ts),
          valueText(row.value),
          ...(this.clocked ? [times.short(row.at)] : []),
          fate,
        ],
        { numeric: this.records.numeric, className: tint(row) },
      );
    });
  }
}

// The code walk: every listing that the scenario goes through, the running line lit, what ran before it marked.

/** The drawer *Code walk*: methods under their Flink names; the running line is kept in view. */
export class CodeDrawer extends PlayerPart {
  node = el("div", "tm-walk");
  rows = new Map();
  marked = new Map();

  constructor(player: Player) {
    super(player);
    const { code } = player.words;
    for (const part of player.walk.parts) {
      const section = fill(el("section", "tm-walk-part"), el("h3", "", code.parts[part.name]));
      for (const method of part.methods) {
        const block = fill(el("div", "tm-walk-method"), el("h4", "tm-mono", method.flink));
        for (const line of method.numbered) {
          const row = codeLine(line, "");
          this.rows.set(line.number, row);
          block.append(row);
        }
        section.append(block);
      }
      this.node.append(section);
    }
  }

  show(step: number) {
    const { walk } = this.player;
    const ran = walk.ran(step);
    const now = walk.at(step).at(-1)?.line.number;
    for (const number of this.marked.keys()) if (!ran.has(number)) this.mark(number, "", "");
    for (const [number, { live, step: then }] of ran) {
      const state = number === now ? "now" : then === step ? "this" : "before";
      this.mark(number, live, state);
    }
    this.marked = ran;
    if (now !== undefined) this.reveal(now);
  }

  /** `state`: `now` (it runs), `this` (this step went through it), `before` (an earlier step of the item), or "". */
  mark(number: number, live: string | null, state: string) {
    const row = this.rows.get(number);
    const { code } = this.player.words;
    row.className = `tm-code-line ${state === "now" ? "tm-code-now" : state ? "tm-code-ran" : ""}`;
    row.lastChild.textContent = live;
    const says = state === "now" ? code.running : state ? code.before : "";
    if (says) row.setAttribute("aria-label", `${row.children[1].textContent.trim()} ${live} (${says})`);
    else row.removeAttribute("aria-label");
    if (state === "now") row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  }

  /** Brings the running line into the middle, unless it can be seen anyway. */
  reveal(number: number) {
    const row = this.rows.get(number);
    const box = this.node.parentElement;
    if (!row || !box || !box.clientHeight) return;
    const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (top < 40 || top > box.clientHeight - 60) box.scrollTop += top - box.clientHeight / 2;
  }
}
