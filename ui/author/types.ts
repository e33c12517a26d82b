// What the Author page and its server (ui/author/desk.py) say to each other, and the shapes that its files share.
import type { ItemNumber, StepNumber, Time } from "#types/payload";
import type { PackedTable, PlanePayload } from "../player/types/player.ts";
import type { Difference } from "../player/base/difference.ts";
import type { Programs } from "../player/types/share.ts";
import type { AuthorWords, PlayerWords } from "#types/words";
import type { TableChoice, TableLook, TableMenu, TableReading, TableRecord } from "./tables.ts";
import type { Anchor, BeatChoice, Check, DraftRecord, DraftStep, FormGroup, SentFacts, StoryTexts } from "./draft.ts";
import type { Filed, Theirs } from "./files.ts";

export type * from "./draft.ts";
export type * from "./files.ts";
export type * from "./tables.ts";

/** A value and its label. */
export type Choice = [value: string, label: string];

// --- the first message: `first` of ui/author/desk.py -----------------------------------------------------------------

export interface First {
  kind: "first";
  start: Start | null;
  words: AuthorWords;
  player: PlayerWords;
  templates: { name: string; title: string; about: string }[];
  library: { name: string; title: string }[];
  /** whether a folder was given to save in */
  saving: boolean;
  /** why nothing can be saved, where that is so */
  no_folder: string;
  /** the largest file (bytes) that can be opened */
  most_bytes: number;
  /** shown until something is typed */
  sql_example: string;
  /** of the wizard for tables: the most bytes and rows of a piece, the most records, and the menus */
  wizard: { piece: number; rows: number; most: number } & { [Menu in TableMenu]: Choice[] };
}

/** What the address names: `_start` of ui/pages/author.py. */
export interface Start {
  /** `scenario:NAME`, `file:NAME`, `s:TEXT` or `own:DIGEST`; "" for none */
  origin: string;
  text: string | null;
  file?: SavedFile;
  /** why it cannot be opened */
  problem?: string;
  /** whether a new draft is asked for */
  fresh?: boolean;
}

/** A file of the folder; `digest` is that of the text that the author began with. */
export interface SavedFile {
  name: string;
  digest: string;
}

// --- questions -------------------------------------------------------------------------------------------------------

/** A question about `text`. `before`: the text whose run is compared with the new one. */
export type Question = ShowQuestion | HintsQuestion | CommandQuestion;

export interface ShowQuestion {
  text: string;
  before: string | null;
  edit?: Edit;
  /** nobody will look at what the edit leads to, because the next edit waits */
  only_text?: boolean;
}

export interface HintsQuestion {
  text: string;
  hints: true;
}

export interface CommandQuestion {
  text: string;
  command: Command;
  before?: string;
}

/** An edit that the server makes: `Editor` of ui/author/edits.py. */
export type Edit =
  | { kind: "cell"; item: ItemNumber; column: string; typed: string }
  | { kind: "add"; after: ItemNumber; what: string }
  | { kind: "remove"; item: ItemNumber }
  | { kind: "paste"; after: ItemNumber; column: string; text: string }
  | { kind: "move"; item: ItemNumber; to: ItemNumber }
  | PlaceEdit
  | { kind: "list" }
  | { kind: "control"; name: string; value: string }
  | { kind: "member"; name: string; value: string }
  | { kind: "name"; value: string }
  | { kind: "texts"; texts: { title: string } | StoryTexts }
  | { kind: "translate"; path: (string | number)[]; language: string; text: string }
  | { kind: "still_right"; path: (string | number)[]; language: string }
  | { kind: "unlanguage"; language: string }
  | { kind: "goal"; what: string; how: string; number: number }
  | { kind: "freeze" }
  | { kind: "drop"; list: "goals" | "walkthrough"; number: number }
  | {
      kind: "beat";
      number: number | null;
      step: StepNumber | null;
      move?: boolean;
      anchor?: Anchor;
      fields: BeatFields;
    };

