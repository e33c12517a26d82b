// What searches found: the smallest change that keeps a lost record or fires a window, the fewest records that still
// show the same effect, and the smallest stream on which the sides differ.
import { linkTo } from "../player/base/address.ts";
import { differenceNodes } from "../player/base/difference.ts";
import { el, fill } from "../player/base/dom.ts";
import { duration, say, valueText } from "../player/base/format.ts";
import type { Difference } from "../player/base/difference.ts";
import type { Address, Compared, FiringWindow, KeptRecord, SmallestData } from "./types.ts";

/** What was begun in `node` can be begun again. */
function enable(node: HTMLElement) {
  for (const button of node.querySelectorAll("button")) button.disabled = false;
}

export class Smallest {
  name = "smallest";
  title: string;
  node = el("div", "tm-compare-list");
  comparison: Compared;
  status: HTMLParagraphElement;
  fires?: HTMLDivElement;

  constructor(comparison: Compared) {
    const { words, data, times } = comparison;
    this.title = words.tab_smallest;
    this.comparison = comparison;
    const found = data.smallest;
    this.status = el("p", "tm-quiet", words.smallest_running, { role: "status" });
    if (!found) this.node.append(this.status);
    else if (!found.lost.length) this.node.append(el("p", "tm-quiet", words.smallest_none));
    else this.node.append(this.forAll(comparison, found), el("h3", "", words.smallest_lead));
    for (const { record, key, ts, value, changes } of found?.lost ?? []) {
      const list = el("ul");
      for (const change of changes) {
        const written =
          change.what === "earlier"
            ? { count: change.before - change.after }
            : change.what === "ts"
              ? { before: times.short(change.before), after: times.short(change.after) }
              : { before: duration(change.before), after: duration(change.after) };
        const item = el("li", "", say(words.change[written.count === 1 ? "earlier_one" : change.what], written));
        if (data.sides[1].settings.some(({ name }) => name === change.what)) {
          const see = el("button", "tm-button", words.smallest_see, { type: "button" });
          see.addEventListener("click", () => comparison.set("b", change.what, change.after));
          item.append(see);
        }
        list.append(item);
      }
      if (!changes.length) list.append(el("li", "tm-quiet", words.smallest_no_way));
      this.node.append(
        el(
          "h4",
          "",
          say(words.smallest_record, { record, key: valueText(key), ts: times.withUnit(ts), value: valueText(value) }),
        ),
        list,
      );
    }
    if (data.windows.length) this.node.append((this.fires = firesBlock(comparison)));
  }

  /** The search begins when the panel is looked at, because it may take long. */
  shown() {
    if (!this.comparison.data.smallest) this.comparison.search({ what: "smallest", shows: "all" });
  }

  unanswered() {
    const { words } = this.comparison;
    const again = el("button", "tm-button", words.smallest_again, { type: "button" });
    again.addEventListener("click", () => {
      fill(this.status, words.smallest_running);
      this.shown();
    });
    fill(this.status, `${words.stopped} `, again);
    if (this.fires) enable(this.fires);
  }

  /** From which number on nothing is lost at all. */
  forAll(comparison: Compared, found: SmallestData) {
    const { words } = comparison;
    const list = el("ul", "tm-compare-all");
    for (const { what, before, after } of found.keeping_all) {
      const change = say(words.keeping_all[what], { after: duration(after), before: duration(before) });
      list.append(changeItem(comparison, el("b", "", change), what, after));
    }
    if (!found.keeping_all.length) list.append(el("li", "tm-quiet", words.keeping_all.none));
    return list;
  }

  /** Brings the answer of a search into view. */
  reveal() {
    if (this.fires) this.node.scrollTop = this.fires.offsetTop - this.node.offsetTop;
  }
}

export class Fewest {
  name = "fewest";
  title: string;
  node = el("div", "tm-compare-list");

  constructor(comparison: Compared) {
    const { words, data } = comparison;
    this.title = words.tab_fewest;
    const row = el("div", "tm-compare-row");
    const select = el("select", "", null, { "aria-label": words.fewest_lead });
    for (const [name, text] of Object.entries(words.shows)) select.append(el("option", "", text, { value: name }));
    if (data.fewest) select.value = data.fewest.shows;
    const start = el("button", "tm-button", words.fewest_start, { type: "button" });
    start.addEventListener("click", () => {
      start.disabled = comparison.search({ what: "fewest", shows: select.value });
    });
    row.append(el("span", "", words.fewest_lead), select, start);
    this.node.append(row);
    if (!data.fewest) return;
    const { left, total, runs, text, name, records, author } = data.fewest;
    if (text === null) {
      this.node.append(el("p", "tm-quiet", words.fewest_not));
      return;
    }
    const save = el("a", "tm-button", words.fewest_download, {
      download: `${name}.yaml`,
      href: URL.createObjectURL(new Blob([text], { type: "application/yaml" })),
    });
    row.append(el("span", "", say(words.fewest_found, { left, total, runs })), el("span", "tm-spring"));
    if (author) {
      row.append(el("a", "tm-button", words.fewest_author, { href: linkTo("author", { s: author }) }));
    }
    row.append(save);
    this.node.append(this.records(comparison, records));
  }

