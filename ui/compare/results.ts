// Every result of both runs in one table: what each side emitted, how they differ, and when each came.
import { el, mark, patch, svg } from "../player/base/dom.ts";
import { say, valueText } from "../player/base/format.ts";
import { timingMark } from "../player/base/reading.ts";
import type { Compared, Result, ResultRow } from "./types.ts";

const DRAWN_WIDE = 260;

export class Results {
  comparison: Compared;
  name = "results";
  title: string;
  node = el("div", "tm-compare-results");
  body = el("tbody");
  from: number;
  span: number;

  constructor(comparison: Compared) {
    this.comparison = comparison;
    const { words, data } = comparison;
    this.title = words.tab_results;
    const table = el("table", "", null, { "data-table": "compared" });
    const head = el("tr");
    const names = [words.key_window, words.firing, "A", "B", words.difference, words.fires_at];
    names.forEach((name) => {
      const cell = el("th", "", name);
      cell.scope = "col";
      head.append(cell);
    });
    const top = el("thead");
    top.append(head);
    table.append(el("caption", "tm-visually-hidden", words.results), top, this.body);
    if (data.left_out) {
      this.node.append(el("p", "tm-quiet", say(words.left_out, { parts: data.left_out })));
    }
    this.node.append(data.rows.length ? table : el("p", "tm-quiet", words.empty));
    const times = data.rows
      .flatMap((row) => [row.left, row.right])
      .filter((each) => each !== null)
      .map((each) => this.when(each));
    this.from = Math.min(0, ...times);
    this.span = Math.max(1, Math.max(...times, 0) - this.from);
  }

  /** Results of the moment and before are solid; those to come are outlines. */
  show(moment: number) {
    const { data, cursor, place, words } = this.comparison;
    const now = this.when(cursor[place]);
    const seen = (each: Result | null) => each !== null && each.moment <= moment;
    patch(
      this.body,
      data.rows,
      (row) => `${seen(row.left)}${seen(row.right)}${now}`,
      (row) => {
        const line = el("tr", row.reasons?.length ? "tm-compare-explained" : "");
        line.dataset.kind = row.kind;
        const key = el("th");
        key.scope = "row";
        key.append(el("b", "", valueText(row.key)), ` ${row.place}`);
        line.append(
          key,
          el("td", "", row.firing + 1, { "data-name": words.firing }),
          this.given("left", row.left, seen(row.left)),
          this.given("right", row.right, seen(row.right)),
          this.said(row),
          this.drawn(row, now),
        );
        return line;
      },
    );
  }

  /** Where something lies on the line of the results: by the clock, or by moments where a clock tells nothing apart. */
  when({ at, moment }: { at: number; moment: number }) {
    const { byItem } = this.comparison;
    return byItem.left || byItem.right ? moment : at;
  }

  /** @param side its letter stands where the row stands in lines and no head names the columns */
  given(side: "left" | "right", each: Result | null, seen: boolean) {
    const { words, times, byItem } = this.comparison;
    const cell = el("td", "tm-compare-given", null, { "data-side": side === "left" ? "A" : "B" });
    if (!each) {
      cell.append("—");
      return cell;
    }
    cell.dataset.seen = String(seen);
    cell.append(mark(!seen ? "ahead" : each.withdrawn ? "minus" : timingMark(each.timing)));
    cell.append(
      el("b", "", valueText(each.value)),
      el("span", "", each.withdrawn ? words.withdrawn : (words.timings[each.timing] ?? each.timing)),
      el(
        "span",
        "",
        say(each.end ? words.at_end : words.at, { time: byItem[side] ? `#${each.item}` : times.withUnit(each.at) }),
      ),
    );
    return cell;
  }

  said(row: ResultRow) {
    const cell = el("td");
    cell.append(el("span", row.kind === "same" ? "tm-quiet" : "tm-compare-differs", row.text));
    for (const reason of row.reasons ?? []) cell.append(el("p", "tm-compare-reason", reason));
    return cell;
  }

  /** When each side's result comes, on one line; the clock's place is dotted. */
  drawn(row: ResultRow, now: number) {
    const x = (at: number) => 10 + ((at - this.from) / this.span) * (DRAWN_WIDE - 20);
    const root = svg("svg", { viewBox: `0 0 ${DRAWN_WIDE} 22`, width: DRAWN_WIDE, height: 22, "aria-hidden": "true" });
    root.append(svg("path", { d: `M${x(Math.max(now, this.from))} 0V22`, class: "tm-compare-now" }));
    if (row.left && row.right) {
      root.append(
        svg("path", { d: `M${x(this.when(row.left))} 11H${x(this.when(row.right))}`, class: "tm-compare-line" }),
      );
    }
    const same = row.left && row.right && Math.abs(x(this.when(row.left)) - x(this.when(row.right))) < 12;
    const letters: [string, Result | null][] = same
      ? [["A B", row.left]]
      : [
          ["A", row.left],
          ["B", row.right],
        ];
    for (const [text, each] of letters) {
      if (!each) continue;
      const label = svg("text", { x: x(this.when(each)), y: 15, "text-anchor": "middle", class: "tm-compare-letter" });
      label.textContent = text;
      root.append(label);
    }
    const cell = el("td");
    cell.append(root);
    return cell;
  }
}
