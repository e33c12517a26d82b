// The Author page: one draft as text, table and picture. The text is the truth; everything else is read from it.
import { el, fill } from "../player/base/dom.js";
import { Times } from "../player/base/format.js";
import { ChangeList, CheckList, GoalList, ResultList, TabCard } from "./cards.js";
import { SentenceLine } from "./controls.js";
import { Doors } from "./doors.js";
import { TextPane } from "./editor.js";
import { TitleRow } from "./head.js";
import { History, keptDraft } from "./history.js";
import { listenKeys } from "./keys.js";
import { Picture } from "./picture.js";
import { StoryList } from "./story.js";
import { RecordTable } from "./table.js";
import { KeptLine, Told } from "./told.js";
import { Wire } from "./wire.js";

const TYPING_MS = 260;
const FLASH_LINES_MS = 1500;
const HINTS_MS = 350;

export class Author {
  constructor(host, base, send) {
    Object.assign(this, {
      base,
      words: base.words,
      facts: null,
      problems: [],
      chosen: null,
      sound: false,
      refusals: 0,
    });
    this.root = el("div", "tidemark-player tidemark-author", null, {
      "data-ready": "false",
      "data-sound": "true",
      "data-busy": "false",
    });
    this.wire = new Wire(send, (busy) => {
      this.root.dataset.busy = String(busy);
    });
    this.doors = new Doors(this);
    this.head = new TitleRow(this);
    this.sentence = new SentenceLine(this);
    this.table = new RecordTable(this);
    this.pane = new TextPane(this);
    this.picture = new Picture(this);
    this.changes = new ChangeList(this);
    this.results = new ResultList(this);
    this.goals = new GoalList(this);
    this.checks = new CheckList(this);
    this.story = new StoryList(this);
    this.cards = [
      new TabCard(this.words.changes.card, [this.changes, this.results], "tm-au-low"),
      new TabCard(this.words.goals.title, [this.goals], "tm-au-low"),
      new TabCard(this.words.checks.card, [this.checks, this.story], "tm-au-low"),
    ];
    this.stale = el("p", "tm-au-stale", this.words.stale, { role: "status" });
    this.told = new Told();
    this.kept = new KeptLine(this.words);
    const top = el("div", "tm-au-top");
    top.append(this.table.node, this.pane.node, this.picture.node);
    const low = el("div", "tm-au-cards");
    low.append(...this.cards.map((card) => card.node));
    this.picture.node.append(this.stale);
    this.cards[1].head.append(this.goals.freeze);
    this.root.append(this.head.node, this.kept.node, this.sentence.node, top, low, this.told.node, this.doors.node);
    fill(host, this.root);
    this.listen();
  }

  get text() {
    return this.history.text;
  }

  /** Whether the table and the picture can be edited now. */
  get locked() {
    return !this.sound;
  }

  // --- what is opened ----------------------------------------------------------------------------------------------

  /** Opens the draft that was here, else the one in the address, else the one kept here; else offers a new one. */
  start(before) {
    const { start } = this.base;
    if (before) {
      this.open(before);
      return;
    }
    const kept = keptDraft();
    const named = () =>
      new History({
        origin: start.origin,
        texts: [start.text],
        ...(start.file ? { file: start.file, saved: start.text } : {}),
      });
    if (start?.problem) this.tell(start.problem);
    if (start?.text && kept?.origin !== start.origin) {
      kept?.putAway();
      this.open(named());
    } else if (kept) {
      this.open(kept);
      if (start?.text && start.text !== kept.text) {
        this.kept.show(kept, () => {
          this.history.putAway();
          this.open(named());
        });
      }
      if (start?.fresh) this.doors.begin();
    } else {
      this.root.dataset.empty = "true";
      this.root.dataset.ready = "true";
      this.doors.begin();
    }
  }

  /** Another draft takes the page. */
  open(history) {
    delete this.root.dataset.empty;
    this.kept.hide();
    this.history = history;
    this.chosen = null;
    this.hints = [];
    this.picture.step = null;
    history.keep();
    this.pane.show(history.text);
    return this.refresh(null);
  }

