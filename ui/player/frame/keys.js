// The keyboard: one table of what each key does, for listening and for the list of keys.

const TYPING = /^(INPUT|TEXTAREA|SELECT)$/;

/** Every command: {keys, caps, label, run}. `keys` are DOM key names, letters lower-case, "Shift " in front of an arrow. */
export function commandsOf(player) {
  const { keys } = player.words;
  const beats = player.payload.beats.some((beat) => beat.step > 0);
  const drawer = (name) => () => player.drawers.toggle(name);
  return [
    { keys: ["ArrowRight"], caps: ["←", "→"], label: keys.micro_step, run: () => player.go(player.step + 1) },
    { keys: ["ArrowLeft"], run: () => player.go(player.step - 1) },
    { keys: ["Shift ArrowRight"], caps: ["Shift", "←", "→"], label: keys.record, run: () => player.goItem(1) },
    { keys: ["Shift ArrowLeft"], run: () => player.goItem(-1) },
    { keys: ["PageDown"], caps: ["PgUp", "PgDn"], label: keys.beat, run: () => (beats ? player.goBeat(1) : player.goItem(1)) },
    { keys: ["PageUp"], run: () => (beats ? player.goBeat(-1) : player.goItem(-1)) },
    { keys: [" "], caps: ["Space"], label: keys.play, run: () => player.transport.toggle() },
    { keys: ["Home"], caps: ["Home"], label: keys.home, run: () => player.go(0) },
    { keys: ["End"], caps: ["End"], label: keys.end, run: () => player.go(player.last) },
    { keys: ["f"], caps: ["F"], label: keys.next_firing, run: () => player.goMark(["fired", "update"]) },
    { keys: ["l"], caps: ["L"], label: keys.late, run: () => player.goMark(["late", "dropped", "side"]) },
    { keys: ["s"], caps: ["S"], label: keys.text, run: drawer("text") },
    { keys: ["t"], caps: ["T"], label: keys.table, run: drawer("table") },
    { keys: ["h"], caps: ["H"], label: keys.help, run: drawer("help") },
    { keys: ["Escape"], caps: ["Esc"], label: keys.close, run: () => player.drawers.open && player.drawers.toggle(null) },
  ];
}

/** Listens while the player is mounted; returns what ends it. */
export function listen(player) {
  const table = new Map(player.commands.flatMap((command) => command.keys.map((key) => [key, command])));
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.composedPath()[0];
    const inRange = target.type === "range";
    if (target.isContentEditable || (TYPING.test(target.tagName) && !inRange)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const command = table.get(event.shiftKey && name.startsWith("Arrow") ? `Shift ${name}` : name);
    if (!command) return;
    // Space on a focused button is that button's own.
    if (name === " " && target.tagName === "BUTTON") return;
    event.preventDefault();
    command.run();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
