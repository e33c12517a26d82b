// The Author page: one draft as text, table and picture. The text is the truth; everything else is read from it.
import { el, fill, given, nearest, pushButton } from "../player/base/dom.ts";
import { Times, say } from "../player/base/format.ts";
import { ChangeList, CheckList, GoalList, ResultList, TabCard } from "./cards.ts";
import { SentenceLine } from "./controls.ts";
import { Matters } from "./matters.ts";
import { Doors } from "./doors.ts";
import { Saving } from "./saving.ts";
import { TextPane } from "./editor.ts";
import { TitleRow } from "./head.ts";
import { Half } from "./form.ts";
import { Opening } from "./opening.ts";
import { Picture } from "./picture.ts";
import { StoryList } from "./story.ts";
import { RecordTable } from "./table.ts";
import { Told } from "./told.ts";
import { EDIT, MATTERS, Wire } from "./wire.ts";
import { AuthorPart } from "./author_part.ts";
import type { History } from "./history.ts";
import type {
  Changed,
  Check,
  DraftFacts,
  Edit,
  First,
  KeptDraft,
  Problem,
  Question,
  ShownReply,
  TextReply,
} from "./types.ts";
import type { AuthorWords } from "#types/words";

const NOTHING_CHANGED: Changed = { records: [], results: [] };

const TYPING_MS = 260;
const FLASH_LINES_MS = 1500;

/** What the parts of the page read: what the server has sent at first, and how it is asked. */
class AuthorContents {
  base: First;
  words: AuthorWords;
  send: (question: Question) => void;

  constructor(base: First, send: (question: Question) => void) {
    this.base = base;
    this.words = base.words;
    this.send = send;
  }
}

export class Author extends AuthorContents {
  /** null until a draft is open */
  history: History | null = null;
  /** of the last text that ran; null before the first one */
  facts: DraftFacts | null = null;
  times = new Times({ style: "seconds", zone: "UTC", day: null }, this.base.player);
  problems: Problem[] = [];
  /** the item of the chosen record */
  chosen: number | null = null;
  sound = false; // whether the text runs
  /** the last text that ran */
  lastSound: string | null = null;
  /** what was typed and is not in the history yet */
  typing?: string;
  refusals = 0;
  /** what the last edit has changed */
  lastEdit: DraftFacts["changes"] | null = null;
  closed = false;
  root = el("div", "tidemark-player tidemark-author", null, {
    "data-ready": "false",
    "data-sound": "true",
    "data-busy": "false",
  });
  stale = new StaleLine(this);
  wire = new Wire(
    this.send,
    (busy) => {
      this.root.dataset.busy = String(busy);
    },
    (question, slot) => this.stale.unanswered(question, slot),
  );
  refused = (why: string) => this.told.say(why, true);
  doors = new Doors(this);
  saving = new Saving(this);
  head = new TitleRow(this);
  sentence = new SentenceLine(this);
  table = new RecordTable(this);
  pane = new TextPane(this);
  picture = new Picture(this);
  changes = new ChangeList(this);
  results = new ResultList(this);
  matters = new Matters(this);
  goals = new GoalList(this);
  checks = new CheckList(this);
  hints = new Hints(this);
  story = new StoryList(this);
  cards = [
    new TabCard(this.words.changes.card, [this.changes, this.results, this.matters], "tm-au-low"),
    new TabCard(this.words.goals.title, [this.goals], "tm-au-low"),
    new TabCard(this.words.checks.card, [this.checks, this.story], "tm-au-low"),
  ];
  told = new Told();
  opening = new Opening(this);
  half = new Half(this);
  stopKeys;
  onHide;
  settling?: number;
  fading?: number;

  constructor(host: HTMLElement, base: First, send: (question: Question) => void) {
    super(base, send);
    const top = fill(el("div", "tm-au-top"), this.table.node, this.pane.node, this.picture.node);
    const low = fill(el("div", "tm-au-cards"), ...this.cards.map((card) => card.node));
    this.picture.node.append(this.stale.node);
    this.cards[1].head.append(this.goals.freeze);
    this.root.append(this.head.node, this.opening.node, this.sentence.node);
    this.root.append(top, low, this.told.node, this.doors.node);
    fill(host, this.root);
    this.stopKeys = listenKeys(this);
    this.onHide = () => this.keepTyping();
    window.addEventListener("pagehide", this.onHide);
  }

  /** The open draft. Throws before there is one. */
  get draft() {
    return given(this.history);
  }

  /** The facts that the page shows. Throws before there are any. */
  get shown() {
    return given(this.facts);
  }

