// The answers of a class that did not choose, as a cloud: dots on a number line, on the places of a record, on windows.
import { el, fill, svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import type { Given, Room } from "../types/lecture.ts";
import type { PlayerWords } from "#types/words";

const CLOUD_WIDE = 1000;
const CLOUD_HIGH = 190;
/** Beside the answer there is less room: a lower picture keeps its text as large. */
const CLOUD_LOW = 110;
const CLOUD_FOOT = 44;
const CLOUD_SIDE = 60;
const LARGEST_DOT = 9;
const CLOUD_LANE = 40;
const CLOUD_LANE_LOW = 30;
const CLOUD_NAMES = 260;
/** Labels closer than this (in the picture's own units) would touch. */
const CLOUD_LABEL = 110;

/** the answers of each vote at one place */
type Pile = { at: number; label: string; counts: number[] };

/**
 * The picture: the last vote as full dots; of two votes the first one as rings.
 * @param tells whether the right answer is marked
 */
export function cloud(room: Room, words: PlayerWords["poll"], tells: boolean) {
  const votes = tells ? room.given : room.given.slice(0, 1);
  const sums = (tells ? room.votes : room.votes.slice(0, 1)).map((each) => each.reduce((sum, count) => sum + count, 0));
  return fill(
    el("div", "tm-poll-cloud", null, { role: "img", "aria-label": spokenCloud(room, votes, words) }),
    room.way.name === "tap" ? windowLanes(room, votes, tells, words) : numberLine(room, votes, tells, sums),
  );
}

/** An answer in words. */
function givenText({ way }: Room, given: Given, words: PlayerWords["poll"]) {
  if (Array.isArray(given)) {
    return way.name === "tap" ? given.map((each) => way.windows[each].text).join(" · ") || words.none_tapped : "";
  }
  return placeText(way, given);
}

export function placeText(way: Room["way"], given: number) {
  if (way.name === "drag") return way.places[given];
  return way.name === "enter" && way.scale > 1 ? (given / way.scale).toFixed(3) : String(given);
}

function spokenCloud(room: Room, votes: Room["given"], words: PlayerWords["poll"]) {
  const last = votes[votes.length - 1] ?? [];
  return last
    .map(([given, count]) => say("{what}: {count}", { what: givenText(room, given, words), count }))
    .join(", ");
}

function numberLine(room: Room, votes: Room["given"], tells: boolean, sums: number[]) {
  const piles: Map<number, Pile> = new Map();
  const pile = (at: number) => {
    if (!piles.has(at)) piles.set(at, { at, label: placeText(room.way, at), counts: votes.map(() => 0) });
    return piles.get(at) as Pile;
  };
  votes.forEach((answers, vote) => {
    for (const [given, count] of answers) if (!Array.isArray(given)) pile(given).counts[vote] += count;
  });
  const right = tells && !Array.isArray(room.right) ? room.right : null;
  if (right !== null) pile(right);
  if (room.way.name === "drag") pile(room.way.origin);
  const sorted = [...piles.values()].sort((one, other) => one.at - other.at);
  const [low, high] = axisEnds(sorted);
  const x = (at: number) =>
    CLOUD_SIDE + ((CLOUD_WIDE - 2 * CLOUD_SIDE) * (within(at, low, high) - low)) / (high - low || 1);
  const most = Math.max(1, ...sorted.flatMap((each) => each.counts));
  const tall = tells ? CLOUD_LOW : CLOUD_HIGH;
  const ground = tall - CLOUD_FOOT;
  const radius = Math.max(3, Math.min(LARGEST_DOT, (ground - 20) / (2 * most)));
  const column = Math.max(1, Math.floor((ground - 8) / (2 * radius)));
  const node = svg("svg", { viewBox: `0 0 ${CLOUD_WIDE} ${tall}` });
  node.append(
    svg("line", {
      class: "tm-cloud-axis",
      x1: CLOUD_SIDE / 2,
      x2: CLOUD_WIDE - CLOUD_SIDE / 2,
      y1: ground,
      y2: ground,
    }),
  );
  if (right !== null) {
    node.append(svg("line", { class: "tm-cloud-right", x1: x(right), x2: x(right), y1: 4, y2: ground + 10 }));
  }
  let free = -Infinity;
  for (const each of [...sorted].sort((one, other) => weightOf(other, right) - weightOf(one, right))) {
    each.counts.forEach((count, vote) => {
      const older = vote < sums.length - 1;
      const beside = votes.length > 1 ? (vote ? radius : -radius) : 0;
      for (let dot = 0; dot < count; dot += 1) {
        // A pile that is too high goes on beside itself, away from the other vote's.
        const aside = 2 * radius * Math.floor(dot / column) * (beside < 0 ? -1 : 1);
        const up = ground - 4 - radius * (2 * (dot % column) + 1);
        node.append(dotAt(x(each.at) + beside + aside, up, radius, older));
      }
    });
  }
  for (const each of sorted) {
    const at = x(each.at);
    const isRight = each.at === right;
    if (at - free < CLOUD_LABEL && !isRight) continue;
    const text = svg("text", {
      class: isRight ? "tm-cloud-label tm-is-right" : "tm-cloud-label",
      x: at,
      y: ground + 32,
    });
    text.textContent = each.label;
    node.append(text);
    free = at;
  }
  return node;
}

/** The ends of the axis. Far numbers stand at its ends, so that the others do not fall on one spot. */
function axisEnds(sorted: Pile[]) {
  const places = sorted.flatMap(({ at, counts }) => Array(1 + counts.reduce((sum, each) => sum + each, 0)).fill(at));
  const at = (part: number) => places[Math.round((places.length - 1) * part)] ?? 0;
  const wide = (at(0.9) - at(0.1)) * 1.5 || Infinity;
  return [Math.max(places[0] ?? 0, at(0.1) - wide), Math.min(places[places.length - 1] ?? 0, at(0.9) + wide)];
}

function within(at: number, low: number, high: number) {
  return Math.min(high, Math.max(low, at));
}

/** What is labelled first: the right place, then the fullest. */
function weightOf({ at, counts }: Pile, right: number | null) {
  return at === right ? Infinity : counts.reduce((sum, each) => sum + each, 0);
}

/** @param older of the first of two votes */
function dotAt(cx: number, cy: number, r: number, older: boolean) {
  return svg("circle", { class: older ? "tm-cloud-dot tm-is-older" : "tm-cloud-dot", cx, cy, r: Math.max(1.5, r - 1) });
}

/** A lane for each window with a dot for each tap. */
function windowLanes({ way, right }: Room, votes: Room["given"], tells: boolean, words: PlayerWords["poll"]) {
  const windows = way.name === "tap" ? way.windows : [];
  const names = [...windows.map((each) => each.text), words.none_tapped];
  const taps = names.map(() => votes.map(() => 0));
  votes.forEach((answers, vote) => {
    for (const [given, count] of answers) {
      const tapped = Array.isArray(given) ? given : [];
      for (const lane of tapped.length ? tapped : [windows.length]) taps[lane][vote] += count;
    }
  });
  const fires = !tells || !Array.isArray(right) ? null : right.length ? right : [windows.length];
  const most = Math.max(1, ...taps.flat());
  const high = tells ? CLOUD_LANE_LOW : CLOUD_LANE;
  const largest = votes.length > 1 ? high / 4 : LARGEST_DOT;
  const radius = Math.min(largest, (CLOUD_WIDE - CLOUD_NAMES - CLOUD_SIDE) / (2 * most));
  // Beside the answer only those lanes are of interest that somebody tapped, and those that fire.
  const lanes = [...names.keys()].filter((lane) => !tells || fires?.includes(lane) || taps[lane].some((each) => each));
  const node = svg("svg", { viewBox: `0 0 ${CLOUD_WIDE} ${high * lanes.length}` });
  lanes.forEach((lane, place) => {
    const name = names[lane];
    const middle = high * (place + 0.5);
    const isRight = fires?.includes(lane) ?? false;
    if (isRight) {
      node.append(
        svg("rect", {
          class: "tm-cloud-fires",
          x: 0,
          y: middle - high / 2,
          width: CLOUD_WIDE,
          height: high,
        }),
      );
    }
    const text = svg("text", { class: isRight ? "tm-cloud-lane tm-is-right" : "tm-cloud-lane", x: 10, y: middle + 7 });
    text.textContent = name;
    node.append(
      text,
      svg("line", {
        class: "tm-cloud-axis",
        x1: CLOUD_NAMES,
        x2: CLOUD_WIDE,
        y1: middle + high / 2,
        y2: middle + high / 2,
      }),
    );
    taps[lane].forEach((count, vote) => {
      const older = vote < votes.length - 1;
      const row = votes.length > 1 ? middle + (vote ? high : -high) / 4 : middle;
      for (let dot = 0; dot < count; dot += 1) {
        node.append(dotAt(CLOUD_NAMES + radius * (2 * dot + 1), row, radius, older));
      }
    });
  });
  return node;
}
