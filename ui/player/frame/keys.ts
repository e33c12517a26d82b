// The keyboard: one table of what each key does, for listening and for the list of keys.
import { JUMP_KEYS, JUMP_KINDS } from "./jumps.ts";
import type { Player } from "../player.ts";

const TYPING = /^(INPUT|TEXTAREA|SELECT)$/;
const NOT_TYPED = /^(range|button|checkbox|radio)$/;

/** The keys of the first visit; the others open what it does not have. */
const VISITED = /^(Arrow(Left|Right)|Page(Up|Down)|Home|End|Escape|[1-4w])$/;

/** A key that is held down steps on, but answers nothing. */
const ANSWERING = /^(Enter|[1-9])$/;

/** The groups of the list of keys, in its order. A command that names none is in "show". */
export const KEY_GROUPS = ["move", "jump", "show", "present", "lecture"];

/** What a key does. */
interface Command {
  /** DOM key names, letters lower-case, "Shift " in front of an arrow or a letter */
  keys: string[];
  run: () => unknown;
  /** how the keys are written in the list of keys; a command without `label` is not listed */
  caps?: string[];
  label?: string;
  note?: string;
  /** one of KEY_GROUPS */
  group?: string;
  /**
   * "present" for what a key does while presenting, "lecture" for what it does instead in a
   *   lecture, "both" for what it does always; a command without one works at the desk alone
   */
  mode?: string;
}

