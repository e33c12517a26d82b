// The names of Streamlit's own parts, in the words of the app: Streamlit names them in English, by what they are.

export type ControlNames = { content: string };

let controlNames: ControlNames | null = null;
let namesDue = 0;

export function nameControls(names: ControlNames) {
  const first = !controlNames;
  controlNames = names;
  giveNames();
  if (!first) return;
  const watch = new MutationObserver(() => {
    namesDue ||= requestAnimationFrame(giveNames);
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

function giveNames() {
  namesDue = 0;
  if (!controlNames) return;
  const { content } = controlNames;
  for (const node of document.querySelectorAll('[data-testid="stMain"]')) {
    if (node.getAttribute("aria-label") !== content) node.setAttribute("aria-label", content);
  }
  const headed = document.querySelector("h1:not(.tm-page-name)") !== null;
  for (const heading of document.querySelectorAll(".tm-page-name")) heading.toggleAttribute("hidden", headed);
}
