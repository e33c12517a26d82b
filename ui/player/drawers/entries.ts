// Keyed state, entry by entry: state, key group, key and namespace, value, and what of it the last snapshot holds too.
import { dataNodes, el, fill, nearest, tableRow } from "../base/dom.ts";
import { say, short, valueText } from "../base/format.ts";
import { keyId } from "../base/facts.ts";
import { keyText } from "../base/reading.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Child } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { FrameFact, QueueFact, StateFact } from "#types/payload";

const MOST_ENTRIES = 120;
const MOST_ELEMENTS_SHOWN = 8;
const ENTRIES_OPEN_UP_TO = 40;
const SIDE_OF_BUFFER: { [state: string]: string } = { "left-buffer": "left", "right-buffer": "right" };

/** How many entries the rows are: the windows in a key's merging set are one. */
function entriesIn(rows: StateFact[]) {
  const merging = rows.filter((row) => row.kind === "merging-set");
  return rows.length - merging.length + new Set(merging.map((row) => keyId(row.key))).size;
}

type Waiting = { ts: number; order: number };

/** The window that an entry of a merging set stands for. */
function stateWindow(row: StateFact): [number, number] {
  return row.value as [number, number];
}

/** A section for each state, which can be folded. */
export class EntriesView extends PlayerPart {
  node = el("div", "tm-entries");
  summary = el("p", "tm-entries-summary");
  snapshot = el("p", "tm-snapshot");
  states = el("div", "tm-states");
  folded = new Map();
  checkpoints: boolean = this.player.facts.all("checkpoints").length > 0;
  sharing?: boolean;

  constructor(player: Player) {
    super(player);
    this.node.append(this.summary, this.snapshot, this.states);
    this.node.addEventListener("click", (event) => {
      const button = nearest(event, "button");
      if (button?.dataset.step) player.go(Number(button.dataset.step));
      else if (button?.dataset.state) this.fold(button.dataset.state, button.getAttribute("aria-expanded") === "true");
    });
  }

  fold(state: string, folded: boolean) {
    this.folded.set(state, folded);
    this.show(this.player.step);
    dataNodes(this.states, `button[data-state="${CSS.escape(state)}"]`)[0]?.focus();
  }

  show(step: number) {
    const { facts, payload, words } = this.player;
    const own = words.state.entries;
    const rows = facts.at("state", step).slice();
    const there = new Set(rows.map((row) => row.id));
    const removed =
      step > 0
        ? facts
            .table("state")
            .at(step - 1)
            .filter((row) => row.until_step === step && !there.has(row.id))
        : [];
    const groups = new Set(rows.map((row) => row.group));
    const count = entriesIn(rows);
    const fields = { count, groups: groups.size, all: payload.state.key_groups, last: payload.state.key_groups - 1 };
    const { store } = words.batches;
    const [one, several] = payload.state.key_groups
      ? [own.summary_one, own.summary]
      : [store.summary_one, store.summary];
    this.summary.textContent = rows.length ? say(count === 1 ? one : several, fields) : own.none;
    if (payload.state.key_groups) this.showSnapshot(step, rows);
    const touched = new Set(facts.at("steps", step)[0].touches);
    const states = new Map();
    for (const row of [...rows, ...removed]) states.set(row.state, [...(states.get(row.state) ?? []), row]);
    const many = rows.length > ENTRIES_OPEN_UP_TO;
    const gone = new Set(removed);
    fill(
      this.states,
      [...states].map(([state, entries], index) =>
        this.section(state, entries, step, touched, gone, many && index > 0),
      ),
    );
  }

  showSnapshot(step: number, rows: StateFact[]) {
    const own = this.player.words.state.entries;
    const latest = this.player.facts.at("checkpoints", step).find((row) => row.latest);
    const shared = entriesIn(rows.filter((row) => row.shared));
    this.snapshot.textContent = latest
      ? say(own.snapshot, { ...latest, step: latest.taken, shared, copied: entriesIn(rows) - shared })
      : this.checkpoints
        ? own.no_snapshot
        : own.no_snapshot_ever;
    this.sharing = Boolean(latest);
  }

