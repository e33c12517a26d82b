// Keyed state, entry by entry: state, key group, key and namespace, value, and what of it the last snapshot holds too.
import { dataNodes, el, fill, nearest, tableRow } from "../base/dom.js";
import { say, short, valueText } from "../base/format.js";
import { keyId } from "../base/identity.js";
import { keyText } from "../base/reading.js";
/** @import { Child } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { FrameFact, QueueFact, StateFact } from "../types/payload.d.ts" */

const MOST_ENTRIES = 120;
const MOST_ELEMENTS_SHOWN = 8;
const ENTRIES_OPEN_UP_TO = 40;
/** @type {{ [state: string]: string }} */
const SIDE_OF_BUFFER = { "left-buffer": "left", "right-buffer": "right" };

/**
 * How many entries the rows are: the windows in a key's merging set are one.
 * @param {StateFact[]} rows
 */
function entriesIn(rows) {
  const merging = rows.filter((row) => row.kind === "merging-set");
  return rows.length - merging.length + new Set(merging.map((row) => keyId(row.key))).size;
}

/** @typedef {{ ts: number, order: number }} Waiting */

/**
 * The window that an entry of a merging set stands for.
 * @param {StateFact} row
 * @returns {[number, number]}
 */
function stateWindow(row) {
  return /** @type {[number, number]} */ (row.value);
}

/** A section for each state, which can be folded. */
export class EntriesView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("div", "tm-entries");
    this.summary = el("p", "tm-entries-summary");
    this.snapshot = el("p", "tm-snapshot");
    this.states = el("div", "tm-states");
    this.node.append(this.summary, this.snapshot, this.states);
    this.folded = new Map();
    this.checkpoints = player.facts.all("checkpoints").length > 0;
    this.node.addEventListener("click", (event) => {
      const button = nearest(event, "button");
      if (button?.dataset.step) player.go(Number(button.dataset.step));
      else if (button?.dataset.state) this.fold(button.dataset.state, button.getAttribute("aria-expanded") === "true");
    });
  }

  /**
   * @param {string} state
   * @param {boolean} folded
   */
  fold(state, folded) {
    this.folded.set(state, folded);
    this.show(this.player.step);
    dataNodes(this.states, `button[data-state="${CSS.escape(state)}"]`)[0]?.focus();
  }

  /** @param {number} step */
  show(step) {
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

  /**
   * @param {number} step
   * @param {StateFact[]} rows
   */
  showSnapshot(step, rows) {
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

  /**
   * @param {string} state
   * @param {StateFact[]} entries
   * @param {number} step
   * @param {Set<string>} touched
   * @param {Set<StateFact>} gone
   * @param {boolean} foldedAtFirst
   */
  section(state, entries, step, touched, gone, foldedAtFirst) {
    const { payload } = this.player;
    const { columns, state: words } = this.player.words;
    const own = words.entries;
    const folded = this.folded.get(state) ?? foldedAtFirst;
    const section = el("section", "tm-state-section");
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
    section.append(head);
    if (folded) return section;
    const table = el("table", "tm-table tm-entry-table", null, { "data-table": `state-${state}` });
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
    table.append(header, body);
    section.append(table);
    if (sorted.length > MOST_ENTRIES) {
      section.append(el("p", "tm-quiet", say(own.more, { count: sorted.length - MOST_ENTRIES })));
    }
    return section;
  }

  /**
   * The cells of a row; a run without checkpoints has no versions to show, but for what is removed.
   * @param {(Child)[]} all
   */
  cells(all) {
    return this.checkpoints ? all : all.slice(0, 4);
  }

  /**
   * The key group, and how it comes from the keys in it.
   * @param {number} group
   */
  groupRow(group) {
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

  /**
   * @param {StateFact} row
   * @param {number} step
   * @param {Set<string>} touched
   * @param {boolean} isGone
   */
  row(row, step, touched, isGone) {
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

  /**
   * @param {StateFact} row
   * @param {number} step
   */
  value(row, step) {
    const { times, words } = this.player;
    const own = words.state.entries;
    if (row.kind === "merging-set") return say(own.state_window, { window: times.window(...stateWindow(row)) });
    const elements = this.elements(row, step);
    if (!elements) return short(valueText(row.value), 60);
    const list = el("span");
    const texts = elements.slice(0, MOST_ELEMENTS_SHOWN).map((each) => short(valueText(each.value), 20));
    list.append(
      `[${texts.join(", ")}${elements.length > MOST_ELEMENTS_SHOWN ? ", …" : ""}]`,
      " ",
      el("span", "tm-quiet", row.entries === 1 ? own.entries_one : say(own.entries_many, { count: row.entries })),
    );
    return list;
  }

  /**
   * The rows of a key that wait or are in an OVER frame.
   * @param {StateFact} row
   * @param {number} step
   * @returns {(FrameFact | QueueFact)[]}
   */
  rowsKept(row, step) {
    const { facts } = this.player;
    return [...facts.where("frames", "key", row.key, step), ...facts.where("queue", "key", row.key, step)];
  }

  /**
   * The elements of a list, queue or buffer, in its own order; null for a single value.
   * @param {StateFact} row
   * @param {number} step
   */
  elements(row, step) {
    const { facts } = this.player;
    if (row.holder !== null) {
      return facts.where("contents", "holder", row.holder, step).sort((a, b) => a.order - b.order);
    }
    const byTime = (/** @type {Waiting} */ a, /** @type {Waiting} */ b) => a.ts - b.ts || a.order - b.order;
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
