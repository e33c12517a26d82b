// The search for steps: a field, what it found as marks on the scrubber, and the way from match to match.
import { compareAddress, openPage, opensHere, ownInAddress } from "../base/address.ts";
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { StepFinder, TABLES } from "./finder.ts";
import { neighbour } from "./jumps.ts";
import { Pop } from "./glossary.ts";
import { QueryProblem } from "./query.ts";
import { Watched } from "./watches.ts";
import { keepOwn } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

const PAUSE = 90;
const EXAMPLES = [
  "key = a and event = PaneFired",
  "window = [0, 5) and fired",
  "watermark >= 9s and not timer",
  "record = 4 or late",
];

export class Find extends PlayerPart {
  words = this.player.words.find;
  finder = new StepFinder(this.player);
  steps: number[] = [];
  timer?: ReturnType<typeof setTimeout>;
  /** the query that was looked for last */
  text?: string;
  pop = new Pop("tm-find", this.words.title);
  button: HTMLButtonElement = this.pop.openedBy(
    el("button", "tm-icon-button tm-find-open", null, {
      type: "button",
      title: `${this.words.open} (/)`,
      "aria-label": `${this.words.open} (/)`,
    }),
  );
  field = el("input", "tm-find-field", null, {
    type: "text",
    "aria-label": this.words.label,
    placeholder: this.words.placeholder,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    maxlength: "400",
  });
  count = el("span", "tm-find-count", "", { role: "status" });
  said = el("div", "tm-find-said", null, { role: "status" });

  constructor(player: Player) {
    super(player);
    this.timer = undefined;
    this.button.append(icon("search"));
    const row = el("div", "tm-find-row");
    row.append(
      icon("search"),
      this.field,
      this.count,
      this.arrow("back", this.words.previous, "⇧ ↵", -1),
      this.arrow("forward", this.words.next, "↵", 1),
    );
    const close = pushButton("tm-button", player.words.close, () => this.pop.close());
    close.append(el("kbd", "", "Esc"));
    row.append(...this.keepers(), close);
    this.pop.node.append(row, this.said);
    this.pop.first = () => {
      this.field.select();
      return this.field;
    };
    this.pop.onOpen = () => this.look();
    this.pop.onClose = () => this.clear();
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), PAUSE);
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.look();
      if (event.altKey || event.ctrlKey || event.metaKey) this.keep(!event.altKey);
      else this.go(event.shiftKey ? -1 : 1);
    });
  }

  /** The buttons that keep the expression in view, one of them with a breakpoint. */
  keepers() {
    const { watches } = this.player.words;
    return [
      { text: watches.watch, note: watches.watch_note, caps: "Alt ↵", breaks: false },
      { text: watches.break, note: watches.break_note, caps: "Ctrl ↵", breaks: true },
    ].map(({ text, note, caps, breaks }) => {
      const button = pushButton("tm-button", text, () => this.keep(breaks), { title: note });
      button.append(el("kbd", "", caps));
      return button;
    });
  }

  /** Keeps the expression in the field in view (watches.ts). A wrong one is explained, as in a search. */
  keep(breaks: boolean) {
    const text = this.field.value.trim();
    try {
      if (text) this.hint(this.player.watches.add(text, breaks));
      else this.field.focus();
    } catch (problem) {
      this.refuse(text, problem);
    }
  }

  arrow(symbol: string, label: string, cap: string, direction: number) {
    const button = pushButton("tm-icon-button", null, () => this.go(direction), {
      "aria-label": label,
      title: `${label} (${cap})`,
    });
    button.append(icon(symbol));
    return button;
  }

  open() {
    this.pop.open();
  }

  /** Looks for the query in the field, unless it is the last one. */
  look() {
    clearTimeout(this.timer);
    const text = this.field.value.trim();
    if (this.text === text) return;
    this.text = text;
    this.field.removeAttribute("aria-invalid");
    if (!text) {
      this.found([]);
      this.hint(
        say(this.words.example, { example: EXAMPLES[0] }),
        EXAMPLES.slice(1).join("  ·  "),
        say(this.words.known_words, { words: this.finder.wordNames.join(", ") }),
        say(this.words.known_values, { words: TABLES.join(", ") }),
      );
      return;
    }
    try {
      const { steps, hint } = this.finder.find(text);
      this.found(steps);
      this.hint(
        hint && say(this.words.never, hint),
        hint && this.suggestion(hint),
        hint?.values.length ? say(this.words.values, { words: hint.values.join(", ") }) : null,
      );
    } catch (problem) {
      const value = this.valueOf(text);
      if (!value) this.refuse(text, problem);
      else {
        this.found(value.turns);
        this.hint(say(this.words.value, { word: text }));
      }
    }
  }

  /**
   * What can only be watched: a value, for which there is nothing to find but where it changes; null for anything else.
   */
  valueOf(text: string) {
    try {
      return new Watched(this.finder, text);
    } catch {
      return null;
    }
  }

  refuse(text: string, problem: unknown) {
    if (!(problem instanceof QueryProblem)) throw problem;
    this.field.setAttribute("aria-invalid", "true");
    this.found([]);
    this.wrong(text, problem);
  }

  suggestion({ near = [] }: { near?: string[] }) {
    return near.length ? say(this.words.perhaps, { words: near.join(", ") }) : null;
  }

  hint(...lines: (string | null)[]) {
    fill(
      this.said,
      lines.filter(Boolean).map((line) => el("p", "", line)),
    );
  }

  /** What is wrong, where, and which words exist. */
  wrong(text: string, { name, at, to, fields }: QueryProblem) {
    const quoted = el("code", "tm-find-text");
    const bad = text.slice(at, to);
    quoted.append(text.slice(0, at), el("mark", bad ? "" : "tm-find-gap", bad || " "), text.slice(to));
    const what = { place: at + 1, what: say(this.words[name], fields) };
    const known = fields.columns?.length
      ? say(this.words.known, { words: fields.columns.join(", ") })
      : fields.words
        ? say(this.words.known_words, { words: fields.words.join(", ") })
        : null;
    fill(this.said, quoted, el("p", "tm-find-problem", say(this.words.at, what)));
    for (const line of [this.suggestion(fields), fields.near?.length ? null : known]) {
      if (line) this.said.append(el("p", "", line));
    }
  }

  /** Looks for the same query again: what may be seen has changed. */
  again() {
    if (!this.text) return;
    this.text = undefined;
    this.look();
  }

  found(matches: number[]) {
    const { limit } = this.player.predictor;
    const steps = matches.filter((step) => step <= limit);
    this.steps = steps;
    this.pop.node.dataset.found = String(steps.length);
    this.player.scrubber.setMatches(steps);
    this.show();
  }

  /** Which of the matches the player is at. */
  show() {
    if (!this.pop.isOpen) return;
    const { steps, words, player } = this;
    const place = steps.length ? steps.indexOf(player.step) : -1;
    const many = steps.length === 1 ? words.count_one : say(words.count_many, { count: steps.length });
    const invalid = this.field.hasAttribute("aria-invalid");
    this.count.textContent =
      !this.text || invalid
        ? ""
        : !steps.length
          ? words.none
          : place < 0
            ? many
            : say(words.of, { number: place + 1, count: steps.length });
  }

  /** Goes to the next match (`direction` 1) or to the one before (-1), and from one end to the other. */
  go(direction: number) {
    const { steps, player } = this;
    const step = neighbour(steps, player.step, direction) ?? (direction > 0 ? steps[0] : steps[steps.length - 1]);
    if (step !== undefined) player.go(step);
  }

  /** Forgets the query and its marks. */
  clear() {
    if (!this.text && !this.steps.length) return;
    this.field.value = "";
    this.text = undefined;
    this.found([]);
  }
}

