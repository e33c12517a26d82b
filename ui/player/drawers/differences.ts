// The drawer with what changed since the previous step, or since a step of the reader's choice, and with the laws that
// always hold.
import { el, fill } from "../base/dom.ts";
import { say, valueText, type Times } from "../base/format.ts";
import { Laws } from "./laws.ts";
import { keyText, pairValue, sided } from "../base/reading.ts";
import { timerDoes } from "./timers.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { Row, TableChanges, Tables, ThingChange } from "../types/player.ts";
import type { Table } from "../base/facts.ts";
import type { PlayerWords } from "#types/words";

const SIGNS = { new: "+", gone: "−", changed: "±" };
const RESULT_MARKS = ["fired", "early", "update"];

export class Differences extends PlayerPart {
  node = el("div", "tm-differences");
  listed = "";
  since = el("select", "tm-since", null, { "aria-label": this.player.words.differences.since });
  between = el("span", "tm-between");
  count = el("span", "tm-quiet", null, { role: "status" });
  table = el("table", "tm-table", null, { "data-table": "differences" });
  nothing = el("p", "tm-nothing", this.player.words.differences.nothing);
  laws = new Laws(this.player);

  constructor(player: Player) {
    super(player);
    const { differences } = player.words;
    this.since.addEventListener("change", () => this.show(player.step));
    const label = el("label", "tm-since-label", differences.since);
    label.append(this.since);
    const head = fill(el("div", "tm-differences-head"), label, this.between, this.count);
    this.node.append(head, this.table, this.nothing, this.laws.node);
  }

  /** The choices: [value, text], the bookmarks of the moment among them. */
  choices() {
    const { differences } = this.player.words;
    const marks = this.player.bookmarks?.steps ?? [];
    return [
      ["step", differences.since_step],
      ["record", differences.since_record],
      ["firing", differences.since_firing],
      ...marks.map((step) => [String(step), say(differences.since_bookmark, { step })]),
      ["start", differences.since_start],
    ];
  }

  listChoices() {
    const choices = this.choices();
    const sign = JSON.stringify(choices);
    if (sign === this.listed) return;
    this.listed = sign;
    const chosen = this.since.value;
    fill(
      this.since,
      choices.map(([value, text]) => el("option", "", text, { value })),
    );
    this.since.value = choices.some(([value]) => value === chosen) ? chosen : "step";
  }

  /** The step to compare with, never before the first. */
  before(step: number) {
    const { payload } = this.player;
    const chosen = this.since.value;
    if (chosen === "step") return Math.max(step - 1, 0);
    if (chosen === "record") return Math.max((payload.items.findLast((start) => start <= step) ?? 0) - 1, 0);
    if (chosen === "firing") {
      return payload.marks.findLast((each) => RESULT_MARKS.includes(each.kind) && each.step < step)?.step ?? 0;
    }
    return chosen === "start" ? 0 : Number(chosen);
  }

  show(step: number) {
    const { differences } = this.player.words;
    this.listChoices();
    this.laws.show(step);
    const before = this.before(step);
    const groups = changesBetween(this.player, before, step);
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    this.between.textContent = say(differences.between, { before, step });
    this.count.textContent = count === 1 ? differences.count_one : say(differences.count_many, { count });
    this.nothing.hidden = count > 0;
    this.table.hidden = count === 0;
    const columns = el("tr");
    columns.append(
      el("th"),
      el("th", "", differences.thing, { scope: "col" }),
      el("th", "", differences.change, { scope: "col" }),
    );
    const head = fill(el("thead", "tm-visually-hidden"), columns);
    fill(
      this.table,
      head,
      groups.map((group) => this.group(group)),
    );
  }

  group({ table, rows, count }: TableChanges) {
    const { differences } = this.player.words;
    const title = el("th", "tm-diff-group", differences.tables[table], { colspan: 3, scope: "rowgroup" });
    title.append(el("span", "tm-quiet", say(differences.group_count, { count })));
    const head = fill(el("tr"), title);
    const body = fill(el("tbody", "", null, { "data-of": table }), head, ...rows.map((row) => this.row(row)));
    if (count > rows.length) {
      const rest = el("tr");
      rest.append(
        el("td"),
        el("td", "tm-quiet", say(differences.more, { count: count - rows.length }), { colspan: 2 }),
      );
      body.append(rest);
    }
    return body;
  }

