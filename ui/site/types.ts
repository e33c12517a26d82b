// What ui/site/build.py writes for the pages of a site, and what their files hand to one another.
import type { LectureOrder } from "../player/types/lecture.ts";
import type { Mounting } from "../player/types/player.ts";
import type { LossTexts } from "../pages/language.ts";
import type { Doors } from "../pages/doors.ts";
import type { ControlNames } from "../pages/names.ts";
import type { SiteWords } from "#types/words";

/** What each page holds: where everything else is. Paths are relative to the root of the site. */
export interface Manifest {
  logo: string;
  /** Styles with the fonts inside, for pictures and offline pages. */
  fonts: string;
  /** Style and script of a lesson to take away. */
  lesson: string;
  scripts: { [component: string]: string };
  /** The styles of each component that fills a page, in their order. Several components share some of them. */
  styles: { [component: string]: string[] | undefined };
  languages: SiteLanguage[];
  /** Which texts are language tags (simulator/words/tags.py). */
  tags: { pattern: string; longest: number };
  /** The cookie with the language, and the parameter of an address. */
  cookie: string;
  link: string;
  parts: { [language: string]: { [part in Part]: string } };
  scenarios: { [name: string]: ScenarioFiles | undefined };
  /** The scenes of the first visit by name. */
  scenes: string[];
  /** What somebody sees who has been here before, at no particular place. */
  opens_with: string;
  /** the scenarios of a course: they are not among the files of the project */
  own: string[];
  /** Null for a site that was made without Python: it shows, and computes nothing. */
  engine: EngineFiles | null;
  /** The module that draws the curves of a sweep. */
  vega: string;
  /** Another one whenever a shared file is: it is part of the name of the page's lock (ui/site/kept.ts). */
  version: string;
}

export type Part = "common" | "library" | "symptoms" | "lectures" | "kit";

/** A language: its code here, its name in its own words, and its tag in HTML. */
export interface SiteLanguage {
  language: string;
  name: string;
  tag: string;
}

/** The language of the interface, and the tag of the one that the reader has the texts of scenarios in. */
export interface Reading {
  language: string;
  texts: string;
}

/** The number of steps of a scenario, and its file in each language: the interface's, and others of its texts. */
export interface ScenarioFiles {
  steps: number;
  [language: string]: string | number;
}

/** The part "common": what all payloads share, and what stands around the pages. */
export interface Common {
  payload: object;
  site: SiteFrame;
}

export interface SiteFrame {
  name: string;
  /** What the tab of a page is called. */
  title: string;
  /** The label of the switch between languages. */
  languages: string;
  controls: ControlNames;
  losses: LossTexts;
  doors: Doors;
  /** The names of all pages. */
  names: { [page: string]: string };
  words: SiteWords;
}

/** The part "lectures": the orders of all lectures and lessons, by their id. */
export interface Lectures {
  [id: string]: LectureOrder | undefined;
}

/** The default export of a component's script. */
export type Mount = (mounting: Mounting<any>) => (() => void) | undefined | void;

/** What answers a component, by the name under which it speaks. */
export interface Hearing {
  [name: string]: (value: any) => void;
}

/** Where Python for the browser is: the worker, Pyodide's entry and folder, and the code that it unpacks. */
export interface EngineFiles {
  worker: string;
  glue: string;
  folder: string;
  /** Python's own library, and what the pages need of it (ui/site/code.py). */
  library: string;
  code: string;
  /** All files that Python is made of, and how many bytes a server sends of each that compresses them. */
  sizes: { [path: string]: number };
}

/** The first message to the worker; the addresses are absolute. `token` is one that is never revoked. */
export type Started = Omit<EngineFiles, "worker" | "sizes"> & { token: string };

/** A question to the worker: `text` is JSON for `answered` of ui/site/engine.py; revoking `token` takes it back. */
export interface Asked {
  number: number;
  text: string;
  token: string;
}

/**
 * What the worker says: to a question; that a file of Python has arrived from this address; or that it holds the lock
 * of this name for as long as it lives.
 */
export type WorkerSays =
  | { arrived: string }
  | { lives: string }
  | { number: number; bytes: Uint8Array<ArrayBuffer> }
  | { number: number; failed: string }
  | { number: number; stopped: true };

/** `answered` of ui/site/engine.py as Pyodide hands it over. */
export type Answering = (text: string) => { toJs: () => Uint8Array<ArrayBuffer>; destroy: () => void };

/** An answer of ui/site/engine.py: `said` depends on what was asked, and has a `problem` where it cannot be done. */
export interface Answered {
  said: { [part: string]: any };
  body: Uint8Array<ArrayBuffer>;
}

declare global {
  /** The simulator, for scripts on a page of the site; pages beside it import tidemark.js. */
  var tidemark: { run: (text: string, options?: { file?: string; language?: string }) => Promise<string> } | undefined;
}

/** What becomes of the files of a folder, by their paths: their new contents in base64; null removes a file. */
export interface FolderChanges {
  [path: string]: string | null;
}

/** What the service worker keeps: pages by their addresses, files at once, and files at leisure. */
export interface KeptFiles {
  /** Another one for each version of the site. */
  version: string;
  /** The `version` in the manifest of its pages. */
  made: string;
  pages: string[];
  first: string[];
  later: string[];
  /** Where the files lie. */
  folder: string;
}
