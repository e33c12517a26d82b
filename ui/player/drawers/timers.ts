// The timer queues: event time and processing time, each in the order in which its timers fire.
import { nearest, el, fill, patch, signer, tableRow } from "../base/dom.ts";
import { timeDistance, duration, say, short, type Times } from "../base/format.ts";
import { keyText, sided } from "../base/reading.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { PlayerWords } from "#types/words";
import type { Timer, TimerDomain } from "#types/payload";
import type { Facts } from "../base/facts.ts";

const MOST_TIMERS = 80;
/** A timer that waits, or one that is gone at this step: `how` says whether it fired or was taken back. */
type QueuedTimer = Timer & { id?: string; how?: string };

const TIMER_CLOCKS: TimerDomain[] = ["event", "processing"];

/** What a timer does when it fires. */
export function timerDoes(purpose: string, words: PlayerWords) {
  const texts: { [purpose: string]: string | undefined } = {
    fire: words.fires,
    cleanup: words.cleans_up,
    "fire+cleanup": words.fires_and_cleans,
    sort: words.releases,
    emit: words.releases,
    join: words.joins,
  };
  return texts[purpose] ?? purpose;
}

/** Whether timers belong to keys alone: no operator without windows has others, an interval join's sides apart. */
export function timersByKey(facts: Facts) {
  return facts.table("windows").length === 0;
}

/** What a timer belongs to beside its key. */
function timerOwner(timer: Timer, { facts, times, words }: { facts: Facts; times: Times; words: PlayerWords }) {
  const own = words.state.timers;
  if (timer.side !== null) return say(own.of_side, sided(timer, words));
  if (timer.start !== null) return say(own.of_window, { window: times.window(timer.start, timer.end) });
  return timersByKey(facts) ? own.of_key : times.window(null);
}

/** How far a timer is from being due, or what becomes of it. */
export function timerToGo(timer: Timer, reference: number | null, { words }: { words: PlayerWords }) {
  const own = words.state.timers;
  if (timer.status === "due") return own.due;
  if (timer.status === "past") return timer.domain === "event" ? own.past_event : own.past_processing;
  return reference === null ? words.none_yet : say(words.in_time, { time: timeDistance(timer.timestamp - reference) });
}

/** Both queues with what set each timer, and a line where the watermark or the clock stands. */
export class TimerQueueView extends PlayerPart {
  signs = signer();
  node = el("div", "tm-queues");
  queues;

  constructor(player: Player) {
    super(player);
    const used = new Set(player.facts.all("timers").map((timer) => timer.domain));
    this.queues = TIMER_CLOCKS.filter((domain) => used.has(domain) || (domain === "event" && !used.size)).map(
      (domain) => this.queue(domain),
    );
    this.node.addEventListener("click", (event) => {
      const button = nearest(event, "[data-step]");
      if (button) player.go(Number(button.dataset.step));
    });
  }

  queue(domain: TimerDomain) {
    const { columns, state } = this.player.words;
    const own = state.timers;
    const count = el("span", "tm-card-note");
    const head = fill(el("div", "tm-queue-head"), el("h3", "", own[domain]), count);
    const header = el("thead");
    header.append(
      tableRow([columns.time, columns.does, columns.key, own.owner, own.reason, own.to_go], {
        header: true,
        numeric: [0, 5],
      }),
    );
    const body = el("tbody");
    const table = fill(el("table", "tm-table", null, { "data-table": `${domain}-timers` }), header, body);
    const more = el("p", "tm-quiet");
    this.node.append(fill(el("section", "tm-queue"), head, table, more));
    return { domain, count, body, more };
  }

  show(step: number) {
    const { facts, words } = this.player;
    const own = words.state.timers;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const gone = facts.at("gone_timers", step);
    for (const { domain, count, body, more } of this.queues) {
      const ours = (timer: Timer) => timer.domain === domain;
      const waiting = facts.at("timers", step).filter(ours);
      const reference = facts.at(domain === "event" ? "watermark" : "clock", step)[0]?.value ?? null;
      count.textContent = waiting.length
        ? say(own[`${domain}_count`], { count: waiting.length })
        : own[`none_${domain}`];
      const queued: QueuedTimer[] = [...waiting, ...gone.filter(ours)];
      const rows = queued.sort((a, b) => a.timestamp - b.timestamp || a.order - b.order);
      const shown: (QueuedTimer | "line")[] = rows.slice(0, MOST_TIMERS);
      const over = (timer: QueuedTimer | "line") =>
        timer !== "line" && (timer.how === "fired" || timer.status !== "waiting");
      const first = shown.findIndex((timer) => !over(timer));
      shown.splice(first < 0 ? shown.length : first, 0, "line");
      more.textContent = rows.length > MOST_TIMERS ? say(own.more, { count: rows.length - MOST_TIMERS }) : "";
      const sign = (timer: QueuedTimer | "line") =>
        timer === "line" ? `line ${reference}` : this.signs(timer, `${reference} ${touched.has(timer.id ?? "")}`);
      patch(body, shown, sign, (timer) =>
        timer === "line" ? this.line(domain, reference) : this.row(timer, reference, touched),
      );
    }
  }

  line(domain: TimerDomain, reference: number | null) {
    const { times, words } = this.player;
    const own = words.state.timers;
    const text =
      domain === "processing"
        ? say(own.clock_now, { time: times.exact(reference) })
        : reference === null
          ? own.watermark_none
          : say(own.watermark_now, { time: times.exact(reference) });
    const cell = fill(el("td", "", null, { colspan: 6 }), el("span", "tm-now-pill", text));
    return fill(el("tr", "tm-now-line"), cell);
  }

  row(timer: QueuedTimer, reference: number | null, touched: Set<string>) {
    const { times, words } = this.player;
    const own = words.state.timers;
    const toGo = timer.how ? el("b", "", own[timer.how]) : timerToGo(timer, reference, this.player);
    const time = el("b", "", times.exact(timer.timestamp));
    const className = timer.how ? "tm-hl tm-gone" : touched.has(timer.id ?? "") ? "tm-hl" : "";
    return tableRow(
      [
        time,
        timerDoes(timer.purpose, words),
        short(keyText(timer.key), 14),
        timerOwner(timer, this.player),
        this.reason(timer),
        toGo,
      ],
      { numeric: [0, 5], className },
    );
  }

  /** The call that set it, with a way to the step; and where its time comes from, as far as that is the window's. */
  reason(timer: QueuedTimer) {
    const { payload, times, words } = this.player;
    const own = words.state.reasons;
    const call = el("button", "tm-step-link", say(own.step, { step: timer.registered }), {
      type: "button",
      "data-step": timer.registered,
    });
    const reason = fill(el("span", "tm-reason"), say(own[timer.by], timer), " ", call);
    const formula =
      timer.purpose === "cleanup" && timer.end !== null
        ? say(own.cleanup, { lateness: duration(payload.state.lateness) })
        : timer.end !== null && timer.timestamp === (times.onAxis(timer).end ?? 0) - 1
          ? own.end
          : "";
    if (formula) reason.append(" ", el("span", "tm-quiet", formula));
    return reason;
  }
}
