// What components of one page share through `globalThis`.
import type { LectureOrder } from "./lecture.ts";
import type { Held, OpenedPlace } from "./player.ts";
import type { Desk } from "./share.ts";
import type { Player } from "../player.ts";

/** Vega, unpacked by its own component (ui/payload/charts/mounting.py). */
export interface SharedVega {
  promise?: Promise<any>;
  resolve?: (vega: any) => void;
  started?: boolean;
}

/** Sent as `tidemark:leaving` before a link of the navigation is followed (ui/pages/place.ts). */
export interface Leaving {
  /** Whoever has something open that no address names says what: its name and value in an address, null for nothing. */
  waits: Promise<[name: string, value: string] | null>[];
}

/** The player that a page has opened before Streamlit (ui/player/opening.ts). */
export interface Opening {
  bytes: Uint8Array<ArrayBuffer>;
  /** Moves it below `parent`; null if it was not drawn yet. From now on `open` hears what the reader opens. */
  take: (parent: HTMLElement, open: (place: OpenedPlace) => void) => { host: HTMLDivElement; player: Player } | null;
  close: () => void;
}

declare global {
  var tidemarkDesk: Desk | undefined;
  /** Set by ui/pages/walkthrough.py. */
  var tidemarkLecture: LectureOrder | null | undefined;
  /** On a page without a server: the folder that the reader has picked ("" for none); null where no browser can. */
  var tidemarkFolder: { name: string; choose: () => Promise<boolean> } | null | undefined;
  /** Set by ui/pages/place.ts for itself: a page brings it with its header, and Streamlit mounts it again. */
  var tidemarkCarrying: { open: (to: string) => void } | undefined;
  /** Set by ui/pages/place.ts once an address of the app opens without a load, as a link of the navigation does. */
  var tidemarkPlaces: { open: (to: string) => void } | undefined;
  /** What the browser has not kept: "full", "forbidden", or the names of what was damaged (base/kept.ts). */
  var tidemarkLost: string[] | undefined;
  var tidemarkVega: SharedVega | undefined;
  var tidemarkOpening: Opening | undefined;
  /** What the pointer holds in a picture, while one player takes the place of another. */
  var tidemarkHeld: Held | null | undefined;
}
