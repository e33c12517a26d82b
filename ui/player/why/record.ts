// The card of a record: what each of its windows said to it, with the comparison as it was true, and what became of it.
import { el, fill, pushButton } from "../base/dom.ts";
import { between, duration, say, valueText } from "../base/format.ts";
import { keyText, namedValue } from "../base/reading.ts";
import { channelName } from "./holders.ts";
import { heading, linkButton, stepButton } from "./parts.ts";
import type { Fields, Gap, Remedy, Way } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { JudgementFact, RecordFact } from "#types/payload";

const MOST_JUDGEMENTS = 12;
const FIRING_DUE = "max_timestamp <= watermark";
// Verdicts by which a record is lost to what gave them.
const REFUSALS = new Set(["refused", "dropped", "side"]);

/** What the card of record `id` shows at `step`, as `explainWindow` has it. */
export function explainRecord(player: Player, id: string, step: number) {
  const {
    facts,
    payload,
    times,
    words: { joints, why },
  } = player;
  const row = facts.where("records", "id", id, step)[0];
  if (!row) return null;
  const said = row.fate === "ahead" ? [] : facts.where("judgements", "record", id, step);
  const ahead = row.fate === "ahead";
  const channel = channelName(player, row);
  const where = say(payload.arrival_axis === "at" ? why.record_arrives_at : why.record_arrives, {
    item: row.item,
    channel,
    at: times.withUnit(row.at),
  });
  // The first visit keeps to what its scenes have explained: no number of an item, no channel, no second comparison.
  const { on: visiting } = player.visit;
  const about = aboutRecord(row, player);
  const parts: HTMLElement[] = [
    el("p", "tm-reason-text", visiting ? about : `${about}${between(joints.stop, where)}${where}`),
  ];
  parts.push(...player.chain.madeBy(row));
  if (row.fate === "arrived" && !said.length) parts.push(el("p", "tm-reason-text", why.record_ask));
  const told = visiting ? said.filter((each) => each.window !== null) : said;
  parts.push(...kept(player, row), ...told.slice(0, MOST_JUDGEMENTS).map((each) => judged(player, each, step)));
  return {
    question: say(why.ask_record, row),
    headline: why.fates[row.fate],
    parts,
    checks: null,
    gap: ahead ? null : decidingGap(said, row),
    record: row,
  };
}

/** `Key a, 11.0 s, value 3.`: no time or value where there is none. */
export function aboutRecord(row: RecordFact, { times, words }: Pick<Player, "times" | "words">) {
  const { joints, why } = words;
  const value = row.value === null ? [] : [namedValue(row.value, words, 40)];
  const parts = [
    say(why.about_key, { key: keyText(row.key) }),
    ...(row.ts === null ? [] : [times.withUnit(row.ts)]),
    ...value,
  ];
  return `${parts.join(joints.comma)}${joints.stop}`;
}

/** One judgement: who said it, what, the comparison with its numbers, and its step. */
function judged(player: Player, each: JudgementFact, step: number) {
  const {
    facts,
    times,
    words: { why },
  } = player;
  const { verdicts } = why;
  const head = el("div", "tm-judged-head");
  const name = each.window === null ? verdicts.whole : times.window(each.start, each.end);
  const there = each.window !== null && facts.where("windows", "id", each.window, step).length > 0;
  head.append(
    there ? linkButton(name, () => player.why.open(each.window ?? "")) : el("b", "", name),
    el("span", "tm-judged-verdict", verdictOf(each, verdicts)),
    stepButton(player, each.step),
  );
  const box = fill(el("div", "tm-judged"), head);
  const taken = each.verdict === "taken";
  if (each.due && taken) {
    const note = each.due[1] === "<=" ? verdicts.late_note : verdicts.in_time_note;
    box.append(comparedLine(player, { rule: "window-end", formula: FIRING_DUE, compared: each.due, note }));
  }
  if (each.limit && (!taken || each.due?.[1] === "<=")) {
    const note = taken
      ? verdicts.limit_note
      : each.verdict === "refused"
        ? verdicts.over_note
        : each.window === null && each.verdict === "dropped" && each.formula?.includes("lateness")
          ? verdicts.dropped_note
          : "";
    box.append(
      comparedLine(player, { rule: each.rule ?? "", formula: each.formula ?? "", compared: each.limit, note }),
    );
  }
  if (each.verdict === "none") box.append(el("span", "tm-judged-note", verdicts.none_note));
  if (taken && !each.due) box.append(el("span", "tm-judged-note", why.record_nothing));
  return box;
}

function verdictOf(each: JudgementFact, verdicts: { [verdict: string]: string }) {
  if (each.verdict !== "taken") return verdicts[each.verdict];
  const late = each.due?.[1] === "<=";
  if (late) return each.fired ? verdicts.late_fired : verdicts.late;
  return each.fired ? verdicts.fired : verdicts.taken;
}

