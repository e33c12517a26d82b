// The drawers for help: the glossary, and the list of all keys, made from the table of commands that the keyboard
// itself uses.
import { el } from "../base/dom.ts";
import { KEY_GROUPS } from "../frame/keys.ts";
import type { Player } from "../player.ts";

/** The drawer *Keys*. */
class HelpList {
  player: Player;
  /** for which mode it was made */
  shown: boolean | null = null;
  node = el("div", "tm-help");

  constructor(player: Player) {
    this.player = player;
    this.show();
  }

  /** While presenting, only the keys that do something then. */
  show() {
    const { player } = this;
    const presents = player.present.on;
    const works = (mode: string | undefined) => !presents || mode !== undefined;
    if (this.shown === presents) return;
    this.shown = presents;
    this.node.replaceChildren();
    for (const group of KEY_GROUPS) {
      const commands = player.commands.filter(
        (command) => command.label && works(command.mode) && (command.group ?? "show") === group,
      );
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
  }
}

/** The drawer *Glossary*: every term with its sentence, for readers who can neither hover nor focus. */
class GlossaryList {
  node = el("div", "tm-glossary");

  constructor(player: Player) {
    const { hint, terms } = player.words.glossary;
    const list = el("dl");
    for (const { names, about } of Object.values(terms)) {
      list.append(el("dt", "", names.split("|")[0]), el("dd", "", about));
    }
    this.node.append(el("p", "tm-quiet", hint), list);
  }

  show() {}
}

/** Both drawers for help. */
export function helpDrawers(player: Player) {
  const { glossary, help } = player.words;
  return [
    Object.assign(new GlossaryList(player), { name: "glossary", title: glossary.title, cap: "Z" }),
    Object.assign(new HelpList(player), { name: "help", title: help, cap: "H" }),
  ];
}
