// The draft as programs for real engines, in the dialog Share.
import { CodeOut } from "../player/base/code_out.ts";
import { el } from "../player/base/dom.ts";
import { doorButton, doorSection } from "./door_parts.ts";
import type { Doors } from "./doors.ts";

/** The part of the dialog that leads to the programs. */
export function codeSection(doors: Doors) {
  const { code_out: words, share } = doors.author.base.player;
  return doorSection(
    share.tabs.code,
    el("p", "tm-quiet", words.about),
    doorButton(words.show, () => openCodeDoor(doors)),
  );
}

async function openCodeDoor(doors: Doors) {
  const { code_out: words, share } = doors.author.base.player;
  const shown = new CodeOut(words, () => null);
  doors.open(share.tabs.code, shown.node);
  doors.node.classList.add("tm-au-wide");
  shown.wait();
  const reply = await doors.command({ name: "programs" });
  if (reply) shown.show(reply.told);
  else shown.node.replaceChildren();
}
