// What components of one page share through `globalThis`.
import type { LectureOrder } from "./lecture.d.ts";
import type { Desk } from "./share.d.ts";

/** Vega, unpacked by its own component (ui/charts/vega.py) or by the exported page. */
export interface SharedVega {
  promise?: Promise<any>;
  resolve?: (vega: any) => void;
  started?: boolean;
  /** As the server sent it; absent from the exported page. */
  packed?: Uint8Array<ArrayBuffer>;
}

declare global {
  var tidemarkDesk: Desk | undefined;
  /** Set by ui/lecture/component.py. */
  var tidemarkLecture: LectureOrder | null | undefined;
  var tidemarkVega: SharedVega | undefined;
}
