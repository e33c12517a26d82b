// What this browser remembers of the first visit.
import { isTable, isWhole, readKept, soundList, soundTable, writeKept } from "./kept.ts";

const KEPT_VISIT = "tidemark.visit";

/**
 * The first answer to a question with what is needed to speak of it when the visit is over, and the places of all
 * choices that were tried.
 */
export type VisitAnswer = {
  scene: string;
  question: string;
  chosen: string;
  right: boolean;
  reply: string;
  tried?: number[];
};

/**
 * The scene that was open last, the first answer to each question by its scene and step, the scenes that were seen to
 * their end, and whether the visit was finished.
 */
type KeptVisit = {
  scene: string;
  answers: { [question: string]: VisitAnswer };
  done: string[];
  finished: boolean;
};

export function nothingKept(): KeptVisit {
  return { scene: "", answers: {}, done: [], finished: false };
}

export function keptVisit(): KeptVisit {
  return readKept(KEPT_VISIT, soundVisit) ?? nothingKept();
}

function soundVisit(read: any): KeptVisit | null {
  const answers = soundTable(read?.answers ?? {}, (each) => (isAnswer(each) ? each : null));
  const done = soundList(read?.done ?? [], (each) => typeof each === "string") as string[] | null;
  if (!isTable(read) || !answers || !done || typeof (read.scene ?? "") !== "string") return null;
  return { scene: read.scene ?? "", answers, done, finished: read.finished === true };
}

function isAnswer(read: any) {
  const texts = ["scene", "question", "chosen", "reply"].every((part) => typeof read?.[part] === "string");
  const tried =
    read?.tried === undefined || (Array.isArray(read.tried) && read.tried.every((each: unknown) => isWhole(each)));
  return texts && tried && typeof read.right === "boolean";
}

export function keepVisit(visit: KeptVisit) {
  writeKept(KEPT_VISIT, visit);
}