  get text() {
    return this.draft.text;
  }

  /** Whether the table and the picture can be edited now. */
  get locked() {
    return !this.sound || this.stale.behind;
  }

  // --- what is opened ----------------------------------------------------------------------------------------------

  /** @param before the draft that was open on this page */
  start(before: History | null | undefined) {
    return this.opening.start(before);
  }

  /**
   * Opens a new draft; the one that was open is kept among the earlier ones.
   * @param more `texts`: what Undo leads back to, then `text`
   */
  openNew(text: string, more: Partial<KeptDraft> = {}) {
    return this.opening.openNew(text, more);
  }

  /** The server has begun anew: what it was asked is asked again. */
  resume() {
    this.wire.again();
  }

  // --- edits -------------------------------------------------------------------------------------------------------

  /** @param before the text before the change, to say what changed; `same`: as in `take` */
  async refresh(before: string | null, slot = "show", same = false) {
    const reply = await this.wire.ask(() => ({ text: this.text, before }), slot, ["show", "typing", "hints", MATTERS]);
    if (reply) this.take(reply, { same });
  }

  async edit(
    edit: Edit,
    { focus = false, refused = this.refused }: { focus?: boolean; refused?: (why: string) => void } = {},
  ): Promise<boolean> {
    this.settleTyping();
    const { refusals } = this;
    const history = this.draft;
    history.ask(edit);
    const reply = await this.wire.ask(
      () => (history === this.history ? { text: this.text, before: this.text, edit } : null),
      edit.kind === "cell" ? EDIT : null,
      ["show", "typing", "preview", "hints", MATTERS, EDIT],
    );
    if (!reply) {
      history.answered(edit);
      if (history === this.history) this.redraw();
      return false;
    }
    if (reply.refused) {
      history.answered(edit);
      this.refusals += 1;
      refused(reply.refused);
      this.take(reply, { quiet: true });
      return false;
    }
    if (reply.chosen !== null) this.chosen = reply.chosen < 0 ? null : reply.chosen;
    history.answered(edit, reply.text);
    if (history !== this.history) return true;
    this.sorted(edit, reply.chosen);
    this.take(reply, { accepted: refusals === this.refusals });
    if (focus && this.chosen !== null) this.picture.grips.focus(this.chosen);
    return true;
  }

  /** Says where a record went whose arrival was typed. */
  sorted(edit: Edit, now: number | null) {
    if (edit.kind !== "cell" || edit.column !== "at" || now === null || now === edit.item) return;
    this.tell(say(this.words.table.sorted, { before: edit.item, now }));
  }

  // Shows what an edit would lead to, without making it; of many only the newest.
  async preview(make: () => Edit | null, done: (chosen: number | null) => void) {
    const reply = await this.wire.ask(() => {
      const edit = make();
      return edit ? { text: this.text, before: this.text, edit } : null;
    }, "preview");
    if (!reply || !make() || reply.refused) return;
    if (reply.chosen !== null) this.chosen = reply.chosen;
    done(reply.chosen);
    this.take(reply, { preview: true });
  }

  /** Back to the draft, after a preview of an edit that was not made. */
  back() {
    this.refresh(null, "show", true);
  }

