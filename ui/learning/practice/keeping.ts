// What this browser keeps of practice: the level, and a card for each kind and misconception in one of five boxes.
import { isTable, isWhole, readKept, soundList, writeKept } from "../../player/base/kept.ts";
import type { Answer, Card, Kept, Named, Verdict } from "./types.ts";

const KEPT_PRACTICE = "tidemark.practice";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long (ms) a card rests in each box. */
export const RESTS = [2 * MINUTE_MS, 15 * MINUTE_MS, DAY_MS, 4 * DAY_MS, 14 * DAY_MS];

/** Where a card begins that was right at once. */
export const KNOWN_BOX = 3;

/** More levels than practice will ever have. */
const MOST_LEVELS = 99;

/** So many right answers in a row lead to the next level. */
const STREAK = 2;

export function nothingPractised(seed = 0): Kept {
  return { level: 1, passed: [], streak: 0, seed, cards: [], open: null };
}

/**
 * What is kept, as far as it makes sense.
 * @param seed where a browser begins that has kept nothing
 * @returns null where nothing does
 */
export function practiceFrom(read: any, levels: number, seed: number): Kept | null {
  const kept = nothingPractised(seed);
  if (!isTable(read)) return null;
  if (isWhole(read.level, 1, levels)) kept.level = read.level;
  kept.passed = soundList(read.passed ?? [], (each) => isWhole(each, 1, levels)) ?? [];
  if (isWhole(read.streak, 0, STREAK)) kept.streak = read.streak;
  if (isWhole(read.seed)) kept.seed = read.seed;
  kept.cards = soundList(read.cards ?? [], (each) => isCard(each, levels)) ?? [];
  if (isOpen(read.open, levels)) kept.open = { answer: null, ...read.open };
  return kept;
}

function isOpen(read: any, levels: number) {
  const named = isWhole(read?.seed) && isWhole(read.level, 1, levels);
  const texts = typeof read?.kind === "string" && typeof read.about === "string";
  const { answer } = read ?? {};
  return (
    named &&
    texts &&
    ((answer ?? null) === null || isWhole(answer) || (Array.isArray(answer) && answer.every((each) => isWhole(each))))
  );
}

function isCard(card: any, levels: number) {
  const texts = typeof card?.kind === "string" && typeof card.about === "string";
  return texts && isWhole(card.box, 1, RESTS.length) && isWhole(card.level, 1, levels) && Number.isFinite(card.due);
}

/** @param seed where a browser begins that has kept nothing */
export function keptPractice(
  levels: number,
  mostSeed: number,
  seed: number = crypto.getRandomValues(new Uint32Array(1))[0] % mostSeed,
) {
  return readKept(KEPT_PRACTICE, (read) => practiceFrom(read, levels, seed)) ?? nothingPractised(seed);
}

/** The levels at which enough answers in a row were right: what the path of the library calls checkpoints. */
export function passedLevels() {
  return keptPractice(MOST_LEVELS, 1).passed;
}

/** From now on exercises are of `level`: somebody asks for it. */
export function askLevel(kept: Kept, level: number) {
  if (kept.level === level) return;
  kept.level = level;
  kept.streak = 0;
}

/** The open exercise is also kept at this place of the browser's history: Back and Forward show it as it was left. */
export function keepPractice(kept: Kept) {
  writeKept(KEPT_PRACTICE, kept);
  window.history.replaceState({ ...window.history.state, [KEPT_PRACTICE]: kept.open }, "");
}

/** The exercise that was open at this place of the browser's history; null for none. */
export function practisedHere(levels: number): Kept["open"] {
  const open = window.history.state?.[KEPT_PRACTICE];
  return isOpen(open, levels) ? open : null;
}

/** Calls `heard` whenever another tab of this browser keeps something else. Returns what ends it. */
export function hearOtherTabs(heard: () => void) {
  const listener = ({ key }: StorageEvent) => {
    if (key === KEPT_PRACTICE || key === null) heard();
  };
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/**
 * The cards that are due, the one that has waited longest first.
 * @param now (ms)
 */
export function dueCards({ cards }: Kept, now: number) {
  return cards.filter((card) => card.due <= now).sort((one, other) => one.due - other.due);
}

/**
 * The next exercise: what is due, or else a new one of the level.
 * @param now (ms)
 */
export function nextExercise(kept: Kept, now: number, mostSeed: number): Named {
  kept.seed = (kept.seed + 1) % mostSeed;
  const [card] = dueCards(kept, now);
  if (card) return { seed: kept.seed, level: card.level, kind: card.kind, about: card.about, again: true };
  return { seed: kept.seed, level: kept.level, kind: "", about: "" };
}

/**
 * Takes in a verdict: moves the card, and the level.
 * @param named the exercise, with its kind
 * @param now (ms)
 */
export function takeVerdict(
  kept: Kept,
  named: Named,
  answer: Answer,
  { right, about }: Verdict,
  now: number,
  levels: number,
) {
  kept.open = { ...named, answer };
  if (named.again) moveCard(kept, named, named.about, right, now);
  if (!named.again || (!right && about !== named.about)) moveCard(kept, named, about, right, now);
  if (named.level !== kept.level || (named.again && right)) return;
  kept.streak = right ? kept.streak + 1 : 0;
  if (!right) kept.level = Math.max(kept.level - 1, 1);
  else if (kept.streak >= STREAK) {
    kept.streak = 0;
    if (!kept.passed.includes(kept.level)) kept.passed.push(kept.level);
    kept.level = Math.min(kept.level + 1, levels);
  }
}

/**
 * A wrong answer puts its card into the first box. A right one moves it up, but only when it was due: to be asked
 * twice within a minute shows nothing.
 * @param now (ms)
 */
function moveCard(kept: Kept, { kind, level }: Named, about: string, right: boolean, now: number) {
  const known = kept.cards.find((each) => each.kind === kind && each.about === about);
  if (right && known && known.due > now) return;
  const card: Card = known ?? { kind, about, box: KNOWN_BOX - 1, due: now, level };
  card.box = right ? Math.min(card.box + 1, RESTS.length) : 1;
  card.due = now + RESTS[card.box - 1];
  card.level = level;
  if (!known) kept.cards.push(card);
}
