// A question to the class: opened at a question while presenting, answered at /vote, voted on twice, then shown. Only
// for this does the player ask the server while it shows a step, and only while such a question is open.
import { compareAddress, embeddedInAddress } from "../base/address.ts";
import { el, fileName, fill, mark, save, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { readKept, writeKept } from "../base/kept.ts";
import { ask } from "../share/desk.ts";
import { cloud } from "./cloud.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Fields } from "../types/player.ts";
import type { HeldBelief, PollSheet, PollState, Room, Stage } from "../types/lecture.ts";
import type { Player } from "../player.ts";
import type { PlayerWords } from "#types/words";

const KEPT_ROOM = "tidemark.room";
const KEPT_CLASS = "tidemark.class";
const COUNT_EACH = 1500;
/** The stages in which the class answers. */
const OPEN = ["first", "second"];
/** The stages before the answer. */
const RUNNING = ["first", "talk", "second"];

export class Poll extends PlayerPart {
  words = this.player.words.poll;
  there: boolean = !this.player.alone && !this.player.isStudents && !embeddedInAddress();
  room = keptRoom();
  view: Room | null = null;
  busy = false;
  closed = false;
  timer?: ReturnType<typeof setTimeout>;
  /** Why the server cannot be asked; "" if it can. */
  trouble = "";
  /** What was drawn last, as text: only something different is drawn. */
  sign = "";
  drawn = "";
  button = pushButton("tm-button tm-poll-button", null, () => this.key(), { "aria-keyshortcuts": "V" });
  strip = el("div", "tm-poll-strip", null, { role: "status" });
  sheet = el("section", "tm-card tm-poll-sheet", null, { "aria-label": this.words.results });
  door = el("section", "tm-card tm-poll-door", null, { role: "status" });
  /** the QR code as an address */
  picture: string | null = null;
  code: HTMLImageElement | null = null;
  /** what covers the picture */
  shows: PollSheet | null = null;
  /** Whether this presentation asks its class: then the next questions are asked by Page Down as well. */
  asksClass = keptClass();

  constructor(player: Player) {
    super(player);
    this.strip.hidden = this.door.hidden = this.sheet.hidden = true;
  }

  /** The question that can be put to the class: the one on the screen. */
  get question() {
    return this.there && !this.player.lecture.card.kind ? this.player.present.question : null;
  }

  /** The room that was asked the question on the screen; null if it was not asked. */
  get here() {
    const { question, view } = this;
    return question && view?.asked === `${this.player.payload.name} ${question.step}` ? view : null;
  }

  /** Whether the class can be asked: not once the answer is on the screen. */
  get offered() {
    return this.here !== null || (this.question !== null && this.player.present.asks);
  }

  /** @returns of the question on the screen */
  get stage(): Stage {
    return this.here?.stage ?? null;
  }

  get collects() {
    return OPEN.includes(String(this.stage));
  }

  /** Whether the class is busy with the question, and does not know the answer yet. */
  get running() {
    return RUNNING.includes(String(this.stage));
  }

  get sheetIsOpen() {
    return this.shows !== null;
  }

  /** What the notes window shows of it; null where nothing can be asked. */
  state(): PollState | null {
    if (!this.offered) return null;
    const next = this.label;
    if (!this.here) return { stage: null, code: "", answers: 0, next, skips: false };
    const { code, stage, answers, text, choices, answer, because, replies, votes } = this.here;
    const asked = { text, choices, answer, because, replies, votes };
    const skips = stage === "first" || stage === "talk";
    return { code, stage, answers, next, skips, address: this.address, asked };
  }

  /** Where the class answers: what is typed into a phone. */
  get address() {
    return this.url.href.slice(this.url.protocol.length + 2);
  }

  get url() {
    return new URL("vote", window.location.href);
  }

  /** What the next key does. */
  get label() {
    const { words, stage, shows } = this;
    const move = moveOf(stage === "closed" ? null : stage, shows, 1, this.hasBelief);
    switch (move) {
      case "votes":
        return words.talk;
      case "hide":
        return words.close;
      case "belief":
        return words.belief_of;
      case "leave":
      case "answer":
        return words.bars;
      default:
        return words[move];
    }
  }

  get hasBelief() {
    return Boolean(this.here?.belief);
  }

  /** V: what comes next; once the answer is shown it opens and closes the votes. */
  key() {
    if (!this.offered || this.busy) return;
    if (this.stage === "shown" && this.shows !== "answer") this.cover(this.shows ? null : "answer");
    else if (this.stage === "shown" && !this.hasBelief) this.cover(null);
    else this.move(this.stage === "closed" ? "ask" : moveOf(this.stage, this.shows, 1, this.hasBelief));
  }

  /** Page Down and Page Up at a question to the class; true if that is all they do. */
  page(direction: number) {
    if (!this.offered || this.player.lecture.montage.isOpen) return false;
    if (this.busy) return true;
    const move = this.ahead(direction);
    if (move === "leave") return false;
    this.move(move);
    return true;
  }

  /** What Page Down or Page Up does to the question on the screen; "leave" if that is not what it is about. */
  ahead(direction: number) {
    const asks = this.here !== null || (this.offered && this.asksClass && !this.trouble);
    return asks ? moveOf(this.stage, this.shows, direction, this.hasBelief) : "leave";
  }

  move(move: Move) {
    switch (move) {
      case "ask":
        return this.open();
      case "pause":
        return this.change("pause", "votes");
      case "again":
        return this.change("again", null);
      case "show":
        return this.results();
      case "votes":
      case "answer":
      case "belief":
        return this.cover(move);
      default:
        return this.cover(null);
    }
  }

  async open() {
    this.player.transport.stop();
    this.shows = null;
    if (!(await this.tell("ask", { step: this.question?.step, address: this.url.href }))) return;
    this.asksClass = true;
    writeKept(KEPT_CLASS, true, "tab");
    this.goOn();
  }

  /** @param kind of the request */
  async change(kind: string, sheet: PollSheet | null) {
    this.rest();
    if (!(await this.tell(kind))) return;
    this.cover(sheet);
    this.goOn();
  }

  /** No more answers; the right one is shown with what was chosen. */
  async results() {
    this.rest();
    if (!(await this.tell("show"))) return;
    this.player.present.tellAnswer();
    this.cover("answer");
  }

  cover(sheet: PollSheet | null) {
    this.shows = sheet;
    this.draw();
    this.player.notes.tell();
  }

  /** The answers to all questions of the room, as a file. */
  async saveTally(form: "csv" | "json") {
    const answer = await ask("room-tally", { ...this.room, form }).catch(() => null);
    if (!answer || answer.said.gone || answer.said.problem !== undefined) {
      this.player.live.tell(answer ? this.words.gone : this.words.unanswered);
      return;
    }
    save(new Blob([answer.body], { type: answer.said.type }), fileName(`votes-${answer.said.code}`, "", form));
  }

  /** Asks the server; true if the room exists. */
  async tell(kind: string, fields: Fields = {}) {
    this.busy = kind !== "count";
    const answer = await ask(`room-${kind}`, { ...this.room, ...fields }).catch(() => null);
    this.busy = false;
    if (this.closed) return false;
    if (!answer) {
      this.view = null;
      this.trouble = this.words.unanswered;
    } else if (answer.said.gone || answer.said.problem !== undefined) {
      this.view = null;
      this.trouble = ("problem" in answer.said && answer.said.problem) || this.words.gone;
    } else {
      const { said } = answer;
      this.trouble = "";
      // Only the answer to `show` has the belief.
      this.view = said.stage === "shown" && this.view?.asked === said.asked ? { ...this.view, ...said } : said;
      if (kind === "ask") this.picture = said.door ?? null;
      this.keep({ code: said.code, token: said.token });
    }
    this.draw();
    this.player.notes.tell();
    return this.view !== null;
  }

  /** Counts repeatedly while answers are accepted. */
  goOn() {
    this.rest();
    if (!this.collects) return;
    this.timer = setTimeout(async () => {
      if (this.collects && (await this.tell("count"))) this.goOn();
    }, COUNT_EACH);
  }

  rest() {
    clearTimeout(this.timer);
  }

  keep(room: { code: string; token: string }) {
    this.room = room;
    writeKept(KEPT_ROOM, room);
  }

  /** Leaving an open question closes it. */
  show() {
    if (this.view && RUNNING.includes(this.view.stage) && !this.here && !this.busy) {
      this.rest();
      this.view = null;
      ask("room-close", this.room).catch(() => null);
    }
    if (!this.here) this.shows = null;
    this.draw();
  }

  hide() {
    this.cover(null);
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  draw() {
    const { view, here, collects } = this;
    this.button.hidden = !this.offered;
    fill(this.button, document.createTextNode(this.label), el("kbd", "", "V"));
    this.player.present.panel.node.classList.toggle("tm-answered-apart", this.running && here?.way.name !== "choose");
    const sign = JSON.stringify([here !== null, view?.stage, view?.code, view?.answers, this.trouble]);
    if (this.sign !== sign) {
      this.sign = sign;
      // With a QR code the invitation has a card of its own, between the picture and the question.
      const apart = collects && Boolean(this.picture);
      this.door.hidden = !apart;
      this.strip.hidden = apart || !(collects || this.trouble);
      this.player.root.classList.toggle("tm-with-door", apart);
      this.strip.parentElement?.classList.toggle("tm-collecting", !this.strip.hidden);
      const parts = collects && here ? this.invitation(here) : [el("p", "", this.trouble)];
      if (apart && this.picture) this.invite(parts, this.picture);
      else fill(this.strip, ...parts);
      this.player.present.panel.fit();
    }
    this.sheet.hidden = !this.shows || !here;
    const shown = JSON.stringify([this.shows, here]);
    if (this.shows && here && this.drawn !== shown) {
      this.drawn = shown;
      fill(this.sheet, ...sheetParts(this, here, this.shows));
    }
  }

  invitation(view: Room) {
    const { words } = this;
    const where = el("p", "tm-poll-where");
    where.append(el("span", "tm-poll-address", this.address), el("b", "tm-poll-code", view.code));
    const count = view.answers === 1 ? words.answers_one : say(words.answers, { count: view.answers });
    const said = view.stage === "second" ? say(words.second, { answers: count }) : count;
    const answers = el("p", "tm-poll-answers", said);
    const way = { choose: "", enter: words.way_enter, tap: words.way_tap, drag: words.way_drag }[view.way.name];
    if (way) answers.append(el("b", "tm-poll-way", way));
    if (!this.picture) answers.append(el("span", "tm-poll-hint", words.this_machine));
    return [where, answers];
  }

  /** The card with the QR code, which is kept while answers are counted. */
  invite(parts: Node[], picture: string) {
    if (!this.code || this.code.src !== picture) {
      this.code = el("img", "tm-poll-qr", null, {
        src: picture,
        alt: say(this.words.door, { address: this.address }),
      });
    }
    const said = fill(el("div", "tm-poll-said"), ...parts);
    if (this.code.parentElement === this.door) this.door.lastChild?.replaceWith(said);
    else fill(this.door, this.code, said);
  }

  close() {
    this.closed = true;
    this.rest();
    if (this.view && RUNNING.includes(this.view.stage)) ask("room-close", this.room).catch(() => null);
  }
}

/** The room that this browser opened last; empty if there is none. */
function keptRoom(): { code?: string; token?: string } {
  const isRoom = (read: any) => typeof read.code === "string" && typeof read.token === "string";
  return readKept(KEPT_ROOM, (read) => (isRoom(read) ? read : null)) ?? {};
}

/** Whether this tab has asked its class before. */
function keptClass() {
  return readKept(KEPT_CLASS, (read) => (read === true ? read : null), "tab") ?? false;
}

// What the class answered, over the picture: the first vote without the answer; both votes with it, and who went where;
// the belief behind most wrong answers beside the truth.

const MOST_MOVES = 4;

/** The parts of the sheet. */
function sheetParts(poll: Poll, room: Room, sheet: PollSheet): HTMLElement[] {
  if (sheet === "belief" && room.belief) return beliefParts(poll, room.belief);
  const { words } = poll.player;
  const tells = sheet === "answer";
  const parts: HTMLElement[] = [voteHead(words, room, tells), el("h2", "", room.text)];
  if (tells) parts[0].append(saveRow(poll));
  if (room.way.name !== "choose") parts.push(cloud(room, words.poll, tells));
  if (tells || room.way.name === "choose") parts.push(voteBars(room, words, tells));
  if (!tells) parts.push(el("p", "tm-poll-neighbour", words.poll.neighbour));
  else parts.push(...movedParts(words.poll, room));
  return parts;
}

function voteHead({ poll: words, joints }: PlayerWords, room: Room, tells: boolean) {
  const total = (votes: number[]) => votes.reduce((sum, each) => sum + each, 0);
  const said = (count: number) => (count === 1 ? words.answers_one : say(words.answers, { count }));
  const head = el("p", "tm-poll-head");
  const votes = tells ? room.votes : room.votes.slice(0, 1);
  votes.forEach((counts, vote) => {
    const name = vote ? words.second_vote : words.first_vote;
    const part = el("span", `tm-poll-vote-${vote + 1}`);
    if (votes.length > 1) part.append(el("i", "tm-poll-key", null, { "aria-hidden": "true" }), name, joints.colon);
    part.append(said(total(counts)));
    head.append(part);
  });
  return head;
}

/**
 * A row for each choice, with a bar for each vote.
 * @param tells whether the right one is marked
 */
function voteBars(room: Room, words: PlayerWords, tells: boolean) {
  const votes = tells ? room.votes : room.votes.slice(0, 1);
  const list = el("ol", "tm-poll-bars");
  const shares = votes.map((counts) => {
    const total = counts.reduce((sum, each) => sum + each, 0);
    return counts.map((count) => (total ? Math.round((100 * count) / total) : 0));
  });
  const replied = repliedChoices(room, votes);
  room.choices.forEach((text, choice) => {
    const right = tells && choice === room.answer;
    const chosen = votes.some((counts) => counts[choice] > 0);
    // Nobody was offered these: only what was answered is of interest.
    if (room.way.name !== "choose" && !right && !chosen) return;
    const number = el("span", "tm-poll-number", String(choice + 1));
    const said = el("p", "tm-poll-text", text);
    if (tells) {
      number.append(mark(right ? "right" : "dropped"));
      said.append(el("span", "tm-visually-hidden", ` (${right ? words.present.right : words.present.wrong})`));
    }
    const tracks = el("div", "tm-poll-tracks", null, { "aria-hidden": "true" });
    votes.forEach((_, vote) => {
      const filled = el("i");
      filled.style.width = `${shares[vote][choice]}%`;
      tracks.append(fill(el("div", `tm-poll-bar tm-poll-vote-${vote + 1}`), filled));
    });
    const [first, last] = [votes[0][choice], votes[votes.length - 1][choice]];
    const count = votes.length > 1 ? say(words.poll.both, { before: first, after: last }) : last;
    const percent = shares[votes.length - 1][choice];
    const share = el("b", "tm-poll-count", chosen ? "" : "0");
    if (!share.textContent) share.textContent = say(words.poll.share, { count, percent });
    const item = fill(el("li", right ? "tm-is-right" : ""), number, said, tracks, share);
    const more = !tells ? "" : right ? room.because : replied.includes(choice) ? room.replies[choice] : "";
    if (more) item.append(el("p", "tm-poll-more", more));
    list.append(item);
  });
  return list;
}

/**
 * The wrong choices that get their reply: all that somebody chose; below a cloud there is room for the one chosen most.
 */
function repliedChoices({ choices, answer, way }: Room, votes: number[][]) {
  const counts = choices.map((_, choice) => votes.map((each) => each[choice]).reverse());
  const chosen = [...choices.keys()].filter((choice) => choice !== answer && counts[choice].some((count) => count > 0));
  const often = chosen.sort(
    (one, other) => counts[other][0] - counts[one][0] || counts[other][1] - counts[one][1] || 0,
  );
  return way.name === "choose" ? often : often.slice(0, 1);
}

/** Who changed their minds between the votes. */
function movedParts(words: PlayerWords["poll"], { moved }: Room) {
  const { stayed, changes } = movement(moved);
  if (!stayed && !changes.length) return [];
  const line = fill(el("p", "tm-poll-moved"), el("b", "", changes.length ? words.moved : words.moved_none));
  for (const { from, to, count } of changes.slice(0, MOST_MOVES)) {
    line.append(el("span", "", say(words.moved_from, { before: from + 1, after: to + 1, count })));
  }
  line.append(el("span", "tm-poll-stayed", say(words.stayed, { count: stayed })));
  return [line];
}

function saveRow(poll: Poll) {
  const row = el("span", "tm-poll-save", poll.words.save);
  for (const form of ["csv", "json"] as const) {
    const button = pushButton("tm-button", form.toUpperCase(), () => poll.saveTally(form));
    row.append(button);
  }
  return row;
}

function beliefParts(
  { words: { belief: words }, player }: Poll,
  { name: belief, claim, truth, rows, runs }: HeldBelief,
) {
  const sides = el("div", "tm-poll-sides");
  for (const [name, text, kind] of [
    [words.believed, claim, "tm-is-wrong"],
    [words.truth, truth, "tm-is-right"],
  ]) {
    sides.append(fill(el("div", `tm-poll-side ${kind}`), el("h3", "", name), el("p", "", text)));
  }
  const parts = [el("h2", "", words.head), sides];
  const further = el("p", "tm-poll-save");
  if (runs) {
    const href = compareAddress(player.payload.name, { belief, tab: "stream" });
    further.append(el("a", "tm-button", words.stream, { href, target: "_blank" }));
  }
  if (!rows.length) return [...parts, further];
  const head = el("tr");
  head.append(el("td"), ...[words.believed, words.truth].map((text) => el("th", "", text, { scope: "col" })));
  const table = fill(el("table", "tm-poll-beside"), head);
  for (const [of, believed, so] of rows) {
    const row = fill(el("tr"), el("th", "", of, { scope: "row" }), el("td", "", believed), el("td", "", so));
    table.append(row);
  }
  return [...parts, table, further];
}

// The course of a question to the class: what the next key does. A vote, its result without the answer, a second vote,
// the answer, the belief behind the wrong ones.

type Move = "ask" | "pause" | "again" | "show" | "hide" | "leave" | PollSheet;

/**
 * What Page Down (`direction` 1) or Page Up (-1) does.
 * @param stage null before the class is asked
 * @param sheet what covers the picture
 * @param belief whether a belief can be shown
 * @returns a request to the server, a sheet that is opened, "hide" for none, or "leave" the question
 */
export function moveOf(stage: Stage, sheet: PollSheet | null, direction: number, belief: boolean): Move {
  switch (stage) {
    case null:
      return direction > 0 ? "ask" : "leave";
    case "first":
      return direction > 0 ? "pause" : "leave";
    case "talk":
      if (direction > 0) return sheet ? "again" : "votes";
      return sheet ? "hide" : "leave";
    case "second":
      if (direction > 0) return sheet ? "hide" : "show";
      return sheet ? "leave" : "votes";
    case "shown":
      if (direction > 0) return sheet === "answer" && belief ? "belief" : "leave";
      return sheet === "belief" ? "answer" : sheet ? "hide" : "leave";
    default:
      return "leave";
  }
}

/**
 * Who went where between two votes, the largest groups first.
 * @param moved by choice of the first and of the second vote
 * @returns places of choices, from 0
 */
export function movement(moved: number[][]): {
  stayed: number;
  changes: { from: number; to: number; count: number }[];
} {
  const changes = moved.flatMap((row, from) =>
    row.map((count, to) => ({ from, to, count })).filter((each) => each.count > 0 && each.to !== from),
  );
  changes.sort((one, other) => other.count - one.count);
  return { stayed: moved.reduce((sum, row, choice) => sum + row[choice], 0), changes };
}
