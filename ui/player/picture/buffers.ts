// The two buffers of an interval join as tables: which records are kept, what they match, and until when.
import { el, fill, tableRow } from "../base/dom.ts";
import { say, short, valueText } from "../base/format.ts";
import { keyText } from "../base/reading.ts";
import type { Player } from "../player.ts";

export class BufferTables {
  player: Player;
  node = el("div", "tm-buffers");
  sides;

  constructor(player: Player) {
    this.player = player;
    this.sides = ["left", "right"].map((side) => {
      const { picture, columns } = player.words;
      const box = el("section", "tm-buffer", null, { "aria-label": picture[`buffer_${side}`] });
      const note = el("span", "tm-quiet");
      const head = el("h3", "", picture[`buffer_${side}`]);
      head.append(" ", note);
      const table = el("table", "tm-table", null, { "data-table": `buffer-${side}` });
      const top = el("thead");
      top.append(
        tableRow([picture.record_name, columns.key, columns.time, picture.matches, picture.kept_until], {
          header: true,
          numeric: [2, 4],
        }),
      );
      const rows = el("tbody");
      table.append(top, rows);
      const scroll = el("div", "tm-buffer-rows", null, {
        tabindex: "0",
        role: "region",
        "aria-label": picture[`buffer_${side}`],
      });
      scroll.append(table);
      box.append(head, scroll);
      this.node.append(box);
      return { side, note, rows, scroll };
    });
  }

  show(step: number) {
    const { facts, times, words } = this.player;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const kept = facts.at("buffers", step);
    for (const { side, note, rows, scroll } of this.sides) {
      const own = kept.filter((row) => row.side === side).sort((a, b) => a.order - b.order);
      note.textContent =
        own.length === 1
          ? words.picture.buffer_one
          : own.length
            ? say(words.picture.buffer_many, { count: own.length })
            : words.picture.buffer_empty;
      fill(
        rows,
        own.map((row) => {
          const range = row.low === null ? words.batches.join.any_time : times.range(row);
          const name =
            row.value !== null && typeof row.value === "object" ? `#${row.item}` : short(valueText(row.value), 10);
          const line = tableRow(
            [
              name,
              keyText(row.key),
              times.short(row.ts),
              range,
              row.kept_until === null ? words.batches.join.for_ever : times.exact(row.kept_until),
            ],
            { numeric: [2, 4], className: touched.has(row.id) ? "tm-hl" : "" },
          );
          line.dataset.id = row.id;
          return line;
        }),
      );
      scroll.querySelector(".tm-hl")?.scrollIntoView({ block: "nearest" });
    }
  }
}
