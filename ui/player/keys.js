// The keyboard: one table of what each key does.

const TYPING = /^(INPUT|TEXTAREA|SELECT)$/;

/** What each key does; a Shift in front where it is held. */
function actions(player) {
  const beats = player.payload.beats.some((beat) => beat.step > 0);
  return {
    ArrowRight: () => player.go(player.step + 1),
    ArrowLeft: () => player.go(player.step - 1),
    "Shift ArrowRight": () => player.goItem(1),
    "Shift ArrowLeft": () => player.goItem(-1),
    PageDown: () => (beats ? player.goBeat(1) : player.goItem(1)),
    PageUp: () => (beats ? player.goBeat(-1) : player.goItem(-1)),
    Home: () => player.go(0),
    End: () => player.go(player.last),
    " ": () => player.transport.toggle(),
    f: () => player.goMark(["fired", "update"]),
    l: () => player.goMark(["late", "dropped", "side"]),
    s: () => player.drawers.toggle("text"),
    t: () => player.drawers.toggle("table"),
    h: () => player.drawers.toggle("help"),
    Escape: () => player.drawers.open && player.drawers.toggle(player.drawers.open),
  };
}

/** Listens while the player is mounted; returns what ends it. */
export function listen(player) {
  const table = actions(player);
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.composedPath()[0];
    const inRange = target.type === "range";
    if (target.isContentEditable || (TYPING.test(target.tagName) && !inRange)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = table[event.shiftKey && name.startsWith("Arrow") ? `Shift ${name}` : name];
    if (!action) return;
    // Space on a focused button is that button's own.
    if (name === " " && target.tagName === "BUTTON") return;
    event.preventDefault();
    action();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
