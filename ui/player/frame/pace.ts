// How long playing stays at a step: as long as it takes to read its sentences, and to look at the picture.

const LOOK_TIME = 0.9; // s
const READ_LETTERS = 24; // a second
// A Chinese character says as much as some letters, and takes as long.
const CHARACTER_LETTERS = 2.6; // letters

function lettersToRead(text: string) {
  let count = 0;
  for (const each of text) count += each >= "\u2e80" ? CHARACTER_LETTERS : 1;
  return count;
}

/** Seconds at ordinary speed. The reason is half read: much of it is the same from step to step. */
export function readingTime({ what, why }: { what: string; why: string }) {
  return LOOK_TIME + (lettersToRead(what) + lettersToRead(why) / 2) / READ_LETTERS;
}