  unanswered() {
    enable(this.node);
  }

  /** The records that were kept, in order of arrival. */
  records({ words, times }: Compared, records: KeptRecord[]) {
    const every: [keyof KeptRecord, (each: KeptRecord) => string][] = [
      ["key", ({ key }) => valueText(key)],
      ["ts", ({ ts }) => times.withUnit(ts)],
      ["value", ({ value }) => valueText(value)],
      ["at", ({ at }) => times.withUnit(at)],
    ];
    const columns = every.filter(([name]) => records.some((each) => each[name] !== null));
    const table = el("table", "", null, { "data-table": "fewest" });
    const head = el("tr");
    for (const [name] of columns) head.append(el("th", "", words.fewest_columns[name], { scope: "col" }));
    const body = el("tbody");
    for (const each of records) {
      const line = el("tr");
      for (const [name, written] of columns) line.append(el("td", "", each[name] === null ? "–" : written(each)));
      body.append(line);
    }
    const top = el("thead");
    top.append(head);
    table.append(top, body);
    return table;
  }
}

export class Stream {
  name = "stream";
  title: string;
  node = el("div", "tm-compare-list tm-compare-stream");
  status: HTMLElement;
  stop: HTMLButtonElement;

  constructor(comparison: Compared) {
    const { words, data } = comparison;
    this.title = words.tab_stream;
    const row = el("div", "tm-compare-row");
    const start = el("button", "tm-button", words.stream_start, { type: "button" });
    const isStopped = comparison.kept.asked === "stream" && !data.difference; // by another choice of the reader
    this.status = el("span", "tm-quiet", isStopped ? words.stopped : "", { role: "status" });
    this.stop = el("button", "tm-button tm-plain", words.stream_stop, { type: "button", hidden: "" });
    start.addEventListener("click", () => {
      start.disabled = comparison.search({ what: "stream" });
      this.stop.hidden = !start.disabled;
      if (start.disabled) this.status.textContent = words.stream_running;
    });
    this.stop.addEventListener("click", () => {
      comparison.choose(data.address);
      this.unanswered();
      this.status.textContent = words.stopped;
    });
    row.append(el("span", "", words.stream_lead), start, this.status, this.stop);
    this.node.append(row);
    const { kept } = comparison;
    const found = data.difference ?? (isShown(kept.found, data.address) ? kept.found : null);
    if (!found) return;
    const { address } = found;
    if (address && !isShown(found, data.address)) {
      const open = el("button", "tm-button", words.stream_open, { type: "button" });
      open.addEventListener("click", () => {
        kept.found = found;
        comparison.choose(address);
      });
      row.append(open);
    }
    this.node.append(...differenceNodes(found, ["A", "B"]));
  }

  unanswered() {
    this.status.textContent = "";
    this.stop.hidden = true;
    enable(this.node);
  }
}

/** Whether the comparison of an address is that of the stream that was found. */
function isShown(found: Difference | undefined, address: Address) {
  const wanted = found?.address ?? {};
  const names = Object.keys(wanted);
  return names.length > 0 && names.every((name) => address[name] === wanted[name]);
}

/** A change, and where it is one of a setting of side B the button that makes it. */
function changeItem(comparison: Compared, change: string | HTMLElement, what: string, after: number) {
  const item = el("li");
  item.append(change);
  if (comparison.data.sides[1].settings.some(({ name }) => name === what)) {
    const see = el("button", "tm-button", comparison.words.smallest_see, { type: "button" });
    see.addEventListener("click", () => comparison.set("b", what, after));
    item.append(see);
  }
  return item;
}

// What would have fired a window earlier: the reader chooses the window, the server searches.

/** The choice of a window and, once it was searched, the changes. */
function firesBlock(comparison: Compared) {
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
    start.disabled = comparison.search({ what: "fires", window: `${select.value} ${data.name}` });
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
    list.append(changeItem(comparison, say(words.fires.change[what], written), what, after));
  }
  if (!data.fires.changes.length) list.append(el("li", "tm-quiet", words.smallest_no_way));
  block.append(
    el("h4", "", say(words.fires.found, { window: shown(data.windows[data.fires.window]), record: by })),
    list,
  );
  return block;
}
