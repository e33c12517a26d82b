// Mounts the components of a page as Streamlit does: the same scripts, with the same three things handed to them.
import { el } from "../player/base/dom.ts";
import { moduleAt } from "./store.ts";
import type { Hearing, Manifest, Mount } from "./types.ts";

export class Stage {
  scripts;
  styles;
  /** the styles of the component */
  dress: HTMLLinkElement[] = [];
  parent: HTMLElement;
  place: HTMLElement | null = null;
  component = "";
  hearing: Hearing = {};
  end?: ReturnType<Mount>;
  turn = 0;

  /** @param parent what the component is put into */
  constructor(manifest: Manifest, parent: HTMLElement) {
    this.scripts = manifest.scripts;
    this.styles = manifest.styles;
    this.parent = parent;
  }

  /**
   * Shows `data` in a component. One that is there already gets the new data; another one makes way.
   * @param hearing what it says: each value by the name it is said under
   */
  async show(component: string, data: unknown, hearing: Hearing = {}) {
    const turn = (this.turn += 1);
    const [script, dress]: [{ default: Mount }, HTMLLinkElement[]] = await Promise.all([
      moduleAt(this.scripts[component]),
      this.dressFor(component),
    ]);
    if (turn !== this.turn) {
      if (dress !== this.dress) for (const link of dress) link.remove();
      return;
    }
    if (component !== this.component) {
      this.clear();
      this.dress = dress;
      for (const link of dress) link.media = "all";
    }
    this.turn = turn;
    this.component = component;
    this.hearing = hearing;
    if (!this.place) {
      this.place = el("div", "tm-site-component");
      this.parent.append(this.place);
    }
    const setTriggerValue = (name: string, value: unknown) => this.hearing[name]?.(value);
    this.end = script.default({ data, parentElement: this.place, setTriggerValue }) ?? this.end;
  }

  /** The styles of a component, loaded but not in force; those that are there if it is the same component. */
  async dressFor(component: string): Promise<HTMLLinkElement[]> {
    const paths = this.styles[component];
    if (!paths) return [];
    if (component === this.component) return this.dress;
    const links = paths.map((path) => el("link", "", null, { rel: "stylesheet", href: path, media: "not all" }));
    const loaded = links.map(
      (link) =>
        new Promise((settled) => {
          for (const how of ["load", "error"]) link.addEventListener(how, settled);
        }),
    );
    document.head.append(...links); // in their order, in which later ones win
    await Promise.all(loaded);
    return links;
  }

  /** Shows something that is no component. */
  put(node: HTMLElement) {
    this.clear();
    this.place = node;
    this.parent.append(node);
  }

  clear() {
    this.turn += 1;
    this.end?.();
    this.end = undefined;
    this.component = "";
    for (const link of this.dress) link.remove();
    this.dress = [];
    this.place?.remove();
    this.place = null;
  }
}