  openNew(text, more = {}) {
    this.history?.putAway();
    const address = new URL(window.location.href);
    for (const name of ["scenario", "s", "own", "file", "new"]) address.searchParams.delete(name);
    window.history.replaceState(window.history.state, "", address);
    return this.open(new History({ texts: [text], ...more }));
  }

  // --- edits -------------------------------------------------------------------------------------------------------

  /** Reads the text anew. `before`: what it was, to tell what changed. */
  async refresh(before, slot = "show") {
    const reply = await this.wire.ask(() => ({ text: this.text, before }), slot);
    if (reply) this.take(reply);
  }

  /** An edit that the server makes; true once it is made. */
  async edit(edit, { focus = false } = {}) {
    this.settleTyping();
    const { refusals } = this;
    const reply = await this.wire.ask(() => ({ text: this.text, before: this.text, edit }));
    if (!reply) return false;
    if (reply.refused) {
      this.refusals += 1;
      this.told.say(reply.refused, true);
      this.take(reply, { quiet: true });
      return false;
    }
    if (reply.chosen !== null) this.chosen = reply.chosen < 0 ? null : reply.chosen;
    this.history.push(reply.text);
    this.take(reply, { mends: refusals === this.refusals });
    if (focus && this.chosen !== null) this.picture.grips.focus(this.chosen);
    return true;
  }

  /** Shows what an edit would give, without making it; of many only the newest. */
  async preview(make, done) {
    const reply = await this.wire.ask(() => {
      const edit = make();
      return edit ? { text: this.text, before: this.text, edit } : null;
    }, "preview");
    if (!reply || !make() || reply.refused) return;
    if (reply.chosen !== null) this.chosen = reply.chosen;
    done(reply.chosen);
    this.take(reply, { preview: true });
  }

  /** After a preview that nobody wanted. */
  back() {
    this.refresh(null);
  }

  typed(text) {
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
    this.history.push(text);
    this.refresh(this.lastSound ?? before, "typing");
  }

  undo() {
    this.settleTyping();
    this.turn(() => this.history.undo());
  }

  redo() {
    this.turn(() => this.history.redo());
  }

  turn(act) {
    if (!this.history) return;
    const before = this.text;
    act();
    if (this.text === before) return;
    this.pane.show(this.text);
    this.refresh(before);
  }

  // --- what is shown -----------------------------------------------------------------------------------------------

  /** `mends`: the edit was begun after the last one that was refused. */
  take(reply, { quiet = false, preview = false, mends = !quiet && !preview } = {}) {
    if (this.closed) return;
    if (mends) {
      this.told.mended();
      this.table.forgive();
    }
    if (this.typing === undefined || preview) this.pane.show(reply.text);
    this.problems = reply.problems;
    this.sound = reply.sound;
    this.pane.note.textContent =
      this.words.text[!reply.sound ? "unsound" : this.problems.some((each) => !each.warning) ? "partly" : "sound"];
    this.root.dataset.sound = String(reply.sound);
    if (reply.sound) {
      this.facts = {
        ...reply.facts,
        steps: reply.tables.steps,
        plane: { ...reply.facts.plane, sources: reply.sources },
      };
      this.times = new Times(this.facts.style, this.base.player);
      this.lastSound = reply.text;
    }
    if (!this.facts) {
      this.firstIsBroken();
      return;
    }
    if (reply.sound && !preview && !quiet) this.askHints();
    const changed = reply.sound && !quiet ? this.facts.changes : { records: [], results: [] };
    this.show(changed, preview);
  }

