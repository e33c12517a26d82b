// Round numbers of milliseconds, at which a dragged record stops.
const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** The smallest round number of ms that is at least `ms`. */
export function roundUp(ms: number) {
  for (let power = 1; power < 1e15; power *= 1000) for (const each of NICE) if (each * power >= ms) return each * power;
  return 1e15;
}
