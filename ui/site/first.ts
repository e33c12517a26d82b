// Which scenario is shown to a visitor whose address names none: as `first` of ui/pages/opening/address.py.
import type { Manifest } from "./types.ts";

/** The cookie with the scenario at which a visitor was last (ui/player/frame/place.ts). */
export const PLACE_COOKIE = "tidemark_place";

/**
 * @param place where the visitor was last; null for somebody who has never been here
 * @param visit whether the address asks for the first visit
 */
export function firstScenario(
  { scenes, scenarios, opens_with: opensWith }: Manifest,
  place: string | null,
  visit: boolean,
) {
  if (scenes.length && (place === null || visit)) return place !== null && scenes.includes(place) ? place : scenes[0];
  return place !== null && Object.hasOwn(scenarios, place) ? place : opensWith;
}

/** Whether `text` is the number of a step of a run that has so many: as `is_step` of ui/pages/opening/address.py. */
export function isStep(text: string, steps: number) {
  return /^\d{1,9}$/.test(text) && Number(text) < steps;
}