/** Every command. */
export function commandsOf(player: Player): Command[] {
  const { keys } = player.words;
  const { present } = player;
  const drawer = (name: string) => () => player.drawers.toggle(name);
  const jumps = JUMP_KINDS.flatMap((kind) => [
    {
      group: "jump",
      mode: "both",
      keys: [JUMP_KEYS[kind]],
      caps: [JUMP_KEYS[kind].toUpperCase()],
      label: keys[kind === "firing" ? "next_firing" : kind],
      note: player.payload.jumps[kind]?.length ? "" : keys.none,
      run: () => player.jumps.go(kind, 1),
    },
    { group: "jump", mode: "both", keys: [`Shift ${JUMP_KEYS[kind]}`], run: () => player.jumps.go(kind, -1) },
  ]);
  const choices = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => ({
    group: "present",
    mode: "present",
    keys: [String(number)],
    run: () => present.choose(number - 1),
    ...(number === 1 ? { caps: ["1", "…", "9"], label: keys.choose } : {}),
  }));
  const { lecture } = player;
  const lectured = [
    {
      mode: "lecture",
      keys: ["ArrowRight", " "],
      caps: ["←", "→", "Space"],
      label: player.words.lecture.keys.page,
      run: () => present.page(1),
    },
    { mode: "lecture", keys: ["ArrowLeft"], run: () => present.page(-1) },
    {
      mode: "lecture",
      keys: ["ArrowDown"],
      caps: ["↑", "↓"],
      label: player.words.lecture.keys.step,
      run: () => player.goStop(1),
    },
    { mode: "lecture", keys: ["ArrowUp"], run: () => player.goStop(-1) },
    { mode: "lecture", keys: ["Enter"], run: () => (lecture.card.kind ? lecture.page(1) : present.reveal()) },
  ];
  // In the list they are one line.
  const forTheRoom = [
    ...(player.hasNotes ? [{ keys: ["n"], what: "notes", run: () => player.notes.open() }] : []),
    ...(player.poll.there ? [{ keys: ["v"], what: "poll", run: () => player.poll.key() }] : []),
    { keys: ["e"], what: "montage", run: () => lecture.montage.toggle() },
  ];
  Object.assign(forTheRoom[0], {
    caps: forTheRoom.map((each) => each.keys[0].toUpperCase()),
    label: forTheRoom.map((each) => player.words.lecture.keys[each.what]).join(" · "),
  });
  const predictions = [1, 2, 3, 4].map((number) => ({
    keys: [String(number)],
    run: () => player.predictor.choose(number - 1) || player.asked.choose(number - 1),
  }));
  return [
    {
      group: "move",
      mode: "both",
      keys: ["ArrowRight"],
      caps: ["←", "→"],
      label: keys.step,
      run: () => player.goStop(1),
    },
    { group: "move", mode: "both", keys: ["ArrowLeft"], run: () => player.goStop(-1) },
    {
      group: "move",
      mode: "both",
      keys: ["Shift ArrowRight"],
      caps: ["Shift", "←", "→"],
      label: keys.record,
      run: () => player.goItem(1),
    },
    { group: "move", mode: "both", keys: ["Shift ArrowLeft"], run: () => player.goItem(-1) },
    {
      group: "move",
      mode: "both",
      keys: ["PageDown"],
      caps: ["PgUp", "PgDn"],
      label: keys.beat,
      run: () => {
        if (player.visit.on) player.visit.forward();
        else if (player.predictor.open) player.predictor.reveal();
        else present.page(1);
      },
    },
    {
      group: "move",
      mode: "both",
      keys: ["PageUp"],
      run: () => (player.visit.on ? player.visit.back() : present.page(-1)),
    },
    { group: "move", mode: "both", keys: [" "], caps: ["Space"], label: keys.play, run: () => present.playOrReveal() },
    { group: "move", mode: "both", keys: ["Home"], caps: ["Home"], label: keys.home, run: () => player.go(0) },
    { group: "move", mode: "both", keys: ["End"], caps: ["End"], label: keys.end, run: () => player.go(player.last) },
    // The lists of marks listen for these themselves (why/reach.ts).
    { group: "move", keys: [], caps: ["Tab", "↑", "↓"], label: keys.marks, run: () => {} },
    ...jumps,
    { group: "jump", keys: ["/"], caps: ["/"], label: keys.find, run: () => player.find.open() },
    { group: "jump", keys: ["n"], caps: ["N"], label: keys.match, run: () => player.find.go(1) },
    { group: "jump", keys: ["Shift n"], run: () => player.find.go(-1) },
    { group: "jump", keys: ["."], caps: [",", "."], label: keys.breakpoint, run: () => player.watches.go(1) },
    { group: "jump", keys: [","], run: () => player.watches.go(-1) },
    { group: "jump", keys: ["b"], caps: ["B"], label: keys.bookmark, run: () => player.bookmarks.toggle(player.step) },
    {
      group: "jump",
      keys: ["v"],
      caps: ["V"],
      label: keys.bookmark_next,
      run: () => player.jumps.goTo(player.bookmarks.steps, 1),
    },
    { group: "jump", keys: ["Shift v"], run: () => player.jumps.goTo(player.bookmarks.steps, -1) },
    { group: "jump", keys: ["j"], caps: ["J"], label: keys.jumps, run: () => player.jumps.menu.toggle() },
    {
      keys: ["q"],
      caps: ["Q"],
      label: player.words.predict.mode,
      note: player.predictor.questions.length ? "" : keys.none,
      run: () => player.predictor.toggle(),
    },
    { keys: ["Enter"], run: () => (player.predictor.open ? player.predictor.reveal() : player.predictor.goOn()) },
    ...predictions,
    {
      keys: ["c"],
      caps: ["C"],
      label: player.words.compare_with.title,
      note: player.compareWith.there ? "" : keys.none,
      run: () => player.compareWith.toggle(),
    },
    { keys: ["w"], caps: ["W"], label: player.words.why.key, mode: "both", run: () => player.why.cycle() },
    { keys: ["o"], caps: ["O"], label: player.words.code.key, run: drawer("code") },
    { keys: ["x"], caps: ["X"], label: player.words.levels.key, mode: "both", run: () => player.telling.turn() },
    { keys: ["s"], caps: ["S"], label: keys.text, run: drawer("text") },
    { keys: ["d"], caps: ["D"], label: player.words.differences.key, run: drawer("differences") },
    { keys: ["g"], caps: ["G"], label: player.words.laws.key, run: () => player.lawStrip.toggle() },
    { keys: ["i"], caps: ["I"], label: player.words.state.key, mode: "both", run: drawer("state") },
    { keys: ["t"], caps: ["T"], label: keys.table, run: drawer("table") },
    { keys: ["z"], caps: ["Z"], label: keys.glossary, run: drawer("glossary") },
    { keys: ["y"], caps: ["Y"], label: player.words.scale.turn, mode: "both", run: () => player.orientation.turn() },
    {
      keys: ["r"],
      caps: ["R"],
      label: player.words.scale.number,
      mode: "both",
      run: () => player.orientation.number(),
    },
    { keys: ["h"], caps: ["H"], label: keys.help, mode: "both", run: drawer("help") },
    { keys: ["e"], caps: ["E"], label: keys.share, run: () => player.root.dataset.embed || player.share.open() },
    { keys: ["p"], caps: ["P"], label: keys.present, mode: "both", run: () => present.toggle() },
    { keys: ["Escape"], caps: ["Esc"], label: keys.close, mode: "both", run: () => closeOne(player) },
    {
      group: "present",
      mode: "present",
      keys: ["Enter"],
      caps: ["Enter"],
      label: keys.reveal,
      run: () => present.reveal(),
    },
    ...choices,
    {
      group: "present",
      mode: "present",
      keys: [".", "b"],
      caps: [".", "B"],
      label: keys.black,
      run: () => present.blacken(),
    },
    {
      group: "present",
      mode: "present",
      keys: ["s"],
      caps: ["S"],
      label: keys.spotlight,
      run: () => present.spotlight.turn(),
    },
    {
      group: "present",
      mode: "present",
      keys: ["d"],
      caps: ["D", "G"],
      label: `${keys.light} · ${keys.way}`,
      run: () => present.changeLight(),
    },
    { group: "present", mode: "present", keys: ["g"], run: () => present.way.toggle() },
    ...forTheRoom.map((each) => ({ group: "present", mode: "present", ...each })),
    ...(lecture.id ? lectured.map((each) => ({ group: "lecture", ...each })) : []),
  ];
}

