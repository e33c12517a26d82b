// The rows above the plane: title with the choice of scenario, the configuration as a sentence, the legend.
import { el } from "../base/dom.js";
import { icon, mark } from "../base/icons.js";

/** Title (a choice of scenarios lies over it), what the scenario holds, and the link to this step. */
export function titleRow(player, open) {
  const { payload, words } = player;
  const row = el("header", "tm-title-row");
  const chooser = el("label", "tm-chooser");
  const select = el("select", "tm-chooser-select", null, { "aria-label": words.choose_scenario });
  const groups = new Map();
  for (const entry of payload.library) {
    let group = select;
    if (entry.lesson) {
      if (!groups.has(entry.lesson)) {
        groups.set(entry.lesson, el("optgroup", "", null, { label: entry.lesson }));
        select.append(groups.get(entry.lesson));
      }
      group = groups.get(entry.lesson);
    }
    group.append(el("option", "", entry.title, { value: entry.name }));
  }
  select.value = payload.name;
  select.addEventListener("change", () => { player.transport.stop(); open(select.value); });
  chooser.append(el("h1", "", payload.title), icon("chevron"), select);
  const copy = el("button", "tm-button tm-plain", null, { type: "button" });
  const label = el("span", "tm-label", words.copy_link);
  copy.append(icon("link"), label);
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(player.link());
      label.textContent = words.copied;
    } catch {
      label.textContent = player.link();
    }
    setTimeout(() => { label.textContent = words.copy_link; }, 2500);
  });
  row.append(chooser, el("span", "tm-about", payload.about), el("span", "tm-spring"), copy, player.present.button);
  return row;
}

/** The configuration in one sentence, its values in bold. */
export function sentence(player) {
  const row = el("p", "tm-sentence");
  for (const [text, strong] of player.payload.sentence) row.append(strong ? el("b", "", text) : text);
  return row;
}

/** What each mark means; only marks that the scenario has. */
export function legend(player) {
  const { payload, words } = player;
  const row = el("ul", "tm-legend");
  const names = {
    "on-time": words.on_time, late: words.late_accepted, dropped: words.late_dropped, side: words.side_output, fired: words.fired_row,
    update: payload.has_early ? `${words.early_pane}, ${words.late_pane}` : words.late_pane, ahead: words.ahead, watermark: words.watermark.toLowerCase(), connector: words.out_of_order,
  };
  for (const kind of payload.legend) {
    const item = el("li");
    item.append(mark(kind), names[kind]);
    row.append(item);
  }
  return row;
}