  row({ kind, how, thing, changes }: ThingChange) {
    const { differences } = this.player.words;
    const told = el("td", "tm-diff-changes");
    if (kind !== "changed") told.append(el("span", `tm-diff-${kind}`, how ?? differences[kind]));
    for (const { name, before, now } of changes) {
      const change = fill(el("span", "tm-diff-change"), el("span", "tm-diff-name", `${differences.columns[name]} `));
      if (before !== null) change.append(el("span", "tm-diff-before", before), " → ");
      change.append(el("b", "", now));
      told.append(change);
    }
    return fill(
      el("tr", "", null, { "data-kind": kind }),
      el("td", "tm-diff-sign", SIGNS[kind], { "aria-hidden": "true" }),
      el("td", "tm-diff-thing", thing),
      told,
    );
  }
}

// The differences between two steps, computed from facts: what is new, what is gone, and which columns changed.

/**
 * The tables in the order in which a reader asks for them, and the columns of each that are worth showing. The number
 * of an output row is not among them: after a restore it belongs to another row.
 */
const COMPARED: { [Name in keyof Tables]?: string[] } = {
  outputs: ["row"],
  windows: ["status", "records", "result", "firings", "kept_until"],
  contents: ["value", "late"],
  buffers: ["value", "kept_until"],
  queue: ["value"],
  timers: ["purpose", "status"],
  watermark: ["value"],
  channels: ["watermark", "status", "max_timestamp", "emitted", "aligned", "holds"],
  records: ["fate", "value"],
  state: ["value", "entries"],
  checkpoints: ["entries", "timers"],
  counters: ["records", "panes", "late", "dropped", "skipped", "filtered"],
  clock: ["value"],
};
/** A fact of any of these tables: which columns it has depends on the table. */
type Thing = any;

const MOST_CHANGES = 40;

/**
 * The differences by table: [{table, count, rows: [{id, kind, how, thing, changes}]}]. `kind` is "new", "gone" or
 * "changed"; `how` says more about it, or is null; a change is {name, before, now}. At most MOST_CHANGES rows of a
 * table are listed; `count` counts all of them.
 */
function changesBetween(player: Player, before: number, step: number) {
  const found: TableChanges[] = [];
  for (const [table, columns] of Object.entries(COMPARED)) {
    const facts: Table<any> = player.facts.table(table as keyof Tables);
    const { ended, begun } = factsOfOneStep(facts, before, step);
    const rows: ThingChange[] = [];
    let count = 0;
    for (const id of new Set([...ended.keys(), ...begun.keys()])) {
      const [old, now] = [ended.get(id), begun.get(id)];
      if (old !== undefined && now !== undefined) {
        if (columns.every((name) => sameValue(facts.value(name, old), facts.value(name, now)))) continue;
      }
      count += 1;
      if (count > MOST_CHANGES) continue;
      const [oldRow, row] = [old, now].map((place) => (place === undefined ? null : facts.row(place)));
      rows.push({ id, ...changeOf(player, table, oldRow, row, before, step) });
    }
    if (count) found.push({ table, rows, count });
  }
  return found;
}

/** The places of the facts that hold at one of the two steps only, by id. */
function factsOfOneStep(facts: Table<any>, before: number, step: number) {
  const then = new Set(facts.placesAt(before));
  const begun = new Map();
  for (const place of facts.placesAt(step)) if (!then.delete(place)) begun.set(facts.value("id", place), place);
  const ended = new Map([...then].map((place) => [facts.value("id", place), place]));
  return { ended, begun };
}

function changeOf(
  player: Player,
  table: string,
  old: Thing | null,
  row: Thing | null,
  before: number,
  step: number,
): Omit<ThingChange, "id"> {
  const kind = old ? (row ? "changed" : "gone") : "new";
  const changes = [];
  for (const name of kind === "gone" ? [] : (COMPARED[table as keyof Tables] ?? [])) {
    const now = row[name];
    const plain = name === "row" || now === null || now === false || now === 0;
    if (kind === "new" ? plain : sameValue(old[name], now)) continue;
    changes.push({
      name,
      before: kind === "changed" ? valueInWords(player, old, name, old[name]) : null,
      now: valueInWords(player, row, name, now),
    });
  }
  const how = kind === "gone" && table === "timers" ? howGone(player, old) : null;
  return { kind, how, thing: thingInWords(player, table, row ?? old, row ? step : before), changes };
}