// The ways to Compare: this scenario at this step is side A, and side B is of the reader's choice.

/** What side B can be, by the names that the Compare page knows (ui/compare/desk.py). */
const AGAINST = ["settings", "belief", "spark", "version", "scenario"] as const;

export class CompareWith extends PlayerPart {
  /** Runs by Spark's own rules have nothing beside them there. */
  there: boolean = !this.player.alone && !this.player.facts.all("batches").length;
  pop: Pop;
  node = el("div", "tm-compare-place");
  links?: HTMLAnchorElement[];

  constructor(player: Player) {
    super(player);
    const words = player.words.compare_with;
    this.pop = new Pop("tm-compare-with", words.title, { loose: true });
    if (!this.there) return;
    const own = ownInAddress();
    // Not each try-out: only what was opened from a link, a file or a draft.
    if (own && !player.tryouts.now) keepOwn(own, player.payload.title);
    const button = el("button", "tm-button tm-plain", null, {
      type: "button",
      title: words.title,
      "aria-keyshortcuts": "C",
    });
    button.append(icon("both"), el("span", "tm-label", words.open));
    this.links = this.kinds().map((kind) => this.link(kind));
    this.pop.node.append(el("h2", "", words.title), ...this.links);
    this.pop.first = () => this.links?.[0] ?? null;
    this.pop.onOpen = () => this.address();
    this.node.append(this.pop.openedBy(button), this.pop.node);
  }

  /** A copy is first of all compared with its original. */
  kinds() {
    const stem = /^(.*)-\d{1,6}$/.exec(this.player.payload.name)?.[1];
    const copied = ownInAddress() && this.player.payload.library.some(({ name }) => name === stem);
    return copied ? (["original", ...AGAINST] as const) : AGAINST;
  }

  link(kind: "original" | "settings" | "belief" | "spark" | "version" | "scenario") {
    const link = el("a", "", this.player.words.compare_with[kind], { "data-against": kind });
    return opensHere(link, () => {
      this.player.transport.stop();
      this.player.remember();
      openPage(link.href);
    });
  }

  /** The links name the step of now. */
  address() {
    const { payload, step } = this.player;
    for (const link of this.links ?? []) {
      link.href = compareAddress(payload.name, { against: link.dataset.against ?? "", step: String(step) });
    }
  }

  toggle() {
    if (this.there) this.pop.toggle();
  }
}
