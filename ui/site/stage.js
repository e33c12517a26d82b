// Mounts the components of a page as Streamlit does: the same scripts, with the same three things handed to them.
import { el } from "../player/base/dom.js";
import { moduleAt } from "./store.js";
/** @import { Hearing, Manifest, Mount } from "./types.d.ts" */

export class Stage {
  /**
   * @param {Manifest} manifest
   * @param {HTMLElement} parent what the component is put into
   */
  constructor(manifest, parent) {
    this.scripts = manifest.scripts;
    this.styles = manifest.styles;
    /** @type {HTMLLinkElement[]} the styles of the component */
    this.dress = [];
    this.parent = parent;
    /** @type {HTMLElement | null} */
    this.place = null;
    this.component = "";
    /** @type {Hearing} */
    this.hearing = {};
    /** @type {ReturnType<Mount>} */
    this.end = undefined;
    this.turn = 0;
  }

  /**
   * Shows `data` in a component. One that is there already gets the new data; another one makes way.
   * @param {string} component
   * @param {unknown} data
   * @param {Hearing} hearing what it says: each value by the name it is said under
   */
  async show(component, data, hearing = {}) {
    const turn = (this.turn += 1);
    /** @type {[{ default: Mount }, HTMLLinkElement[]]} */
    const [script, dress] = await Promise.all([moduleAt(this.scripts[component]), this.dressFor(component)]);
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
    const setTriggerValue = (/** @type {string} */ name, /** @type {unknown} */ value) => this.hearing[name]?.(value);
    this.end = script.default({ data, parentElement: this.place, setTriggerValue }) ?? this.end;
  }

  /**
   * The styles of a component, loaded but not in force; those that are there if it is the same component.
   * @param {string} component
   * @returns {Promise<HTMLLinkElement[]>}
   */
  async dressFor(component) {
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
  put(/** @type {HTMLElement} */ node) {
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