  section(
    state: string,
    entries: StateFact[],
    step: number,
    touched: Set<string>,
    gone: Set<StateFact>,
    foldedAtFirst: boolean,
  ) {
    const { payload } = this.player;
    const { columns, state: words } = this.player.words;
    const own = words.entries;
    const folded = this.folded.get(state) ?? foldedAtFirst;
    const head = el("button", "tm-fold", null, {
      type: "button",
      "data-state": state,
      "aria-expanded": String(!folded),
    });
    const here = entriesIn(entries.filter((row) => !gone.has(row)));
    head.append(
      el("code", "", state),
      el("span", "tm-quiet", here === 1 ? own.count_one : say(own.count_many, { count: here })),
    );
    const section = fill(el("section", "tm-state-section"), head);
    if (folded) return section;
    const header = el("thead");
    header.append(
      tableRow(this.cells([columns.key, own.namespace, own.value, own.written, own.version, own.sharing]), {
        header: true,
        numeric: [3, 4],
      }),
    );
    const body = el("tbody");
    const sorted = entries
      .slice()
      .sort((a, b) => a.group - b.group || (a.start ?? 0) - (b.start ?? 0) || a.from_step - b.from_step);
    let group = null;
    for (const row of sorted.slice(0, MOST_ENTRIES)) {
      if (payload.state.key_groups && row.group !== group) body.append(this.groupRow((group = row.group)));
      body.append(this.row(row, step, touched, gone.has(row)));
    }
    const table = fill(el("table", "tm-table tm-entry-table", null, { "data-table": `state-${state}` }), header, body);
    section.append(table);
    if (sorted.length > MOST_ENTRIES) {
      section.append(el("p", "tm-quiet", say(own.more, { count: sorted.length - MOST_ENTRIES })));
    }
    return section;
  }

  /** The cells of a row; a run without checkpoints has no versions to show, but for what is removed. */
  cells(all: Child[]) {
    return this.checkpoints ? all : all.slice(0, 4);
  }

  /** The key group, and how it comes from the keys in it. */
  groupRow(group: number) {
    const { payload, words } = this.player;
    const own = words.state.entries;
    const cell = el("th", "", null, { colspan: this.cells(Array(6).fill("")).length, scope: "rowgroup" });
    const hashes = (payload.state.hashes[group] ?? []).slice(0, 2);
    cell.append(
      el("b", "", say(own.group, { group })),
      ...hashes.map((each) =>
        el(
          "span",
          "tm-quiet",
          say(own.hash, {
            key: short(keyText(each.key), 14),
            code: each.code,
            murmur: each.murmur,
            all: payload.state.key_groups,
            group,
          }),
        ),
      ),
    );
    return fill(el("tr", "tm-group-row"), cell);
  }

  row(row: StateFact, step: number, touched: Set<string>, isGone: boolean) {
    const { times, words } = this.player;
    const own = words.state.entries;
    const namespace =
      row.start === null
        ? row.kind === "contents"
          ? times.window(null)
          : own.no_namespace
        : times.window(row.start, row.end);
    const written = el("button", "tm-step-link", say(own.at_step, { step: row.written }), {
      type: "button",
      "data-step": row.written,
    });
    const sharing = isGone
      ? el("b", "", own.removed)
      : !this.sharing
        ? own.new
        : el("span", row.shared ? "tm-shared" : "tm-copied", row.shared ? own.shared : own.copied);
    const className = isGone ? "tm-hl tm-gone" : touched.has(row.id) ? "tm-hl" : "";
    const value = this.value(row, isGone ? step - 1 : step);
    const last = isGone && !this.checkpoints ? sharing : written;
    return tableRow(this.cells([short(keyText(row.key), 14), namespace, value, last, String(row.version), sharing]), {
      numeric: [3, 4],
      className,
    });
  }

  value(row: StateFact, step: number) {
    const { times, words } = this.player;
    const own = words.state.entries;
    if (row.kind === "merging-set") return say(own.state_window, { window: times.window(...stateWindow(row)) });
    const elements = this.elements(row, step);
    if (!elements) return short(valueText(row.value), 60);
    const texts = elements.slice(0, MOST_ELEMENTS_SHOWN).map((each) => short(valueText(each.value), 20));
    return fill(
      el("span"),
      `[${texts.join(", ")}${elements.length > MOST_ELEMENTS_SHOWN ? ", …" : ""}]`,
      " ",
      el("span", "tm-quiet", row.entries === 1 ? own.entries_one : say(own.entries_many, { count: row.entries })),
    );
  }

  /** The rows of a key that wait or are in an OVER frame. */
  rowsKept(row: StateFact, step: number): (FrameFact | QueueFact)[] {
    const { facts } = this.player;
    return [...facts.where("frames", "key", row.key, step), ...facts.where("queue", "key", row.key, step)];
  }

  /** The elements of a list, queue or buffer, in its own order; null for a single value. */
  elements(row: StateFact, step: number) {
    const { facts } = this.player;
    if (row.holder !== null) {
      return facts.where("contents", "holder", row.holder, step).sort((a, b) => a.order - b.order);
    }
    const byTime = (a: Waiting, b: Waiting) => a.ts - b.ts || a.order - b.order;
    if (row.kind === "versions") return facts.where("versions", "key", row.key, step).sort(byTime);
    if (row.kind === "rows") return this.rowsKept(row, step).sort(byTime);
    if (row.kind === "queue") return facts.where("queue", "key", row.key, step).sort(byTime);
    if (row.kind !== "buffer") return null;
    return facts
      .where("buffers", "key", row.key, step)
      .filter((each) => each.side === SIDE_OF_BUFFER[row.state])
      .sort(byTime);
  }
}
