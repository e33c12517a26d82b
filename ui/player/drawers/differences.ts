// The drawer with what changed since the previous step, or since a step of the reader's choice, and with the laws that
// always hold.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { changesBetween } from "./changes.ts";
import { Laws } from "./laws.ts";
import type { Player } from "../player.ts";
import type { TableChanges, ThingChange } from "../types/player.ts";

const SIGNS = { new: "+", gone: "−", changed: "±" };
const RESULT_MARKS = ["fired", "early", "update"];

export class Differences {
  player: Player;
  node = el("div", "tm-differences");
  listed = "";
  since: HTMLSelectElement;
  between = el("span", "tm-between");
  count = el("span", "tm-quiet", null, { role: "status" });
  table = el("table", "tm-table", null, { "data-table": "differences" });
  nothing: HTMLParagraphElement;
  laws: Laws;

  constructor(player: Player) {
    this.player = player;
    const { differences } = player.words;
    this.since = el("select", "tm-since", null, { "aria-label": differences.since });
    this.since.addEventListener("change", () => this.show(player.step));
    const label = el("label", "tm-since-label", differences.since);
    label.append(this.since);
    const head = el("div", "tm-differences-head");
    head.append(label, this.between, this.count);
    this.nothing = el("p", "tm-nothing", differences.nothing);
    this.laws = new Laws(player);
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
    const head = el("thead", "tm-visually-hidden");
    const columns = el("tr");
    columns.append(
      el("th"),
      el("th", "", differences.thing, { scope: "col" }),
      el("th", "", differences.change, { scope: "col" }),
    );
    head.append(columns);
    fill(
      this.table,
      head,
      groups.map((group) => this.group(group)),
    );
  }

  group({ table, rows, count }: TableChanges) {
    const { differences } = this.player.words;
    const body = el("tbody", "", null, { "data-of": table });
    const title = el("th", "tm-diff-group", differences.tables[table], { colspan: 3, scope: "rowgroup" });
    title.append(el("span", "tm-quiet", say(differences.group_count, { count })));
    const head = el("tr");
    head.append(title);
    body.append(head, ...rows.map((row) => this.row(row)));
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
    const row = el("tr", "", null, { "data-kind": kind });
    const told = el("td", "tm-diff-changes");
    if (kind !== "changed") told.append(el("span", `tm-diff-${kind}`, how ?? differences[kind]));
    for (const { name, before, now } of changes) {
      const change = el("span", "tm-diff-change");
      change.append(el("span", "tm-diff-name", `${differences.columns[name]} `));
      if (before !== null) change.append(el("span", "tm-diff-before", before), " → ");
      change.append(el("b", "", now));
      told.append(change);
    }
    row.append(
      el("td", "tm-diff-sign", SIGNS[kind], { "aria-hidden": "true" }),
      el("td", "tm-diff-thing", thing),
      told,
    );
    return row;
  }
}