/** A record gets another timestamp, another arrival, or another place in the stream. */
export interface PlaceEdit {
  kind: "place";
  item: ItemNumber;
  ts?: Time;
  at?: Time;
  to?: ItemNumber;
}

/** The fields of a beat by its kind. */
export type BeatFields = { note: string } & (
  | { say: string }
  | { ask: string; choices: BeatChoice[]; answer: number | null; because: string }
  | { predict: string | null; way: string }
);

/** What each command needs: `_command` of ui/author/desk.py. */
export interface Commands {
  template: { template: string };
  fork: { scenario: string };
  upload: { file: string; content: string };
  sql: { sql: string; records: { file: string; content: string }[] };
  open: { file: string };
  look: { content: string; given: Partial<TableChoice>; whole: boolean; replace: boolean; new: boolean };
  sift: {
    content: string;
    choice: TableChoice;
    /** the first line of this piece, from 1; then what the pieces before it gave */
    line: number;
    matched: number;
    taken: number;
    size: number;
    replace: boolean;
    new: boolean;
  };
  records: { content: string; choice: TableChoice; kept: boolean; replace: boolean; new: boolean };
  names: {};
  programs: {};
  matters: { before: string };
  /** `base`: the text that was opened or saved last, null where there is none */
  save: { file: string; expected: string | null; base: string | null };
  rename: { file: string; to: string };
  duplicate: { file: string; to: string };
  delete: { file: string; to: string };
  restore: { file: string; to: string };
  trash: { file: string; to: string };
  link: { for: "preview" | "copy" };
}

/** What can be done with files: `filed` of ui/author/moves.py. */
export type FiledName = "rename" | "duplicate" | "delete" | "restore" | "trash";

export type CommandName = keyof Commands;

export type Command<Name extends CommandName = CommandName> = { [Each in Name]: { name: Each } & Commands[Each] }[Name];

/** The commands that make a new draft. */
export type NewDraftName = "template" | "fork" | "upload" | "open" | "sql";

// --- replies ---------------------------------------------------------------------------------------------------------

/** The draft after a question; without facts where it does not run: `_shown` of ui/author/desk.py. */
export type ShownReply = SoundReply | UnsoundReply;

interface AnyReply {
  kind: "reply";
  /** that of the question */
  number: number;
  /** every text of the packed tables */
  strings: string[];
}

/** What the answer to an edit says of the edit itself. */
interface MadeReply extends AnyReply {
  /** why the edit was refused; "" where it was not */
  refused: string;
  /** the record to choose after the edit: -1 for none, null for the same one */
  chosen: ItemNumber | null;
  text: string;
  /** what the edit changed besides; "" for nothing */
  said: string;
}

/** The answer to an edit of which only the text was asked for. */
export interface TextReply extends MadeReply {
  only_text: true;
}

interface DraftReply extends MadeReply {
  only_text?: undefined;
  problems: Problem[];
  /** none for a text that cannot be read */
  form: FormGroup[];
}

export interface SoundReply extends DraftReply {
  sound: true;
  facts: SentFacts;
  sources: PlanePayload["sources"];
  tables: { steps: DraftStep[] | PackedTable };
}

export interface UnsoundReply extends DraftReply {
  sound: false;
}

export interface HintsReply extends AnyReply {
  hints: Check[];
}

/** The result of a command, or what speaks against it; with a draft where the command makes one. */
export type CommandReply = AnyReply & {
  told: { problem: string; place?: [number, number] } | Results[CommandName];
} & Partial<ShownReply>;

export type Reply = ShownReply | TextReply | HintsReply | CommandReply;

export type ReplyTo<Asked extends Question> = Asked extends HintsQuestion
  ? HintsReply
  : Asked extends CommandQuestion
    ? CommandReply
    : ShownReply | TextReply;

