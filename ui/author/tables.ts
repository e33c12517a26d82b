// What the wizard for tables and its server (ui/author/importing.py) say to each other.

export type TableMenu = "roles" | "times" | "encodings" | "ways" | "delimiters";

/** How a table is to be read: `Choice` of simulator/scenario/tables/columns.py. */
export interface TableChoice {
  encoding: string;
  form: string;
  delimiter: string;
  header: boolean;
  decimal: string;
  zone: string;
  columns: { name: string; role: string; time: string }[];
  key: string;
  side: string;
  filters: TableFilter[];
  every: number;
  /** 0 for all */
  first: number;
  from_line: number;
  /** 0 for the last */
  to_line: number;
}

/** A condition on a column (from 0); `to` is the upper bound of `between`. */
export interface TableFilter {
  column: number;
  way: string;
  text: string;
  to: string;
}

/** `looked` of ui/author/importing.py. */
export interface TableLook {
  choice: TableChoice;
  /** why no record can be read; "" where they can */
  problem: string;
  encoding_why: string;
  /** `ask`: only the author can know; `suggested`: the format of its times, "" for none */
  columns: {
    name: string;
    role: string;
    time: string;
    guessed: boolean;
    why: string;
    ask: boolean;
    suggested: string;
  }[];
  /** whether its times are instants while those of the draft are seconds: the two do not go together */
  apart: boolean;
  /** what a record of this draft may have */
  roles: string[];
  rows: { line: number; cells: string[] }[];
  /** whether some time may lack its zone, some column has the key, and the input of each record is known */
  zoned: boolean;
  keyed: boolean;
  sided: boolean;
  preview: TableRecord[];
  reading: TableReading | null;
}

/** `_told` of ui/author/importing.py. */
export interface TableReading {
  /** why these are too many; "" where they fit */
  problem: string;
  rows: number;
  matched: number;
  records: number;
  /** bytes of the records in the text */
  size: number;
  /** the first unreadable lines, of `refused_count` */
  refused: { line: number; why: string }[];
  refused_count: number;
  notes: string[];
}

/** A record to come, as it will be written. */
export interface TableRecord {
  line: number;
  ts?: string;
  at?: string;
  key?: string;
  value?: string;
  channel?: string;
  in?: string;
}
