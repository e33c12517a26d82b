// The list of all keys, made from the table of commands that the keyboard itself uses, and the glossary.
import { el } from "../base/dom.js";
import { KEY_GROUPS } from "../frame/keys.js";
/** @import { Player } from "../player.js" */

/** The drawer *Keys*, with the glossary below. */
export class HelpList {
  /** @param {Player} player */
  constructor(player) {
    this.node = el("div", "tm-help");
    for (const group of KEY_GROUPS) {
      const commands = player.commands.filter((command) => command.label && (command.group ?? "show") === group);
      if (!commands.length) continue;
      const section = el("section");
      const list = el("dl");
      for (const { caps = [], label, note } of commands) {
        const term = el("dt");
        for (const cap of caps) term.append(el("kbd", "", cap));
        const told = el("dd", "", label);
        if (note) told.append(" ", el("small", "", note));
        list.append(term, told);
      }
      section.append(el("h3", "", player.words.groups[group]), list);
      this.node.append(section);
    }
    this.node.append(glossaryOf(player));
  }

  show() {}
}

/**
 * Every term with its sentence: for readers who can neither hover nor focus, and to read it as a whole.
 * @param {Player} player
 */
function glossaryOf(player) {
  const { title, hint, terms } = player.words.glossary;
  const section = el("section", "tm-glossary");
  const list = el("dl");
  for (const { names, about } of Object.values(terms)) {
    list.append(el("dt", "", names.split("|")[0]), el("dd", "", about));
  }
  section.append(el("h3", "", title), el("p", "tm-quiet", hint), list);
  return section;
}
