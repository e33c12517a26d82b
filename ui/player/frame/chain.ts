// Several operators, one of them in the picture: what each has done by now, and where its results lead.
import { addressOf, opensHere } from "../base/address.ts";
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { operatorItem } from "../base/operators.ts";
import { outputsToShow } from "../base/reading.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { OutputFact } from "../types/player.ts";
import type { ChainOperator, ChainPart, RecordFact } from "#types/payload";

const NO_RESULTS = new Set(["watermark", "late", "dropped", "error"]);

export class Chain extends PlayerPart {
  chain: ChainPart | null = this.player.payload.chain;
  node = el("ol", "tm-chain");
  /** of each operator the line that changes from step to step */
  lines: HTMLElement[] = [];
  /** what opens it; null where it is shown, or cannot be opened */
  links: (HTMLAnchorElement | null)[] = [];
  /** which of the results a row is, by the number of its fact */
  results: Map<number, number>;

  constructor(player: Player) {
    super(player);
    const results = player.facts.all("outputs").filter(({ row }) => !NO_RESULTS.has(row.row));
    const numbers = [...new Set(results.map(({ number }) => number))].sort((a, b) => a - b);
    this.results = new Map(numbers.map((number, place) => [number, place]));
    this.node.hidden = this.chain === null;
    this.node.setAttribute("aria-label", player.words.chain.title);
    fill(
      this.node,
      (this.chain?.operators ?? []).map((each, place, all) => this.box(each, all[place - 1])),
    );
  }

  box(operator: ChainOperator, previous?: ChainOperator) {
    const { name, shown } = operator;
    const link = shown ? null : this.link(name, null);
    const box: HTMLElement = link ?? el("div");
    this.links.push(link);
    if (shown) box.setAttribute("aria-current", "true");
    const line = el("span", "tm-chain-line");
    this.lines.push(line);
    return operatorItem(box, operator, previous?.name, line);
  }

  /** What opens the operator `name` at `step`; null where nothing can be opened. */
  link(name: string, step: number | null, text: string | null = null) {
    const { player, chain } = this;
    const operator = chain?.operators.find((each) => each.name === name);
    if (!operator || player.alone) return null;
    const href = addressOf("", step, {}, operator.address).href;
    return opensHere(el("a", "", text, { href }));
  }

  show(step: number) {
    const { chain, lines, links } = this;
    const { words, times } = this.player;
    if (!chain) return;
    const here = chain.operators.findIndex((each) => each.shown);
    chain.operators.forEach((each, place) => {
      const seq = this.until(step, place > here);
      const { waiting, results, watermark } = place === here ? this.shown(step) : this.beside(each, seq);
      const time =
        watermark === undefined || watermark === null
          ? words.chain.no_watermark
          : say(words.chain.watermark, { time: times.exact(watermark) });
      fill(lines[place], el("span", "", time), el("span", "", say(words.chain.counts, { waiting, results })));
      const link = links[place];
      if (link) link.href = addressOf("", before(each.steps, seq) ?? 0, {}, each.address).href;
    });
  }

  /** Up to which item of the file an operator has come: one downstream follows when the one that is shown is done. */
  until(step: number, downstream: boolean) {
    const steps = this.player.facts.table("steps");
    const seqs = this.chain?.seqs ?? [];
    const seq = seqs[steps.row(step).item];
    if (!downstream) return seq;
    const done = step === this.player.last || seqs[steps.row(step + 1).item] !== seq;
    return done ? seq : seq - 1;
  }

  beside({ waiting, results, watermarks }: ChainOperator, seq: number) {
    const watermark = before(watermarks, seq);
    return {
      waiting: before(waiting, seq) ?? 0,
      results: results.filter((item) => item <= seq).length,
      watermark: watermark === null ? Infinity : watermark,
    };
  }

  shown(step: number) {
    const { facts } = this.player;
    const open = facts.at("windows", step).filter((row) => row.status === "open" && !row.firings);
    const [watermark] = facts.at("watermark", step);
    const results = outputsToShow(facts, step).filter(({ row }) => !NO_RESULTS.has(row.row)).length;
    return {
      waiting: open.reduce((sum, row) => sum + row.records, 0) + facts.at("queue", step).length,
      results,
      watermark: watermark?.value,
    };
  }

  /** Where the record was made, as a link to that step; nothing for one of the file. */
  madeBy(row: RecordFact) {
    const made = this.chain?.made.find((each) => each.item === row.item);
    if (!made) return [];
    return this.line(made.operator, made.step, say(this.player.words.chain.made, made));
  }

  /** What a result becomes downstream, as links. */
  becomes(fact: OutputFact) {
    const { words } = this.player;
    const result = this.results.get(fact.number);
    const found = this.chain?.becomes.filter((each) => each.result === result) ?? [];
    return found.flatMap((each) => {
      const name = each.behind ? words.chain.becomes_behind : words.chain.becomes_before;
      return this.line(each.operator, each.step, `${say(name, each)} ${words.why.fates[each.fate]}`);
    });
  }

  /** Short links to what a result becomes, for its line in the list of results. */
  arrows(fact: OutputFact) {
    const result = this.results.get(fact.number);
    const found = this.chain?.becomes.filter((each) => each.result === result) ?? [];
    return found.flatMap(({ operator, step }) => {
      const link = this.link(operator, step, ` → ${operator}`);
      return link ? [link] : [];
    });
  }

  /** The same of every result of a window that is out at `step`. */
  ofWindow({ key, start, end }: { key: unknown; start: number | null; end: number | null }, step: number) {
    const rows = outputsToShow(this.player.facts, step).filter(
      ({ row }) => row.key === key && row.start === start && row.end === end && !NO_RESULTS.has(row.row),
    );
    return rows.flatMap((fact) => this.becomes(fact));
  }

  line(operator: string, step: number, text: string): HTMLElement[] {
    const link = this.link(operator, step, text);
    if (!link) return [el("p", "tm-reason-text", text)];
    link.className = "tm-reason-link tm-chain-follow";
    return [link];
  }
}

/** The last value of `pairs` up to the item `seq`; undefined where there is none. */
function before<Of>(pairs: [item: number, value: Of][], seq: number) {
  return pairs.filter(([item]) => item <= seq).at(-1)?.[1];
}
