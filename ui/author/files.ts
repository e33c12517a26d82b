// Files of the folder: what a command says of one, and what somebody else has saved in it.

/** The scenario's file afterwards ("" if there is none), and what lies in the trash. */
export interface Filed {
  file: string;
  digest: string;
  deleted: Deleted[];
}

/** A file in the trash: `deleted` of ui/author/moves.py. */
export interface Deleted {
  id: string;
  name: string;
  /** ms since 1970 */
  when: number;
}

/** What somebody else saved in the same file. */
export interface Theirs {
  /** null if they have deleted it */
  digest: string | null;
  text: string;
  blocks: Block[];
}

/** Lines of both texts: `blocks` of ui/author/store.py. */
export interface Block {
  same: boolean;
  /** what both began with; null where that is unknown */
  base: string[] | null;
  mine: string[];
  theirs: string[];
  /** the only side that changed it; "" where both did */
  taken: "mine" | "theirs" | "";
}
