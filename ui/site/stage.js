// Mounts the components of a page as Streamlit does: the same scripts, with the same three things handed to them.
import { el } from "../player/base/dom.js";
/** @import { Hearing, Manifest, Mount } from "./types.d.ts" */

export class Stage {
  /**
   * @param {Manifest} manifest
   * @param {HTMLElement} parent what the component is put into
   */
  constructor(manifest, parent) {
    this.scripts = manifest.scripts;
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
    /** @type {{ default: Mount }} */
    const script = await import(new URL(this.scripts[component], document.baseURI).href);
    if (turn !== this.turn) return;
    if (component !== this.component) this.clear();
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
    this.place?.remove();
    this.place = null;
  }
}
