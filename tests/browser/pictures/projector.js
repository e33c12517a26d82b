// What a room reads: every visible text of the page with its size in px of the screen, and what is cut off.
(() => {
  const PARTS = ".tm-present-head, .tm-present-head h1, .tm-brief, .tm-present-words, .tm-question, .tm-transport";
  const UNSEEN = ".tm-visually-hidden, [aria-live], option";

  function pxOf(element) {
    const size = Number.parseFloat(getComputedStyle(element).fontSize);
    if (!(element instanceof SVGElement)) return size * (element.currentCSSZoom ?? 1);
    const { a, b } = element.getScreenCTM();
    return size * Math.hypot(a, b);
  }

  globalThis.tidemarkPresent = async (step, revealed) => {
    const player = globalThis.tidemarkPlayer();
    player.present.enter({ whole: false });
    player.step = step;
    player.present.revealed = false;
    player.paint();
    if (revealed) player.present.tellAnswer();
    for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
    const texts = [];
    const range = document.createRange();
    const walker = document.createTreeWalker(player.root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!node.data.trim() || element.closest(UNSEEN)) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      range.selectNodeContents(node);
      const { width, height } = range.getBoundingClientRect();
      if (width > 2 && height > 2) texts.push([pxOf(element), node.data.trim()]);
    }
    const cut = [...document.querySelectorAll(PARTS)]
      .filter((each) => each.checkVisibility())
      .filter((each) => each.scrollHeight > each.clientHeight + 1 || each.scrollWidth > each.clientWidth + 1)
      .map((each) => each.className || each.tagName);
    return { texts, cut, faults: globalThis.tidemarkLook().faults };
  };
})();