/** Whether a timer that is gone has fired or was taken back: the last of its facts ends where that is told. */
function howGone({ facts, words }: Player, row: Thing) {
  let end = row.until_step;
  for (let next = row; next && next.until_step !== null; [next] = facts.where("timers", "id", row.id, end)) {
    end = next.until_step;
  }
  const [told] = facts.where("gone_timers", "timer", row.id, end);
  return told ? words.differences.how[told.how] : null;
}

function sameValue(a: unknown, b: unknown) {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** A value as the reader knows it from the cards. */
function valueInWords(player: Player, row: Thing, name: string, value: any) {
  const { times, words } = player;
  const { differences } = words;
  switch (name) {
    case "row":
      return outputInWords(player, value);
    case "kept_until":
      return value === null ? differences.none : times.exact(value);
    case "watermark":
    case "emitted":
    case "max_timestamp":
      return times.exact(value);
    case "status":
      return words.statuses[value] ?? differences.statuses[value] ?? value;
    case "fate":
      return words.fates[value];
    case "purpose":
      return timerDoes(value, words);
    case "aligned":
    case "holds":
      return value ? differences.yes : differences.no;
    case "late":
      return typeof value === "boolean" ? (value ? differences.yes : differences.no) : String(value);
  }
  if (row.id === "watermark") return times.exact(value);
  if (row.id === "clock") return times.short(value);
  if (row.kind === "merging-set" && Array.isArray(value)) return times.window(value[0], value[1]);
  return value === null ? differences.none : valueText(value);
}

/** What the row is about, in words. */
function thingInWords(player: Player, table: string, row: Thing, step: number) {
  const { times, words } = player;
  const { things } = words.differences;
  if (table === "channels") {
    const several = player.facts.at("channels", 0).some((each) => each.input !== row.input);
    return say(several ? words.channel_of : words.channel, sided(row, words));
  }
  if (table === "outputs") return outputInWords(player, row.row);
  const fields = {
    ...sided(row, words),
    key: keyText(row.key),
    ts: times.short(row.ts),
    window: times.window(row.start, row.end),
    timestamp: times.exact(row.timestamp),
  };
  const bounded = row.start !== null && row.start !== undefined;
  if (table === "contents") {
    const window = player.facts.where("windows", "holder", row.holder, step).find((each) => each.status !== "merged");
    if (!window) return say(things.contents_alone, fields);
    return say(things.contents, {
      ...fields,
      key: keyText(window.key),
      window: times.window(window.start, window.end),
    });
  }
  return say(bounded && things[`${table}_window`] ? things[`${table}_window`] : things[table], fields);
}

/** An output row as the cards write it. */
function outputInWords({ times, words }: { times: Times; words: PlayerWords }, row: Row) {
  const of = {
    key: keyText(row.key),
    window: times.window(row.start, row.end),
    ts: times.short(row.ts),
    value: valueText(row.value),
  };
  const { rows } = words.differences;
  const own = (rows as { [name: string]: any })[row.row];
  switch (row.row) {
    case "pane":
      return say(rows.pane, {
        ...of,
        timing: row.change === "-U" ? rows.withdrawn : (rows.timings[row.timing ?? ""] ?? row.timing),
      });
    case "joined":
      return say(rows.joined, { ...of, left: valueText(pairValue(row.left)), right: valueText(pairValue(row.right)) });
    case "group":
      return say(rows.group, { ...of, left: valueText(row.left), right: valueText(row.right) });
    case "ranked":
      return say(rows.ranked, { ...of, rank: row.rank });
    case "watermark":
      return say(rows.watermark, { value: times.exact(row.ts) });
    case "error":
      return say(rows.error, { type: row.type });
    default:
      return say(own ?? rows.emitted, of);
  }
}
