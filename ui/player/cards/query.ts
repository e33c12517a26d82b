// The query in the form that the reader likes, and in it, lit, the clause that decides what happens at this step.
import { card } from "./now.ts";
import { el, fill } from "../base/dom.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { TabRow } from "../base/tab_row.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

const FORM_KEPT = "tidemark.query";

export class QueryCard extends PlayerPart {
  node: HTMLElement;
  body: HTMLElement = el("div", "tm-query-lines");
  form: string;
  lines: HTMLElement[] = [];

  constructor(player: Player) {
    super(player);
    const { query } = player.words;
    const forms = Object.keys(player.payload.query.forms);
    const { card: node, note, body } = card("query", query.title);
    this.node = node;
    body.append(this.body);
    this.form = keptChoice(FORM_KEPT, forms) ?? forms[0];
    const titles: { [form: string]: string } = { sentence: query.sentence, sql: "SQL", datastream: "DataStream" };
    const names = forms.map((form): [string, string] => [form, titles[form]]);
    const tabs = new TabRow(query.title, names, this.body, (form) => {
      keepText(FORM_KEPT, form);
      this.choose(form);
    });
    tabs.mark(this.form);
    note.replaceWith(forms.length > 1 ? tabs.node : "");
    this.choose(this.form);
  }

  choose(form: string) {
    this.form = form;
    const name = form === "sentence" ? "p" : "code";
    const lines = this.player.payload.query.forms[form];
    this.lines = lines.map(({ text }) => el(name, "tm-query-line", text));
    fill(this.body, this.lines);
    this.show(this.player.step);
  }

  /** Lights the lines of the first clause that can decide the step and stands in this form. */
  show(step: number) {
    const { facts, payload } = this.player;
    const { forms, deciding } = payload.query;
    const shown = forms[this.form];
    const clauses = deciding[facts.at("steps", step)[0].event] ?? [];
    const lit = clauses.find((clause) => shown.some((line) => line.clauses.includes(clause)));
    this.lines.forEach((line, index) => {
      const decides = lit !== undefined && shown[index].clauses.includes(lit);
      line.classList.toggle("tm-lit", decides);
      if (decides) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    });
  }
}
