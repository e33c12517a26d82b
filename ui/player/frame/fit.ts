// A row whose title must be read: what stands beside it gives way, one thing after another.

/** What gives way in the title row, the least needed first (css/b-badges.css). */
const GIVING_WAY = ["", "about", "about labels", "about labels badges"];

/** Keeps the row so that its title is not cut, at any width and in any language; returns what ends it. */
export function fitTitle(row: HTMLElement, title: Element) {
  const fit = () => {
    for (const gone of GIVING_WAY) {
      row.dataset.gone = gone;
      if (title.scrollWidth <= title.clientWidth && row.scrollWidth <= row.clientWidth) return;
    }
  };
  const observer = new ResizeObserver(fit);
  observer.observe(row);
  document.fonts?.ready.then(fit);
  return () => observer.disconnect();
}
