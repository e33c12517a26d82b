// Where the watermark comes from: generator, channel, minimum, operator; the branch that holds it is heavy.
import { dataNodes, nearest, el, fill, svg, tableRow } from "../base/dom.ts";
import { timeDistance, duration, say } from "../base/format.ts";
import { sided } from "../base/reading.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Generator, ShownChannel, ValveFact } from "#types/payload";
import type { Player } from "../player.ts";

/** A line of the tree: from and to a height (px); `heavy` holds the watermark, `off` does not count. */
type Link = { from: number; to: number; heavy: boolean; off: boolean };

/** A tree from left to right, drawn again at each step, because it has as many branches as there are channels. */
export class GenealogyView extends PlayerPart {
  node = el("div", "tm-genealogy");
  table = el("table", "tm-branches", null, {
    "data-table": "genealogy",
    "aria-label": this.player.words.state.watermark.channels,
  });
  inBatches: boolean = this.player.facts.all("batches").length > 0;
  channels: ShownChannel[] = [];
  valveFacts: ValveFact[] = [];
  rows = el("tbody");
  toValves = svg("svg", { class: "tm-links", "aria-hidden": "true" });
  valves = el("div", "tm-valves");
  toOperator = svg("svg", { class: "tm-links", "aria-hidden": "true" });
  operator = el("div", "tm-operator");
  formulas = el("p", "tm-formulas");
  severalInputs: boolean;

  constructor(player: Player) {
    super(player);
    const own = player.words.state.watermark;
    const head = el("thead");
    head.append(
      this.inBatches
        ? tableRow(["", own.batch.generator, own.batch.valve], { header: true, numeric: [2] })
        : tableRow(["", own.generator, own.emitted, own.valve], { header: true, numeric: [2, 3] }),
    );
    this.table.append(head, this.rows);
    this.node.append(this.table, this.toValves, this.valves, this.toOperator, this.operator, this.formulas);
    const generators = Object.entries(player.payload.state.generators);
    this.severalInputs = generators.length > 1;
    const told = generators.map(([input, each]) => [
      this.severalInputs || this.inBatches ? (player.words.picture[input] ?? input) : own.generator,
      this.formula(each),
    ]);
    // What is the same for all inputs is said once.
    const same = this.inBatches && new Set(told.map(([, formula]) => formula)).size === 1;
    this.formulas.textContent = same
      ? told[0][1]
      : told.map((parts) => parts.join(player.words.joints.colon)).join(" · ");
    this.node.addEventListener("click", (event) => {
      const button = nearest(event, "[data-step]");
      if (button) player.go(Number(button.dataset.step));
    });
    new ResizeObserver(() => this.link()).observe(this.node);
  }

  show(step: number) {
    const { facts, times, words } = this.player;
    const own = words.state.watermark;
    const clock = facts.at("clock", step)[0].value;
    const touched = new Set(facts.at("steps", step)[0].touches);
    this.channels = facts
      .at("channels", step)
      .slice()
      .sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
    this.valveFacts = facts
      .at("valves", step)
      .slice()
      .sort((a, b) => ((a.input ?? "") < (b.input ?? "") ? -1 : 1));
    fill(
      this.rows,
      this.channels.map((row) => this.channelRow(row, clock, touched)),
    );
    fill(
      this.valves,
      this.valveFacts.map((valve) => this.valveBox(valve, touched)),
    );
    const watermark = facts.at("watermark", step)[0];
    fill(
      this.operator,
      el("span", "", this.inBatches ? own.batch.operator : own.operator_watermark),
      el("b", "", times.exact(watermark.value)),
    );
    this.operator.classList.toggle("tm-unset", watermark.value === null);
    this.operator.classList.toggle("tm-touched", touched.has("watermark"));
    this.link();
  }

