// The names of Streamlit's own controls, in the words of the app: Streamlit names them in English, by what they are.

/** The controls, each by the text that names it. */
const CONTROLS = {
  menu: '[data-testid="stExpandSidebarButton"], [data-testid="stSidebar"]',
  menu_close: '[data-testid="stSidebarCollapseButton"] button',
  home: '[data-testid="stLogoLink"]',
  pages: '[data-testid="stSidebarNav"], [data-testid="stTopNav"]',
  content: '[data-testid="stMain"]',
};

export type ControlNames = { [control in keyof typeof CONTROLS]: string } & { skip: string };

let controlNames: ControlNames | null = null;
let namesDue = 0;

export function nameControls(names: ControlNames) {
  const first = !controlNames;
  controlNames = names;
  giveNames();
  if (!first) return;
  // Streamlit makes them anew whenever the menu opens or closes.
  const watch = new MutationObserver(() => {
    namesDue ||= requestAnimationFrame(giveNames);
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

function giveNames() {
  namesDue = 0;
  if (!controlNames) return;
  const { skip, ...names } = controlNames;
  for (const [name, text] of Object.entries(names)) {
    for (const node of document.querySelectorAll(CONTROLS[name as keyof typeof CONTROLS])) {
      if (node.getAttribute("aria-label") !== text) node.setAttribute("aria-label", text);
    }
  }
  for (const link of document.querySelectorAll('a[href="#stMain"]')) {
    if (link.textContent !== skip) link.textContent = skip;
  }
  const headed = document.querySelector("h1:not(.tm-page-name)") !== null;
  for (const heading of document.querySelectorAll(".tm-page-name")) heading.toggleAttribute("hidden", headed);
  // The name of the app stands beside its logo.
  for (const logo of document.querySelectorAll("img.stLogo")) logo.setAttribute("alt", "");
}
