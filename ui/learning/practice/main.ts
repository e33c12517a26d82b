// Mounts the practice, and hands it what the server says.
import { AskingPage, mounting } from "../../pages/kit.ts";
import { BoxesView, ExerciseView } from "./exercise.ts";
import { askLevel, hearOtherTabs, keepPractice, keptPractice, nextExercise, practisedHere } from "./keeping.ts";
import type { First, Kept, Named, Question } from "./types.ts";

// Practice: an exercise or the boxes, as the address says. What comes next is decided by what this browser keeps.

export class PracticePage extends AskingPage<First, Question> {
  kept: Kept;
  due: Named | null = null;
  /** the kind of the exercises that come next; "" for any */
  only = "";
  endHearing;

  constructor(host: HTMLElement, first: First, post: (question: Question & { number: number }) => void) {
    super(host, first, post);
    this.kept = keptPractice(first.levels, first.most_seed);
    // Else the next answer here would overwrite what was answered there. The open exercise is that of this tab.
    this.endHearing = hearOtherTabs(() => {
      const { seed, open } = this.kept;
      this.kept = { ...keptPractice(first.levels, first.most_seed, seed), open };
    });
  }

  close() {
    this.endHearing();
    super.close();
  }

  /** Shows what the address names, unless it is shown already. */
  open() {
    const query = new URLSearchParams(window.location.search);
    const boxes = query.get("view") === "boxes";
    const named = boxes ? null : this.named(query);
    const sign = JSON.stringify([this.words.title, boxes, named && signOf(named)]);
    if (this.shown === sign) return;
    this.show(named, sign);
  }

  /**
   * @param named null for the boxes
   * @param note what is said above the exercise
   */
  show(named: Named | null, sign: string, note = "") {
    this.mark(sign);
    this.put(() => (named ? new ExerciseView(this, named, note) : new BoxesView(this)));
  }

  /**
   * The exercise of an address; without one the exercise that is open, or the next one, which the address then names.
   */
  named(query: URLSearchParams): Named {
    const level = Number(query.get("level"));
    if (!query.has("seed") && Number.isInteger(level) && level >= 1 && level <= this.first.levels) {
      askLevel(this.kept, level);
      const named = this.drawn();
      this.write(named);
      return named;
    }
    const { open } = this.kept;
    if (query.has("seed") || query.has("level")) {
      const asked: Named = {
        seed: wholeIn(query.get("seed") ?? "0"),
        level: wholeIn(query.get("level") ?? String(this.kept.level)),
        kind: query.get("kind") ?? "",
        about: query.get("about") ?? "",
      };
      const known = [practisedHere(this.first.levels), open].find((each) => each && signOf(each) === signOf(asked));
      return known ?? (this.due?.seed === asked.seed ? this.due : asked);
    }
    const named = open && open.answer === null ? open : this.drawn();
    this.write(named);
    return named;
  }

  /** The next exercise; until it is open the page knows whether it is one that came back. */
  drawn(only = this.only) {
    const next = nextExercise(this.kept, Date.now(), this.first.most_seed);
    const wanted = !only || next.kind === only;
    this.due = wanted ? next : { seed: next.seed, level: this.kept.level, kind: only, about: "" };
    return this.due;
  }

  /** From now on exercises are of one kind, or of any. */
  choose(kind: string) {
    this.only = kind;
    this.next();
  }

  /** The next exercise; in place of the one that there is none of, if a note says so: then of the same kind. */
  next(note = "", kind = "") {
    const named = this.drawn(Object.hasOwn(this.first.kinds, kind) ? kind : this.only);
    this.show(named, this.write(named, !note), note);
  }

  /** The exercise is there: it is kept as the open one, and the address names it. */
  opened(named: Named) {
    const { open } = this.kept;
    if (!open || signOf(open) !== signOf(named)) this.kept.open = { answer: null, ...named };
    keepPractice(this.kept);
    this.mark(this.write(named));
  }

  /**
   * Writes an exercise into the address, and returns its sign.
   * @param further whether Back leads to the exercise before
   */
  write({ seed, level, kind, about }: Named, further = false) {
    const query = { seed: String(seed), level: String(level), ...(kind && { kind }), ...(about && { about }) };
    this.address(query, further);
    return JSON.stringify([this.words.title, false, signOf({ seed, level, kind, about })]);
  }

  /** Another view of the page. */
  turn(query: { [name: string]: string }) {
    this.address(query, true);
    this.open();
  }
}

function signOf({ seed, level, kind, about }: Named) {
  return JSON.stringify([seed, level, kind, about]);
}

/** A number of the address. What is none stays as it is: the server says that there is no such exercise. */
function wholeIn(text: string) {
  return /^\d{1,12}$/.test(text) ? Number(text) : (text.slice(0, 20) as unknown as number);
}

export default mounting(PracticePage);