  /** What a generator does, in words. */
  formula({ kind, says, emit, idle_timeout: timeout }: Generator) {
    const {
      words: {
        joints,
        state: { watermark: own },
      },
    } = this.player;
    if (this.inBatches) return says;
    const parts = [
      says,
      emit ? say(own.every, { time: duration(emit) }) : kind === "none" ? "" : own.each_record,
      timeout ? say(own.idle_after, { time: duration(timeout) }) : "",
    ];
    return parts.filter(Boolean).join(joints.comma);
  }

  channelRow(row: ShownChannel, clock: number, touched: Set<string>) {
    const { times, words } = this.player;
    const own = words.state.watermark;
    const name = el("span", "tm-branch-name");
    name.append(
      el(
        "b",
        "",
        this.inBatches
          ? sided(row, words).input
          : this.severalInputs
            ? say(words.channel_of, sided(row, words))
            : say(words.channel, row),
      ),
    );
    if (row.status === "idle") name.append(el("span", "tm-quiet", own.idle));
    else if (!row.aligned) name.append(el("span", "tm-quiet", this.inBatches ? own.batch.without : own.not_aligned));
    else if (this.holds(row)) name.append(el("span", "tm-strong", own.holds));
    const valve = el("span", "tm-branch-name");
    valve.append(el("b", "", row.watermark === null ? words.none_yet : times.exact(row.watermark)));
    if (row.watermark_step !== null) valve.append(this.since(row, clock));
    const sent =
      row.emitted === null ? (this.generator(row).kind === "none" ? "–" : own.not_sent) : times.exact(row.emitted);
    const className = [
      this.holds(row) ? "tm-holds" : "",
      row.status === "idle" ? "tm-idle" : "",
      row.aligned ? "" : "tm-off",
      touched.has(row.id) ? "tm-touched" : "",
    ].join(" ");
    // Spark has nothing that is sent: what a batch has seen is the input's watermark when the batch is done.
    if (this.inBatches) return tableRow([name, this.generatorCell(row), valve], { numeric: [2], className });
    return tableRow([name, this.generatorCell(row), sent, valve], { numeric: [2, 3], className });
  }

  /** The branch of the valve that holds the operator's watermark; of equal ones none does. */
  holds(row: ShownChannel) {
    const further = this.channels.some((each) => each.aligned && each.watermark !== row.watermark);
    return (
      (further || this.channels.length === 1) && this.valveFacts.some((valve) => valve.holds && valve.holder === row.id)
    );
  }

  generator(row: ShownChannel) {
    return this.player.payload.state.generators[row.input];
  }

  /** The sum with its numbers, and the record that gave the largest timestamp. */
  generatorCell(row: ShownChannel) {
    const { times, words } = this.player;
    const own = words.state.watermark;
    const { kind, minus } = this.generator(row);
    const cell = el("span", "tm-branch-name");
    if (row.max_timestamp === null) {
      cell.append(el("span", "tm-quiet", kind === "none" ? own.in_stream : own.no_record));
      return cell;
    }
    // The sum stands where it gives what was sent; a time that is newer than that stands alone. Of a batch it is what
    // will be there when the batch is done, as the line below says.
    const gives = this.inBatches || row.max_timestamp - minus.reduce((sum, ms) => sum + ms, 0) === row.emitted;
    const waits = kind !== "none" && (row.emitted === null || row.emitted < 9.2e18);
    const seen = gives
      ? [times.exact(row.max_timestamp), ...minus.map((ms) => times.span(ms))].join(" − ")
      : say(waits ? words.seen_not_sent : words.seen, { time: times.exact(row.max_timestamp) });
    const byClock = this.player.payload.arrival_axis === "at";
    const record = el(
      "span",
      "tm-quiet",
      say(byClock ? own.record_at : own.record, { item: row.max_item, at: times.withUnit(row.max_at) }),
    );
    cell.append(el("span", "", seen), record);
    return cell;
  }

