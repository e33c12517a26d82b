// The parts of the wizard for tables: encoding and form, the columns, the conditions, the records to come.
import { coded, el, fill, icon, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { onChosen } from "./buttons.ts";
import type { Wizard } from "./wizard.ts";
import type { Choice, TableChoice, TableFilter, TableLook, TableReading, TableRecord } from "./types.ts";

const MEMBERS: readonly (keyof TableRecord)[] = ["ts", "at", "key", "value", "channel", "in"];

const PLACEHOLDERS: { [field: string]: string | undefined } = { from_line: "1", to_line: "…", every: "1" };

/** @param field names it, to find it again when all is drawn anew */
function menu(label: string, field: string, choices: Choice[], value: string, act: (value: string) => void) {
  const node = el("select", "tm-au-choice", null, { "aria-label": label, "data-field": field });
  for (const [each, text] of choices) node.append(el("option", "", text, { value: each }));
  node.value = value;
  onChosen(node, act);
  return node;
}

function typed(
  label: string,
  field: string,
  value: string,
  act: (value: string) => void,
  more: { [name: string]: string } = {},
) {
  const node = el("input", "tm-au-field", null, {
    type: "text",
    "aria-label": label,
    "data-field": field,
    autocomplete: "off",
    ...more,
  });
  node.value = value;
  node.addEventListener("change", () => act(node.value));
  return node;
}

function labelled(text: string, control: HTMLElement, why = "") {
  const node = fill(el("label", "tm-au-setting-of-table"), el("span", "", text), control);
  if (why) node.append(el("span", "tm-quiet", why));
  return node;
}

/** Encoding, separator, header, decimal separator, zone: of these what the table needs. */
export function settings(wizard: Wizard, { choice, encoding_why: why, zoned, keyed, sided, columns }: TableLook) {
  const { words, author } = wizard;
  const { wizard: tables } = author.base;
  const csv = choice.form === "csv";
  const node = el("div", "tm-au-settings-of-table");
  const header = el("input", "", null, { type: "checkbox", "data-field": "header" });
  header.checked = choice.header;
  header.addEventListener("change", () => wizard.choose({ header: header.checked }));
  const check = fill(el("label", "tm-au-check"), header, el("span", "", words.header));
  const points: Choice[] = [
    [".", words.point],
    [",", words.comma],
  ];
  const zone = typed(words.zone, "zone", choice.zone, (value) => changeZone(wizard, value), {
    list: "tm-au-zones",
    title: words.zone_about,
  });
  const known = columns.length > 0;
  fill(
    node,
    labelled(
      words.encoding,
      menu(words.encoding, "encoding", tables.encodings, choice.encoding, (encoding) => wizard.choose({ encoding })),
      why,
    ),
    csv
      ? labelled(
          words.delimiter,
          menu(words.delimiter, "delimiter", tables.delimiters, choice.delimiter, (delimiter) =>
            wizard.choose({ delimiter }),
          ),
        )
      : null,
    csv ? check : null,
    known && csv
      ? labelled(
          words.decimal,
          menu(words.decimal, "decimal", points, choice.decimal, (decimal) => wizard.choose({ decimal })),
        )
      : null,
    known && zoned ? labelled(words.zone, zone) : null,
    known && !keyed
      ? labelled(
          words.key,
          typed(words.key, "key", choice.key, (key) => wizard.choose({ key })),
        )
      : null,
    known && !sided
      ? labelled(
          words.side,
          menu(
            words.side,
            "side",
            [
              ["left", "left"],
              ["right", "right"],
            ],
            choice.side,
            (side) => wizard.choose({ side }),
          ),
        )
      : null,
    zones(),
  );
  return node;
}

/** The time zones that the browser knows, to choose from. */
function zones() {
  const list = el("datalist", "", null, { id: "tm-au-zones" });
  for (const zone of ["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])]) {
    list.append(el("option", "", null, { value: zone }));
  }
  return list;
}

async function changeZone(wizard: Wizard, zone: string) {
  await wizard.choose({ zone });
  if (wizard.shown && wizard.shown.choice.zone !== (zone.trim() || "UTC")) {
    wizard.complain(say(wizard.words.zone_unknown, { zone }));
  }
}

/** The first rows below what each column is. */
export function columnTable(wizard: Wizard, { columns, rows, choice, roles: offered }: TableLook) {
  const { words, author } = wizard;
  const { roles: known, times } = author.base.wizard;
  const roles = known.filter(([role]) => offered.includes(role));
  const change: (number: number, more: Partial<TableChoice["columns"][number]>) => void = (number, more) => {
    const next = (wizard.given.columns ?? choice.columns).map((column, place) =>
      place === number ? { ...column, ...more } : column,
    );
    wizard.choose({ columns: next });
  };
  const head = fill(el("tr"), el("th", "tm-au-count", words.line, { scope: "col" }));
  columns.forEach(({ name, role, time, why, guessed, ask }, number) => {
    const cell = el("th", role === "skip" ? "tm-au-left-out" : "", null, { scope: "col", title: name });
    const open = (role === "ts" || role === "at") && !time;
    const role_of = menu(say(words.role, { column: name }), `role${number}`, roles, role, (value) => {
      const timely = value === "ts" || value === "at";
      change(number, { role: value, time: timely ? columns[number].suggested : "" });
    });
    cell.append(el("b", "", name), role_of);
    if (role === "ts" || role === "at") {
      const format = menu(
        say(words.format, { column: name }),
        `time${number}`,
        [["", words.choose], ...times],
        time,
        (value) => change(number, { time: value }),
      );
      format.classList.toggle("tm-au-open", open);
      cell.append(format);
    }
    if (guessed || (ask && open)) cell.append(el("span", open ? "tm-au-ask" : "tm-quiet", why));
    head.append(cell);
  });
  const thead = fill(el("thead"), head);
  const body = el("tbody");
  for (const { line, cells } of rows) {
    const row = fill(el("tr"), el("td", "tm-au-count", line));
    columns.forEach(({ role }, number) =>
      row.append(el("td", role === "skip" ? "tm-au-left-out" : "", cells[number] ?? "")),
    );
    body.append(row);
  }
  const table = fill(el("table"), thead, body);
  return fill(el("div", "tm-au-columns", null, { tabindex: "0", "aria-label": words.columns }), table);
}

/** Conditions, a range of lines, every n-th row, a maximum. */
export function wanted(wizard: Wizard, { choice, columns }: TableLook) {
  const { words, author } = wizard;
  const names = columns.map(({ name }, number) => [String(number), name] as Choice);
  const node = el("div", "tm-au-wanted");
  const now = () => wizard.given.filters ?? choice.filters; // a reply to the last change may be under way
  choice.filters.forEach((filter, place) => {
    const change: (more: Partial<TableFilter>) => void = (more) =>
      void wizard.choose({
        filters: now().map((each, number) => (number === place ? { ...each, ...more } : each)),
      });
    const between = filter.way === "between";
    const row = el("div", "tm-au-door-row");
    row.append(
      menu(words.filter_column, `column${place}`, names, String(filter.column), (value) =>
        change({ column: Number(value) }),
      ),
      menu(words.filter_way, `way${place}`, author.base.wizard.ways, filter.way, (way) => change({ way })),
      typed(between ? words.filter_from : words.filter_text, `text${place}`, filter.text, (text) => change({ text })),
    );
    if (between) row.append(typed(words.filter_to, `to${place}`, filter.to, (to) => change({ to })));
    const remove = pushButton(
      "tm-button tm-plain tm-au-icon",
      null,
      () => wizard.choose({ filters: now().filter((_each, number) => number !== place) }),
      { "aria-label": words.remove_filter },
    );
    remove.append(icon("remove"));
    row.append(remove);
    node.append(row);
  });
  const add = pushButton("tm-button", words.add_filter, () =>
    wizard.choose({ filters: [...now(), { column: first, way: "is", text: "", to: "" }] }),
  );
  const first = Math.max(
    columns.findIndex(({ role }) => role === "key"),
    0,
  );
  const row = fill(el("div", "tm-au-door-row"), add);
  for (const name of ["from_line", "to_line", "every", "first"] as const) {
    const number = choice[name];
    const none = name === "every" ? 1 : 0;
    const field = typed(
      words[name],
      name,
      number === none ? "" : String(number),
      (value) => wizard.choose({ [name]: Math.max(Math.floor(Number(value)) || none, none) }),
      { inputmode: "numeric", placeholder: PLACEHOLDERS[name] ?? words.all },
    );
    row.append(labelled(words[name], field));
  }
  node.append(row);
  return node;
}

/**
 * How many records will come, the first of them, what was done to them, and which lines cannot be read.
 * @param known whether the whole table has been read
 */
export function outcome(wizard: Wizard, reading: TableReading, preview: TableRecord[], known: boolean) {
  const { words } = wizard;
  const node = el("section", "tm-au-door tm-au-outcome");
  const one = reading.records === 1 ? "_one" : "";
  const counted = known ? words[`records${one}`] : words[`in_beginning${one}`];
  const beyond = !known && !reading.rows;
  const counts = { count: reading.records.toLocaleString(), rows: reading.rows.toLocaleString() };
  fill(
    node,
    el("h3", "", words.coming),
    preview.length ? recordTable(wizard, preview) : null,
    el("p", "tm-au-counted", beyond ? words.beyond : reading.records || !known ? say(counted, counts) : words.none, {
      role: "status",
    }),
    reading.problem ? fill(el("p", "tm-au-wizard-problem", null, { role: "alert" }), coded(reading.problem)) : null,
    reading.notes.map((note) => el("p", "tm-quiet", note)),
    reading.refused_count ? refusedList(wizard, reading) : null,
  );
  return node;
}

function recordTable(wizard: Wizard, records: TableRecord[]) {
  const columns = MEMBERS.filter((name) => records.some((record) => record[name] !== undefined));
  const roles = Object.fromEntries(wizard.author.base.wizard.roles);
  const head = fill(el("tr"), el("th", "tm-au-count", wizard.words.line, { scope: "col" }));
  for (const name of columns) head.append(el("th", "", roles[name], { scope: "col" }));
  const body = el("tbody");
  for (const record of records) {
    const row = fill(el("tr"), el("td", "tm-au-count", record.line));
    for (const name of columns) row.append(el("td", "", record[name] ?? ""));
    body.append(row);
  }
  return fill(el("table", "tm-au-coming"), fill(el("thead"), head), body);
}

function refusedList({ words }: Wizard, { refused, refused_count: count }: TableReading) {
  const node = el("details", "tm-au-refused");
  node.append(
    el("summary", "", say(count === 1 ? words.refused_one : words.refused, { count: count.toLocaleString() })),
  );
  const list = el("ul");
  for (const { line, why } of refused) list.append(el("li", "", say(words.refused_line, { line, why })));
  if (count > refused.length) {
    list.append(el("li", "", say(words.refused_more, { count: (count - refused.length).toLocaleString() })));
  }
  node.append(list);
  return node;
}
