// What a reader has answered to an author's questions. It stays with the entry of the browser's history: a reload and
// Back show it again, and whoever opens the scenario anew begins without it.
const KEPT_TRIED = "tidemarkTried";

/**
 * The places of the choices that were tried, in order; [] where nothing is kept, or what is kept does not fit.
 * @param question its scenario and step
 * @param count how many choices it has
 */
export function keptTried(question: string, count: number): number[] {
  const kept = window.history.state?.[KEPT_TRIED]?.[question];
  const fits = Array.isArray(kept) && kept.every((each) => Number.isInteger(each) && each >= 0 && each < count);
  return fits ? kept : [];
}

export function keepTried(question: string, tried: number[]) {
  const state = window.history.state ?? {};
  try {
    window.history.replaceState({ ...state, [KEPT_TRIED]: { ...state[KEPT_TRIED], [question]: tried } }, "");
  } catch {
    // A page opened from a file cannot change its history.
  }
}