  since(row: ShownChannel, clock: number) {
    const { words } = this.player;
    const own = words.state.watermark;
    const text = el("span", "tm-quiet");
    const silent = clock - (row.watermark_at ?? clock);
    text.append(
      silent > 0 ? say(own.stands, { span: timeDistance(silent) }) : "",
      silent > 0 ? words.joints.comma : "",
    );
    text.append(
      el("button", "tm-step-link", say(words.state.reasons.step, { step: row.watermark_step }), {
        type: "button",
        "data-step": row.watermark_step ?? 0,
      }),
    );
    return text;
  }

  valveBox(valve: ValveFact, touched: Set<string>) {
    const { times, words } = this.player;
    const own = words.state.watermark;
    const channels = this.channelsOf(valve);
    const marked = this.channels.filter((row) => row.aligned).length;
    const name = this.inBatches
      ? marked > 1
        ? this.player.payload.combined
        : own.batch.single
      : channels.length === 1
        ? valve.input === null
          ? own.one_channel
          : say(own.one_channel_of, sided(valve, words))
        : valve.input === null
          ? say(own.minimum_all, { count: channels.length })
          : say(own.minimum_of, sided(valve, words));
    const classes = [
      "tm-valve",
      valve.holds && valve.holder ? "tm-holds" : "",
      valve.idle ? "tm-idle" : "",
      touched.has(valve.id) ? "tm-touched" : "",
    ];
    const value = valve.idle ? own.all_idle : valve.minimum === null ? words.none_yet : times.exact(valve.minimum);
    return fill(el("div", classes.join(" ")), el("span", "", name), el("b", "", value));
  }

  channelsOf(valve: ValveFact) {
    return this.channels.filter((row) => valve.input === null || row.input === valve.input);
  }

  /** The lines, from the boxes where they are now. */
  link() {
    if (!this.channels.length || !this.node.isConnected) return;
    const top = this.node.getBoundingClientRect().top;
    const middle = (node: Element) => {
      const box = node.getBoundingClientRect();
      return box.top - top + box.height / 2;
    };
    const rows = this.channels.map((row, index) => ({ row, y: middle(this.rows.children[index]) }));
    this.place(rows);
    const boxes = this.valveFacts.map((valve, index) => ({ valve, y: middle(this.valves.children[index]) }));
    const lines = [];
    for (const { valve, y } of boxes) {
      const own = rows.filter(({ row }) => valve.input === null || row.input === valve.input);
      for (const each of own) {
        lines.push({ from: each.y, to: y, heavy: valve.holds && valve.holder === each.row.id, off: !each.row.aligned });
      }
    }
    this.draw(this.toValves, lines);
    this.draw(
      this.toOperator,
      boxes.map(({ valve, y }) => ({
        from: y,
        to: middle(this.operator),
        heavy: valve.holds && valve.holder !== null,
        off: valve.idle,
      })),
    );
  }

  /** Each valve beside the middle of its channels, the operator beside the middle of the valves. */
  place(rows: { row: ShownChannel; y: number }[]) {
    const centres = this.valveFacts.map((valve, index) => {
      const own = rows.filter(({ row }) => valve.input === null || row.input === valve.input).map(({ y }) => y);
      const centre = (own[0] + own[own.length - 1]) / 2;
      dataNodes(this.valves, ":scope > div")[index].style.top = `${centre}px`;
      return centre;
    });
    this.operator.style.top = `${(centres[0] + centres[centres.length - 1]) / 2}px`;
  }

  draw(links: SVGElement, lines: Link[]) {
    const width = links.clientWidth;
    const turn = width / 2;
    lines.sort((a, b) => Number(a.heavy) - Number(b.heavy));
    links.replaceChildren(
      ...lines.map(({ from, to, heavy, off }) =>
        svg("path", {
          d: `M0 ${from}H${turn}V${to}H${width}`,
          class: heavy ? "tm-link tm-link-heavy" : off ? "tm-link tm-link-off" : "tm-link",
        }),
      ),
    );
  }
}