  /** @param text the text as it was typed; it is read once the typing pauses */
  typed(text: string) {
    this.typing = text;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.settleTyping(), TYPING_MS);
  }

  settleTyping() {
    clearTimeout(this.settling);
    if (this.typing === undefined) return;
    const before = this.text;
    const text = this.typing;
    this.typing = undefined;
    if (text === before) return;
    this.draft.push(text);
    this.refresh(this.lastSound ?? before, "typing");
  }

  undo() {
    this.settleTyping();
    this.turn((history) => history.undo());
  }

  redo() {
    this.turn((history) => history.redo());
  }

  turn(act: (history: History) => void) {
    if (!this.history) return;
    const before = this.text;
    act(this.history);
    if (this.text === before) return;
    this.pane.show(this.text);
    this.refresh(before);
  }

  // --- what is shown -----------------------------------------------------------------------------------------------

  /**
   * Shows a reply. `quiet`: nothing has changed. `same`: not the draft, so what its last edit changed stays. `preview`:
   * it is not made yet. `accepted`: it was begun after the last one that was refused, so messages about it disappear.
   */
  take(
    reply: ShownReply | TextReply,
    {
      quiet = false,
      same = quiet,
      preview = false,
      accepted = !quiet && !preview,
    }: { quiet?: boolean; same?: boolean; preview?: boolean; accepted?: boolean } = {},
  ) {
    if (this.closed || reply.only_text) return;
    this.stale.current();
    if (!same) this.matters.forget();
    if (accepted) {
      this.told.accepted();
      this.table.forgive();
    }
    if (this.typing === undefined || preview) this.pane.show(reply.text);
    this.pane.form.show(reply.form, preview ? "" : reply.said);
    this.problems = reply.problems;
    this.sound = reply.sound;
    this.pane.note.textContent =
      this.words.text[!reply.sound ? "unsound" : this.problems.some((each) => !each.warning) ? "partly" : "sound"];
    this.root.dataset.sound = String(reply.sound);
    if (reply.sound) {
      const { facts, tables, strings, sources } = reply;
      const changes = (same ? this.lastEdit : null) ?? facts.changes;
      if (!preview) this.lastEdit = changes;
      this.facts = { ...facts, changes, steps: tables.steps, strings, plane: { ...facts.plane, sources } };
      this.times = new Times(facts.style, this.base.player);
      this.lastSound = reply.text;
    }
    if (!(this.draft.ran ||= reply.sound)) this.facts = this.lastSound = this.lastEdit = null; // those of another draft
    if (!this.facts) {
      this.firstIsBroken();
      return;
    }
    if (reply.sound && !preview && !quiet) this.hints.ask();
    const changed = reply.sound && !same ? this.facts.changes : NOTHING_CHANGED;
    this.show(changed, preview);
  }

  /** A draft that was never sound: the text and what is wrong with it. */
  firstIsBroken() {
    this.root.dataset.blank = "true";
    this.stale.show(true);
    fill(this.table.scroll, el("p", "tm-quiet tm-au-more", this.words.blank));
    for (const node of [this.changes.node, this.results.node, this.goals.list, this.story.node]) {
      fill(node, el("p", "tm-quiet", this.words.blank));
    }
    this.pane.mark({ problems: this.problems, chosen: null, changed: [] });
    this.checks.showProblems(this.problems);
    this.cards.forEach((card) => card.tell());
    this.head.show();
    this.root.dataset.ready = "true";
  }

  async show(changed: Changed, preview = false) {
    const facts = this.shown;
    delete this.root.dataset.blank;
    this.stale.show();
    if (this.chosen !== null && this.chosen >= facts.stream.total) this.chosen = null;
    this.sentence.show(facts.sentence);
    this.table.show(facts.stream, facts.style, this.chosen, preview ? [] : changed.records);
    this.markText(preview ? [] : changed.records);
    if (this.sound) {
      this.changes.show(facts);
      this.results.show(facts);
      this.goals.show(facts);
      this.story.show(facts);
    }
    if (this.sound) this.checks.show(this.hints.among(facts.checks));
    else this.checks.showProblems(this.problems);
    this.cards.forEach((card) => card.tell());
    this.head.show();
    if (this.sound) await this.picture.show(facts);
    if (this.closed) return;
    if (!preview && this.sound) this.picture.grips.flash(changed);
    this.root.dataset.ready = "true";
    this.root.dataset.turn = String((Number(this.root.dataset.turn) || 0) + 1);
  }

  /** @param changed the items that are marked in the text, beside problems and the chosen record */
  markText(changed: number[]) {
    const rows = this.shown.stream.rows ?? [];
    const lines = changed.flatMap((item) => rows[item]?.lines ?? []);
    const chosen = this.chosen === null ? null : (rows[this.chosen]?.lines ?? null);
    this.pane.mark({ problems: this.problems, chosen, changed: lines });
    if (lines.length && document.activeElement !== this.pane.field) this.pane.reveal(lines[0]);
    clearTimeout(this.fading);
    if (lines.length) this.fading = setTimeout(() => this.pane.mark({ changed: [] }), FLASH_LINES_MS);
  }

  /** The same facts once more, where a part shows what was refused. */
  redraw() {
    if (this.facts) this.show(NOTHING_CHANGED);
  }

  /** where the author looks at a record */
  choose(item: number, where: "table" | "picture" | "text") {
    if (item === this.chosen || !this.facts) return;
    this.chosen = item;
    const lines = this.facts.stream.rows?.[item]?.lines ?? null;
    this.table.show(this.facts.stream, this.facts.style, item);
    this.pane.mark({ chosen: lines });
    if (lines && where !== "text") this.pane.reveal(lines[0]);
    if (where !== "table") this.table.reveal(item);
    this.picture.paint();
  }

  /** @param line where the caret is in the text */
  cursorAt(line: number) {
    const rows = this.facts?.stream.rows ?? [];
    const item = rows.findIndex((row) => line >= row.lines[0] && line <= row.lines[1]);
    if (item >= 0) this.choose(item, "text");
  }

  toTable() {
    if (this.chosen !== null) this.table.go([this.chosen, this.table.place[1]]);
  }

  addBeat(step: number) {
    this.cards[2].open("story");
    this.story.begin(step);
  }

  /** @param text something that the author should read; it disappears by itself */
  tell(text: string) {
    this.told.say(text);
  }

  /** What was typed a moment ago is kept too, when the page goes away. */
  keepTyping() {
    if (this.typing !== undefined) this.draft.push(this.typing);
    this.typing = undefined;
    this.half.keep();
  }

  close() {
    this.keepTyping();
    this.closed = true;
    window.removeEventListener("pagehide", this.onHide);
    for (const timer of [this.settling, this.fading, this.told.going, this.hints.waiting]) clearTimeout(timer);
    this.stopKeys();
    this.opening.close();
    this.wire.close();
    this.picture.close();
  }
}