  /** A draft that was never sound: the text and what is wrong with it. */
  firstIsBroken() {
    this.root.dataset.blank = "true";
    this.stale.textContent = this.words.blank;
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

  async show(changed, preview = false) {
    const { facts } = this;
    delete this.root.dataset.blank;
    this.stale.textContent = this.words.stale;
    if (this.chosen !== null && this.chosen >= facts.stream.total) this.chosen = null;
    this.sentence.show(facts.sentence);
    this.table.show(facts.stream, facts.style, this.chosen, preview ? [] : changed.records);
    this.markText(preview ? [] : changed.records);
    if (this.sound) {
      this.changes.show(facts);
      this.results.show(facts);
      this.goals.show(facts);
      this.story.show(facts);
      if (changed.records.length || changed.results.length) this.cards[0].open("changes");
    }
    if (this.sound) this.checks.show(this.withHints(facts.checks));
    else this.checks.showProblems(this.problems);
    this.cards.forEach((card) => card.tell());
    this.head.show();
    if (this.sound) await this.picture.show(facts);
    if (this.closed) return;
    if (!preview && this.sound) this.picture.grips.flash(changed);
    await this.picture.drawing;
    this.root.dataset.ready = "true";
    this.root.dataset.turn = String((Number(this.root.dataset.turn) || 0) + 1);
  }

  /** What the run shows that was hardly meant so takes a moment longer, and stays until it is known anew. */
  withHints(checks) {
    const wrong = checks.filter((each) => each.mark !== "ok");
    return [...wrong, ...(this.hints ?? []), ...checks.filter((each) => each.mark === "ok")];
  }

  askHints() {
    clearTimeout(this.hinting);
    this.hinting = setTimeout(async () => {
      const reply = await this.wire.ask(() => (this.sound ? { text: this.text, hints: true } : null), "hints");
      if (!reply?.hints || this.closed || !this.sound) return;
      this.hints = reply.hints;
      this.checks.show(this.withHints(this.facts.checks));
      this.cards.forEach((card) => card.tell());
      this.head.show();
    }, HINTS_MS);
  }

  markText(changed) {
    const rows = this.facts.stream.rows ?? [];
    const lines = changed.flatMap((item) => (rows[item] ? [rows[item].lines[0], rows[item].lines[1]] : []));
    this.pane.mark({ problems: this.problems, chosen: rows[this.chosen]?.lines ?? null, changed: lines });
    if (lines.length && document.activeElement !== this.pane.field) this.pane.reveal(lines[0]);
    clearTimeout(this.fading);
    if (lines.length) this.fading = setTimeout(() => this.pane.mark({ changed: [] }), FLASH_LINES_MS);
  }

  /** The same facts once more, where a part shows what was refused. */
  redraw() {
    if (this.facts) this.show({ records: [], results: [] });
  }

  /** A record is looked at, in the table, the picture or the text (`where`). */
  choose(item, where) {
    if (item === this.chosen || !this.facts) return;
    this.chosen = item;
    const lines = this.facts.stream.rows?.[item]?.lines ?? null;
    this.table.show(this.facts.stream, this.facts.style, item);
    this.pane.mark({ chosen: lines });
    if (lines && where !== "text") this.pane.reveal(lines[0]);
    if (where !== "table") this.table.cell([item, 0])?.scrollIntoView({ block: "nearest" });
    this.picture.paint();
  }

  /** The caret is in this line of the text. */
  cursorAt(line) {
    const rows = this.facts?.stream.rows ?? [];
    const item = rows.findIndex((row) => line >= row.lines[0] && line <= row.lines[1]);
    if (item >= 0) this.choose(item, "text");
  }

  toTable() {
    if (this.chosen !== null) this.table.go([this.chosen, this.table.place[1]]);
  }

  addBeat(step) {
    this.cards[2].open("story");
    this.story.begin(step);
  }

  /** Something that the author should read; it goes by itself. */
  tell(text) {
    this.told.say(text);
  }

  listen() {
    this.stopKeys = listenKeys(this);
    window.addEventListener("pagehide", (this.onHide = () => this.keepTyping()));
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", (this.onScheme = () => this.picture.colour()));
  }

  /** What was typed a moment ago is kept too, when the page goes away. */
  keepTyping() {
    if (this.typing !== undefined) this.history.push(this.typing);
    this.typing = undefined;
  }

  close() {
    this.keepTyping();
    this.closed = true;
    window.removeEventListener("pagehide", this.onHide);
    for (const timer of [this.settling, this.fading, this.told.going, this.hinting]) clearTimeout(timer);
    this.stopKeys();
    this.scheme?.removeEventListener("change", this.onScheme);
    this.wire.close();
    this.picture.close();
  }
}