/** What each command returns beside a draft. */
export interface Results {
  template: NewDraft;
  fork: NewDraft;
  upload: NewDraft;
  sql: NewDraft;
  open: NewDraft;
  look: { look: TableLook };
  sift: { kept: string[]; preview: TableRecord[]; reading: TableReading };
  records: { added: number; left_out: number; notes: string[] };
  names: { names: string[] };
  programs: Programs;
  matters: { found: Difference };
  save: { saved: true; file: string; digest: string; conflict?: undefined } | { conflict: Theirs; file: string };
  rename: Filed;
  duplicate: Filed;
  delete: Filed;
  restore: Filed;
  trash: Filed;
  link: SharedDraft;
}

/** What opens the draft, and the text that it opens: `address_of` of ui/author/desk.py. */
export interface SharedDraft {
  address: [name: string, value: string];
  for: string;
  /** the numbers of the beats that are left out of it, because the run contradicts them */
  lost: number[];
  carried: string;
}

/** `file` and `digest` where the draft is a file of the folder. */
export interface NewDraft {
  file?: string;
  digest?: string;
  /** of a template: with the texts of every language */
  whole?: string;
  /** of a template: the languages whose texts are not in the draft */
  left_out?: string[];
}

/** A successful command: its result, `of`: the text that was sent, and the draft where the command makes one. */
export type Done<Name extends CommandName> = { told: Results[Name]; of: string } & (Name extends
  NewDraftName | "records"
  ? ShownReply
  : {});

/** What is wrong with the text: `problems_as_json` of ui/author/contents.py. */
export interface Problem {
  /** from 1 */
  line: number | null;
  /** from 1 */
  column: number | null;
  text: string;
  warning: boolean;
  fix: Fix | null;
}

/** What to write instead of what was found at a place; `found` is "" where something is missing. */
export interface Fix {
  line: number;
  column: number;
  found: string;
  write: string;
}

// --- what the page's files share -------------------------------------------------------------------------------------

/** Row and column of a cell in the table of the stream. */
export type Cell = [row: number, column: number];

/** A place in the data of the plane: the time (ms) and the arrival. */
export type Place = [x: number, y: number];

/** Both axes: their ends in the data, their lengths (px), and whether arrival counts items instead of ms. */
export interface MoveAxes {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  width: number;
  height: number;
  byItem: boolean;
}

/** A record on its way from one place of the plane to another. */
export interface Move {
  item: ItemNumber;
  record: DraftRecord;
  /** of the picture in which the move began */
  axes: MoveAxes;
  from: Place;
  to: Place;
}

/** A part of a card with tabs. */
export interface TabPart {
  name: string;
  title: string;
  node: HTMLElement;
  note?: () => string;
}

/** What a browser keeps of a draft (history.ts). */
export interface KeptDraft {
  /** names it among the drafts of this browser, and in the address */
  id?: string;
  /** what the draft began as, as in `Start` */
  origin?: string;
  texts: string[];
  /** which of the texts is the draft now */
  place?: number;
  file?: SavedFile | null;
  /** the text that lies in the folder */
  saved?: string | null;
  /** the time of the last edit (epoch ms), null where there was none */
  at?: number | null;
  /** the time when it was begun (epoch ms) */
  made?: number;
  /** what is being typed, by the field or form it is in */
  half?: { [name: string]: unknown };
  /** edits that were asked for and not answered */
  pending?: Edit[];
  /** how often it was stored */
  turn?: number;
}

/** A text of a history as it is stored: whole, or what stays of the one before at both ends, and what is between. */
export type PackedText = string | [head: number, tail: number, middle: string];

export interface StoredDraft extends Omit<KeptDraft, "texts" | "turn"> {
  texts: PackedText[];
  turn: number;
  /** the page that stored it last */
  by: string;
}

/** A draft in the list of all. */
export interface ListedDraft {
  id: string;
  origin: string;
  text: string;
  at: number | null;
  made: number;
}