/** Esc closes what lies on top: a menu, the search, a drawer, the presentation; at last it takes a change back. */
function closeOne(player: Player) {
  const onTop = [player.lecture.montage, player.compareWith.pop, player.jumps.menu, player.find.pop].find(
    (each) => each.isOpen,
  );
  if (player.tip.close()) return;
  if (onTop) onTop.close();
  else if (player.poll.sheetIsOpen) player.poll.hide();
  else if (player.drawers.open) player.drawers.toggle(null);
  else if (player.present.on && player.present.spotlight.kind) player.present.spotlight.set("");
  else if (player.why.isOpen) player.why.close();
  else if (player.present.on) player.present.leave();
  else if (player.tryouts.now) player.tryouts.back();
  else player.find.clear();
}

/** Listens while the player is mounted; returns what ends it. */
export function listen(player: Player) {
  const table: Map<string, Command[]> = new Map();
  for (const command of player.commands) {
    for (const key of command.keys) table.set(key, [...(table.get(key) ?? []), command]);
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.composedPath()[0] as HTMLElement & { type?: string };
    if (target.isContentEditable || (TYPING.test(target.tagName) && !NOT_TYPED.test(target.type ?? ""))) return;
    if (player.present.way.finish()) {
      event.preventDefault();
      return;
    }
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (player.visit.on && (!VISITED.test(name) || event.shiftKey)) return;
    const shifted = event.shiftKey && (name.startsWith("Arrow") || /^[a-z]$/.test(name));
    const mode = player.present.on ? "present" : undefined;
    const commands = table.get(shifted ? `Shift ${name}` : name) ?? [];
    const lectured = player.lecture.runs && commands.find((each) => each.mode === "lecture");
    const command = lectured || commands.find((each) => each.mode === mode || each.mode === "both");
    if (!command) return;
    // Space and Enter on a focused button are that button's own, and so is Enter on a link.
    if ((name === " " || name === "Enter") && target.closest("button, summary")) return;
    if (name === "Enter" && target.closest("a[href]")) return;
    event.preventDefault();
    if (event.repeat && ANSWERING.test(name)) return;
    command.run();
    player.place.at(player.step);
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
