// What would have fired a window earlier: the reader chooses the window, the server searches.
import { el } from "../player/base/dom.ts";
import { duration, say, valueText } from "../player/base/format.ts";
import type { Compared, FiringWindow } from "./types.ts";

/** The choice of a window and, once it was searched, the changes. */
export function firesBlock(comparison: Compared) {
  const { words, data, times } = comparison;
  const block = el("div", "tm-compare-fires");
  block.append(el("h3", "", words.fires.lead));
  const row = el("div", "tm-compare-row");
  const select = el("select", "", null, { "aria-label": words.fires.lead });
  const shown = ({ key, start, end }: FiringWindow) =>
    say(words.fires.window, { key: valueText(key), window: times.window(start, end) });
  data.windows.forEach((each, index) => select.append(el("option", "", shown(each), { value: String(index) })));
  if (data.fires) select.value = String(data.fires.window);
  const start = el("button", "tm-button", words.fires.start, { type: "button" });
  start.addEventListener("click", () => {
    start.disabled = true;
    comparison.ask({ what: "fires", window: `${select.value} ${data.name}`, at: Date.now() });
  });
  row.append(select, start);
  block.append(row);
  if (!data.fires) return block;
  const { by } = data.windows[data.fires.window];
  const list = el("ul");
  for (const { what, before, after } of data.fires.changes) {
    const written =
      what === "ts"
        ? { record: by, before: times.short(before), after: times.short(after) }
        : { before: duration(before), after: duration(after) };
    const item = el("li", "", say(words.fires.change[what], written));
    if (data.sides[1].settings.some(({ name }) => name === what)) {
      const see = el("button", "tm-button", words.smallest_see, { type: "button" });
      see.addEventListener("click", () => comparison.set("b", what, after));
      item.append(see);
    }
    list.append(item);
  }
  if (!data.fires.changes.length) list.append(el("li", "tm-quiet", words.smallest_no_way));
  block.append(
    el("h4", "", say(words.fires.found, { window: shown(data.windows[data.fires.window]), record: by })),
    list,
  );
  return block;
}