/** The comparison that decided: the first window that refused it, else the first that it was late for. */
function decidingGap(said: JudgementFact[], row: RecordFact) {
  const deciding =
    said.find(
      (each) => each.limit && each.limit[2] !== null && (each.verdict === "refused" || each.due?.[1] === "<="),
    ) ?? said.find((each) => each.limit && each.window === null);
  if (!deciding?.limit || deciding.limit[2] === null) return null;
  const gap: Gap = {
    needs: deciding.limit[0],
    now: deciding.limit[2],
    judged: REFUSALS.has(deciding.verdict) ? "over" : "left",
    row,
  };
  return gap;
}

// What would have kept a lost record: from the facts where they suffice, else found by the server among other runs.

const LOST = new Set(["dropped", "side", "skipped"]);

/** What would have kept the record, as parts of its card; nothing for one that is not lost. */
function kept(player: Player, row: RecordFact) {
  const {
    facts,
    payload: { firing },
    words: {
      why: { kept: texts },
    },
  } = player;
  if (!LOST.has(row.fate)) return [];
  const certain: Remedy[] = facts.all("remedies").filter((each) => each.record === row.id);
  const open = firing.keeps.filter((name) => !certain.some((each) => each.what === name));
  const searched = open.length && !player.alone ? player.searches.of(row, open) : [];
  const found = [...certain, ...(Array.isArray(searched) ? searched : [])];
  const remedies = player.visit.on ? found.filter((each) => each.what === "bound") : found;
  const parts = remedies.map((each) => line(player, row, each));
  if (searched === "searching") parts.push(el("p", "tm-reason-text", texts.searching, { "aria-busy": "true" }));
  if (searched === "failed") parts.push(el("p", "tm-reason-text", texts.failed));
  if (!parts.length && searched !== "searching" && !open.length) return [];
  return parts.length ? [heading(texts.title), ...parts] : [el("p", "tm-reason-text", texts.none)];
}

function line(player: Player, row: RecordFact, { what, before, after }: Remedy) {
  const {
    words: {
      why: { kept: texts },
    },
  } = player;
  const text = el("div", "tm-remedy-text");
  text.append(
    el("b", "", say(texts[what], { after: duration(after) })),
    el("span", "", say(texts.now, { before: duration(before) })),
  );
  const box = fill(el("div", "tm-advice tm-remedy"), text);
  // The first visit has one thing to do on each screen: other runs would lead out of it.
  if (player.tryouts.possible && !player.visit.on) {
    const name = what === "bound" ? what : "lateness";
    const here = pushButton("tm-button tm-remedy-do", player.words.tryout.apply, () =>
      player.tryouts.make({ kind: "control", name, value: `${after}ms` }),
    );
    box.append(here);
  }
  if (!player.alone && !player.visit.on) {
    const href = player.comparing({ [`b.${what}`]: String(after) }, row.item);
    box.append(el("a", "tm-button tm-remedy-do", texts.compare, { href }));
  }
  return box;
}

// A comparison as it was true: for novices in words, else the formula with its numbers, and whether it holds.

/** a right side of null: no watermark */
type Compared = [left: number | null, sign: string, right: number | null];

/** Whether the condition of `formula` is what the comparison says, and not its opposite. */
export function doesHold(formula: string, [, sign]: Compared) {
  return formula.split(" ").includes(sign);
}

/**
 * @param of `rule` names its words, `note` what
 *   the outcome meant
 */
function comparedLine(
  { telling, times, words }: Player,
  { rule, formula, compared, note }: { rule: string; formula: string; compared: Compared; note: string },
) {
  const texts = words.why.rules;
  const [left, sign, right] = compared;
  const holds = doesHold(formula, compared);
  const each = el("div", "tm-judged-rule");
  const inWords: { [rule: string]: string | undefined } = texts.novice;
  const plain = telling.level === telling.levels[0] ? inWords[holds ? rule : `${rule}_fails`] : undefined;
  if (plain !== undefined) {
    const text =
      right === null ? texts.no_watermark : say(plain, { left: times.exact(left), right: times.exact(right) });
    each.append(el("span", "tm-judged-words", text));
  } else {
    each.append(
      el("code", "tm-judged-formula", formula),
      el("code", "", `${times.exact(left)} ${sign} ${right === null ? "−∞" : times.exact(right)}`),
      el("span", `tm-judged-holds${holds ? "" : " tm-judged-fails"}`, holds ? texts.holds : texts.fails),
    );
  }
  if (note) each.append(el("span", "tm-judged-note", note));
  return each;
}

// A trigger's own words for its own way to fire.

/**
 * What the trigger's own words say of its own way to fire, such as a count: `name` is `headline`, `advice`, `check`
 * and so on. The trigger names the variant of the words in the column `phase`. Null where the way is not one of these.
 * @param about more fields for the words
 */
export function sayOwn(player: Player, way: Way, name: string, about: Fields = {}) {
  const words = player.payload.firing.ways[way.kind];
  if (!words) return null;
  const { needs, has } = way;
  const fields = {
    ...about,
    needs: valueText(needs),
    has: valueText(has),
    missing: Math.max(needs - has, 1),
    above: valueText(needs + has),
  };
  return say(words[`${name}_${way.phase}`] ?? words[name], fields);
}
