// A list to choose from. With the keys its value changes at every step and letter on the way to what is wanted; only
// where one stops, or leaves the list, something is chosen.

const STOP_MS = 700;
const STEPS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"];

/** Calls `act` with the value that was chosen. With the mouse that is at once. */
export function onChosen(list: HTMLSelectElement, act: (value: string) => void) {
  let keyed = false;
  let stopping: number | undefined;
  const done = () => {
    if (stopping === undefined) return;
    clearTimeout(stopping);
    stopping = undefined;
    act(list.value);
  };
  list.addEventListener("keydown", ({ key }) => {
    keyed = key.length === 1 || STEPS.includes(key);
    if (key === "Enter") done();
  });
  list.addEventListener("pointerdown", () => (keyed = false));
  list.addEventListener("change", () => {
    clearTimeout(stopping);
    stopping = setTimeout(done, keyed ? STOP_MS : 0);
    if (!keyed) done();
  });
  list.addEventListener("blur", done);
}
