// The card of a record: what each of its windows said to it, with the comparison as it was true, and what became of it.
import { el } from "../base/dom.ts";
import { between, say } from "../base/format.ts";
import { keyText, namedValue } from "../base/reading.ts";
import { channelName } from "./holders.ts";
import { kept } from "./kept.ts";
import { linkButton, stepButton } from "./parts.ts";
import { comparedLine } from "./rules.ts";
import type { Gap } from "../types/player.ts";
import type { JudgementFact, RecordFact } from "#types/payload";
import type { Player } from "../player.ts";

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
  const parts = [el("p", "tm-reason-text", visiting ? about : `${about}${between(joints.stop, where)}${where}`)];
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
  const box = el("div", "tm-judged");
  const head = el("div", "tm-judged-head");
  const name = each.window === null ? verdicts.whole : times.window(each.start, each.end);
  const there = each.window !== null && facts.where("windows", "id", each.window, step).length > 0;
  head.append(
    there ? linkButton(name, () => player.why.open(each.window ?? "")) : el("b", "", name),
    el("span", "tm-judged-verdict", verdictOf(each, verdicts)),
    stepButton(player, each.step),
  );
  box.append(head);
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
