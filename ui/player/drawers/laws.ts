// What holds at every step, with its numbers. Which laws there are, and whether they hold, was computed in Python.
import { el, fill, icon, mark, pushButton } from "../base/dom.ts";
import { between, say } from "../base/format.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { LawFact } from "#types/payload";

/** In the order in which they are read. */
const LAWS = ["all_come", "all_sorted", "all_lost", "forward", "lowest"];

/** A line that says how many laws hold at the step; opened, each with its numbers; and the switch of the strip. */
export class Laws extends PlayerPart {
  node = el("div", "tm-laws");
  details = el("details");
  summary = el("summary");
  list = el("ul");

  constructor(player: Player) {
    super(player);
    this.details.append(this.summary, this.list);
    this.node.append(this.details, player.lawStrip.button);
  }

  show(step: number) {
    const { words } = this.player;
    const laws = lawsAt(this.player, step);
    this.node.hidden = laws.length === 0;
    fill(this.summary, tickOf(laws.every((row) => row.holds)), el("span", "", say(words.laws.summary, countsOf(laws))));
    fill(
      this.list,
      laws.map((row) => lawItem(this.player, row, words.laws[row.law])),
    );
  }
}

/** The laws of a step in the order in which they are read. */
export function lawsAt({ facts }: Player, step: number) {
  return facts
    .at("laws", step)
    .slice()
    .sort((a, b) => LAWS.indexOf(a.law) - LAWS.indexOf(b.law));
}

export function countsOf(laws: LawFact[]) {
  return { holding: laws.filter((row) => row.holds).length, count: laws.length };
}

/** A law with its numbers, `named` in a sentence or in a word. */
function lawItem(player: Player, row: LawFact, named: string) {
  const numbers = lawNumbers(player, row);
  const text = el("span", "", `${named}${between(named, numbers)}`);
  text.append(el("b", "", numbers));
  return fill(el("li", "", null, { "data-law": row.law, "data-holds": String(row.holds) }), tickOf(row.holds), text);
}

/** The numbers that a law compares: `9 = 7 in time + 2 dropped`. */
export function lawNumbers(
  { times, words }: Pick<Player, "times" | "words">,
  { law, numbers }: Pick<LawFact, "law" | "numbers">,
) {
  if (law === "forward" || law === "lowest") {
    const shown = Object.fromEntries(["before", "now", "lowest"].map((name) => [name, times.exact(numbers[name])]));
    return numbers.now === null ? words.none_yet : say(words.laws.numbers[law], { ...numbers, ...shown });
  }
  if (law !== "all_come") return say(words.laws.numbers[law], numbers);
  const parts = Object.entries(words.laws.fates)
    .filter(([fate]) => numbers[fate])
    .map(([fate, text]) => `${numbers[fate]} ${text}`);
  return `${say(words.laws.numbers.all_come, numbers)} = ${parts.join(" + ") || "0"}`;
}

function tickOf(good: boolean) {
  return good ? icon("check") : mark("dropped");
}

// The laws that always hold, as one line that stays in view above the picture: it takes room and covers nothing.

const STRIP_KEPT = "tidemark.laws";

/** The strip and its switch, which stands with the laws in the drawer *Differences*. The browser remembers it. */
export class LawStrip extends PlayerPart {
  node = el("div", "tm-law-strip", null, { role: "group", "aria-label": this.player.words.laws.title });
  list = el("ul");
  count = el("span", "tm-law-count");
  button = pushButton("tm-button tm-law-switch", this.player.words.laws.keep, () => this.toggle());
  there: boolean = this.player.facts.all("laws").length > 0;
  on?: boolean;

  constructor(player: Player) {
    super(player);
    this.node.append(this.count, this.list);
    this.button.append(el("kbd", "", "G"));
    this.set(keptChoice(STRIP_KEPT, ["0", "1"]) === "1");
  }

  /** Takes it into view, or out of it, where the run has laws. */
  set(on: boolean) {
    this.on = on && this.there;
    this.node.hidden = !this.on;
    this.button.setAttribute("aria-pressed", String(this.on));
    this.player.root.classList.toggle("tm-with-laws", this.on);
  }

  toggle() {
    const { player } = this;
    if (!this.there) return;
    this.set(!this.on);
    keepText(STRIP_KEPT, this.on ? "1" : "0");
    player.layout();
    player.live.tell(this.on ? String(this.count.textContent) : player.words.laws.off);
  }

  show(step: number) {
    if (!this.on) return;
    const { words } = this.player;
    const laws = lawsAt(this.player, step);
    fill(this.count, tickOf(laws.every((row) => row.holds)), say(words.laws.hold, countsOf(laws)));
    fill(
      this.list,
      laws.map((row) => {
        const item = lawItem(this.player, row, words.laws.short[row.law]);
        item.title = words.laws[row.law];
        return item;
      }),
    );
  }
}