// Hints at what the author may not have meant. They need more runs, so the page asks for them after the draft is shown.

const WAIT_MS = 350;

class Hints extends AuthorPart {
  /** the last ones; they stay until others come */
  list: Check[] = [];
  waiting?: number;

  /** The checks with the hints: what is wrong, the hints, what is well. */
  among(checks: Check[]) {
    const wrong = checks.filter((each) => each.mark !== "ok");
    return [...wrong, ...this.list, ...checks.filter((each) => each.mark === "ok")];
  }

  /** Asks for the hints of the draft, once nothing has changed for a moment. */
  ask() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.find(), WAIT_MS);
  }

  async find() {
    const { author } = this;
    const reply = await author.wire.ask(() => (author.sound ? { text: author.text, hints: true } : null), "hints");
    if (!reply && author.sound && !author.closed) this.ask();
    if (!reply?.hints || author.closed || !author.sound) return;
    this.list = reply.hints;
    author.checks.show(this.among(author.shown.checks));
    author.cards.forEach((card) => card.tell());
    author.head.show();
  }
}

// The keys of the Author page that work wherever the focus is: undo, redo, save, preview.

/** Listens to the keys of the window on behalf of `author`; returns a function that stops listening. */
function listenKeys(author: Author) {
  const onKey = (event: KeyboardEvent) => {
    if (!author.history || author.doors.node.open || !author.root.isConnected) return;
    const act = commandOf(author, event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

/** What the key asks for; null where it is none of ours. */
function commandOf(author: Author, event: KeyboardEvent) {
  const field = nearest(event, "input, textarea, select");
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === "s") return () => author.saving.save();
    // A field has an undo of its own, and there it is the right one. A slider has none.
    if (event.altKey || (field && field !== author.pane.field && !field.classList.contains("tm-au-range"))) return null;
    if (key === "z") return () => (event.shiftKey ? author.redo() : author.undo());
    return key === "y" ? () => author.redo() : null;
  }
  const typing = field || nearest(event, "[role=grid]");
  return key === "p" && !event.altKey && !typing ? () => author.doors.preview() : null;
}

// What the page says where its parts show an earlier text, and where a question got no answer.

/**
 * A line over the picture. A text that does not run, or whose run the reader has stopped, leaves the parts of the page
 * as they were before; what was stopped can be run from here.
 */
class StaleLine extends AuthorPart {
  node = el("p", "tm-au-stale", this.author.words.stale, { role: "status" });
  /** Whether nobody has run the text, so that its records may not be those that are shown. */
  behind = false;

  /** @param blank whether there is no earlier text that ran */
  show(blank = false) {
    const { words, root } = this.author;
    root.dataset.behind = String(this.behind);
    if (!this.behind) {
      this.node.textContent = blank ? words.blank : words.stale;
      return;
    }
    const button = pushButton("tm-button", words.unanswered.again, () => this.author.refresh(this.author.lastSound));
    fill(this.node, `${words.unanswered.run} `, button);
    this.author.pane.note.textContent = ""; // whether it runs is not known
  }

  /** A reply belongs to the text. */
  current() {
    this.behind = false;
    this.author.root.dataset.behind = "false";
  }

  /** Says what a question was about that gets no answer: the reader stopped it, or nobody can answer. */
  unanswered(question: Question, slot: string | null) {
    const { author } = this;
    const { unanswered } = author.words;
    if (slot === "preview" || "hints" in question) return; // the page asks again by itself
    if ("edit" in question) author.tell(unanswered.edit);
    else if ("command" in question) author.doors.say(unanswered.command);
    else {
      this.behind = true;
      this.show();
      author.head.show();
    }
  }
}
