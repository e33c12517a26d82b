// The switch between languages in the header. It keeps the choice for the next visit and says what the page is in.

const YEAR = 365 * 24 * 3600;

function keep(name, language) {
  try {
    document.cookie = `${name}=${language}; path=/; max-age=${YEAR}; SameSite=Lax`;
  } catch {
    // Cookies may be forbidden; then the choice holds for this visit.
  }
}

/** A link that names a language would overrule the choice at the next run, so it names the chosen one. */
function intoAddress(name, language) {
  const url = new URL(window.location.href);
  if (!url.searchParams.has(name)) return;
  url.searchParams.set(name, language);
  window.history.replaceState(window.history.state, "", url);
}

function option({ language, name, tag }, data, choose) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: name, lang: tag });
  button.dataset.language = language;
  button.setAttribute("aria-pressed", String(language === data.current));
  button.addEventListener("click", () => choose(language));
  return button;
}

/** Streamlit calls this at each run of the page. */
export default function mount({ data, parentElement, setTriggerValue }) {
  if (!data) return;
  document.documentElement.lang = data.languages.find((each) => each.language === data.current).tag;
  if (data.keep) keep(data.cookie, data.current);
  const choose = (language) => {
    keep(data.cookie, language);
    intoAddress(data.link, language);
    setTriggerValue("chosen", language);
  };
  let group = parentElement.querySelector(".tm-languages");
  if (group?.dataset.current === data.current) return;
  const focused = group?.contains(document.activeElement);
  group?.remove();
  group = document.createElement("div");
  group.className = "tm-languages";
  group.dataset.current = data.current;
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", data.label);
  group.append(...data.languages.map((each) => option(each, data, choose)));
  parentElement.append(group);
  if (focused) group.querySelector("[aria-pressed=true]").focus();
}
