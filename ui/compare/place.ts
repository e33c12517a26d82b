// Where the reader is in a comparison: cursor, view and card, in the address beside what is compared.
import type { Compared, CursorMoment, KeptPlace } from "./types.ts";

const CARDS = ["results", "sweep", "smallest", "fewest"];

/** The place at which side A has come to `step`; null beyond the run. */
export function placeOfStep(cursor: CursorMoment[], step: number) {
  const found = cursor.findIndex((each) => each.steps[0] >= step);
  return found < 0 ? null : found;
}

/** The place of the cursor that an address names by its `moment`, or by a `step` of side A; null for none. */
export function placeIn(search: string, cursor: CursorMoment[]) {
  const query = new URLSearchParams(search);
  const [moment, step] = ["moment", "step"].map((name) => {
    const text = query.get(name);
    return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : null;
  });
  if (moment === null) return step === null ? null : placeOfStep(cursor, step);
  const found = cursor.findIndex((each) => each.moment >= moment);
  return found < 0 ? null : found;
}

/** The view and the card that an address names, otherwise those of `kept`. */
export function viewIn(search: string, kept: KeptPlace): KeptPlace {
  const query = new URLSearchParams(search);
  const tab = CARDS.indexOf(query.get("tab") ?? "");
  return { overlay: kept.overlay ?? query.get("view") === "overlay", tab: kept.tab ?? Math.max(tab, 0) };
}

/**
 * The step of side A for an address: the one that is `given` there while the cursor stays at its moment, otherwise the
 * last one of the moment.
 */
export function stepFor(given: string | null, cursor: CursorMoment[], place: number) {
  return given !== null && placeIn(`?step=${given}`, cursor) === place ? given : String(cursor[place].steps[0]);
}

/**
 * The query of a link to what is shown. A step belongs to side A as its own file runs, so it is left out where a number
 * of that side is changed.
 */
export function searchOf({ data, cursor, place, overlay, kept }: Compared) {
  const { moment } = cursor[place];
  const given = new URLSearchParams(window.location.search).get("step");
  return new URLSearchParams({
    ...data.address,
    moment: String(moment),
    ...(data.fixed ? { step: stepFor(given, cursor, place) } : {}),
    ...(overlay ? { view: "overlay" } : {}),
    ...(kept.tab ? { tab: CARDS[kept.tab] } : {}),
    ...(kept.presented ? { present: "1" } : {}),
  }).toString();
}

/** The whole link. */
export function linkOf(comparison: Compared) {
  const address = new URL(window.location.href);
  address.search = searchOf(comparison);
  return address.href;
}

/** Puts the link into the address. What an address asks for in vain stays there, so that a reload says so again. */
export function write(comparison: Compared) {
  if (comparison.data.refused.length) return;
  const lang = new URLSearchParams(window.location.search).get("lang");
  const search = `${searchOf(comparison)}${lang ? `&${new URLSearchParams({ lang })}` : ""}`;
  window.history.replaceState(window.history.state, "", `${window.location.pathname}?${search}`);
  window.dispatchEvent(new CustomEvent("tidemark:placed"));
}
