// What lies on what in the pictures of a page: every text, every mark, and the edge, as boxes in px of the screen.
//
// The box of a text is that of its ink, so two lines under one another do not touch. A mark is whatever stands for a
// fact: a record, a window, a result, a thick line. A text may lie on the mark that it names: the one that it is part
// of, or whose id its `data-names` has. Halos, thin lines, regions and the axes are ground: text may lie on them.
(() => {
  const TOLERANCE = 1;
  // Two planes laid over each other are one picture.
  const OVERLAY = '.tm-compare-planes[data-overlay="true"]';
  const PICTURES = `.tm-plane-card, ${OVERLAY}, .tm-compare-planes:not(${OVERLAY}) > .tm-compare-side`;
  const NOT_PICTURE = ".tm-legend-row, .tm-buffers, .tm-present-words, .tm-compare-head, select, [aria-live]";
  const MARKS = [
    ".tm-pic-shape, .tm-pic-cross, .tm-pic-square, .tm-pic-side, .tm-pic-now > rect",
    ".tm-pic-result > rect, .tm-pic-result > .tm-mark, .tm-released > .tm-mark",
    ".tm-join-dot, .tm-join-cross, .tm-join-boxed, .tm-join-pill, .tm-join-kept, .tm-queue-dot",
    ".tm-lane-picture [data-mark]",
    ".tm-gap-bracket",
  ].join(", ");
  const pen = document.createElement("canvas").getContext("2d");
  const measured = new Map();

  /** The sizes of a text as it is written: how far its ink and its font reach above and below the baseline. */
  function metrics(text, style) {
    const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const name = `${font} ${text}`;
    let found = measured.get(name);
    if (!found) {
      pen.font = font;
      measured.set(name, (found = pen.measureText(text)));
    }
    return found;
  }

  /** @returns {[number, number, number, number]} the box of the ink, for a text that `rect` holds with its line */
  function ink(rect, text, style) {
    const found = metrics(text, style);
    const line = found.fontBoundingBoxAscent + found.fontBoundingBoxDescent;
    if (rect.height > 2 * rect.width && text.length > 2) return [rect.left, rect.top, rect.right, rect.bottom];
    const scale = rect.height / line;
    const baseline = rect.top + found.fontBoundingBoxAscent * scale;
    return [
      rect.left,
      baseline - found.actualBoundingBoxAscent * scale,
      rect.right,
      baseline + found.actualBoundingBoxDescent * scale,
    ];
  }

  /** What cuts off an element: the boxes of those around it, and whether each scrolls. */
  function cutters(element, edge) {
    const found = [];
    for (let each = element; each && each !== edge.parentElement; each = each.parentElement) {
      const style = getComputedStyle(each);
      const cuts = each instanceof SVGElement ? each instanceof SVGSVGElement : true;
      if (!cuts || style.overflowX === "visible") continue;
      found.push({
        box: boxOf(each.getBoundingClientRect()),
        shortened: style.textOverflow === "ellipsis",
        scrolls: /auto|scroll/.test(style.overflowY) && each.scrollHeight > each.clientHeight,
      });
    }
    return found;
  }

  /** The box of a mark; a line that is drawn thick has no box of its own. */
  function withStroke(element) {
    const box = boxOf(element.getBoundingClientRect());
    const thick =
      element instanceof SVGElement ? (Number.parseFloat(getComputedStyle(element).strokeWidth) || 0) / 2 : 0;
    if (box[2] - box[0] > thick && box[3] - box[1] > thick) return box;
    return [box[0] - thick, box[1] - thick, box[2] + thick, box[3] + thick];
  }

  function boxOf({ left, top, right, bottom }) {
    return [left, top, right, bottom];
  }

  /** How far (px) two boxes reach into each other, the lesser of both ways; not positive if they do not. */
  function depth(a, b) {
    return Math.min(Math.min(a[2], b[2]) - Math.max(a[0], b[0]), Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  }

  function onMark(text, { box, round }) {
    if (!round) return depth(text, box);
    const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    const away = Math.hypot(x - Math.min(Math.max(x, text[0]), text[2]), y - Math.min(Math.max(y, text[1]), text[3]));
    return (box[2] - box[0]) / 2 - away;
  }

  function isSeen(element) {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  function textsOf(picture) {
    const found = [];
    const walker = document.createTreeWalker(picture, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element =
        node.parentElement instanceof SVGElement ? node.parentElement.closest("text") : node.parentElement;
      const said = (element instanceof SVGElement ? element.textContent : node.data).trim();
      if (found.at(-1)?.element === element && element instanceof SVGElement) continue;
      if (!said || !element || element.closest(NOT_PICTURE)) continue;
      if (!isSeen(element)) continue;
      range.selectNodeContents(node);
      const rect = element instanceof SVGElement ? element.getBoundingClientRect() : range.getBoundingClientRect();
      if (!rect.width || !rect.height) continue;
      const named = element.closest("[data-names]")?.dataset.names?.split(" ") ?? [];
      const box = ink(rect, said, getComputedStyle(element));
      found.push({
        said,
        element,
        box,
        names: new Set([...named, element.closest("[data-id]")?.dataset.id]),
        framed: element.closest(".tm-pic-result, .tm-pic-record, .tm-join-letter") !== null,
      });
    }
    return found;
  }

  function marksOf(picture) {
    return [...picture.querySelectorAll(MARKS)]
      .filter(isSeen)
      .map((element) => ({
        said: `${element.getAttribute("class") ?? element.tagName} ${element.closest("[data-id]")?.dataset.id ?? ""}`,
        id: element.closest("[data-id]")?.dataset.id,
        owner: element.closest("[data-id], .tm-pic-now") ?? element,
        box: withStroke(element),
        round: element instanceof SVGCircleElement,
      }))
      .filter(({ box }) => box[2] > box[0] || box[3] > box[1]);
  }

  /** The thick lines of the watermark, each piece as a box; a text in a frame lies on the frame. */
  function linesOf(picture) {
    return [...picture.querySelectorAll(".tm-pic-segments")].filter(isSeen).flatMap((path) => {
      const matrix = path.getScreenCTM();
      const half = (Number.parseFloat(getComputedStyle(path).strokeWidth) / 2) * matrix.a;
      const at = (x, y) => new DOMPoint(Number(x), Number(y)).matrixTransform(matrix);
      return [...(path.getAttribute("d") ?? "").matchAll(/M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)/g)].map((piece) => {
        const [from, to] = [at(piece[1], piece[2]), at(piece[3], piece[4])];
        const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
        const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
        return {
          said: "line of the watermark",
          line: true,
          box: [left - half, top - half, right + half, bottom + half],
        };
      });
    });
  }

  /** The lines of a Why card: a text may lie on one that ends at its halo, so the line is drawn before it. */
  function neededLines(picture) {
    return [...picture.querySelectorAll(".tm-gap-needed, .tm-gap-then")]
      .filter(isSeen)
      .map((line) => ({ said: line.getAttribute("class"), needed: line, box: withStroke(line) }));
  }

  function endsAtHalo({ needed }, { element }) {
    const style = getComputedStyle(element);
    const before = needed.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    return before && style.paintOrder.startsWith("stroke") && style.stroke !== "none";
  }

  /** Of a text the part that is seen; null where none is, because it is scrolled away. */
  function seen(text, picture) {
    const edge = boxOf(picture.getBoundingClientRect());
    let box = text.box;
    for (const cut of [...cutters(text.element, picture), { box: edge, scrolls: false, shortened: false }]) {
      const inside = [
        Math.max(box[0], cut.box[0]),
        Math.max(box[1], cut.box[1]),
        Math.min(box[2], cut.box[2]),
        Math.min(box[3], cut.box[3]),
      ];
      const lost = Math.max(
        cut.shortened ? 0 : box[2] - box[0] - (inside[2] - inside[0]),
        cut.scrolls ? 0 : box[3] - box[1] - (inside[3] - inside[1]),
      );
      if (lost > TOLERANCE) return { outside: lost, box };
      if (inside[2] <= inside[0] || inside[3] <= inside[1]) return null;
      box = inside;
    }
    return { outside: 0, box };
  }

  function faultsOf(picture) {
    const faults = [];
    const texts = [];
    for (const text of textsOf(picture)) {
      const shown = seen(text, picture);
      if (!shown) continue;
      if (shown.outside) faults.push({ kind: "outside", px: shown.outside, a: text.said, b: "" });
      texts.push({ ...text, box: shown.box });
    }
    const marks = [...marksOf(picture), ...linesOf(picture), ...neededLines(picture)];
    let pairs = 0;
    texts.forEach((text, index) => {
      for (const other of texts.slice(0, index)) {
        pairs += 1;
        const px = depth(text.box, other.box);
        if (px > TOLERANCE) faults.push({ kind: "text on text", px, a: text.said, b: other.said });
      }
      for (const mark of marks) {
        if (mark.owner?.contains(text.element)) continue;
        if ((mark.id && text.names.has(mark.id)) || (mark.line && text.framed)) continue;
        if (mark.needed && (text.framed || mark.needed.closest(".tm-gap") || endsAtHalo(mark, text))) continue;
        pairs += 1;
        const px = onMark(text.box, mark);
        if (px > TOLERANCE) faults.push({ kind: "text on mark", px, a: text.said, b: mark.said });
      }
    });
    return { pairs, texts: texts.length, marks: marks.length, faults };
  }

  return () => {
    const all = [...document.querySelectorAll(PICTURES)].filter((each) => each.checkVisibility()).map(faultsOf);
    return {
      pairs: all.reduce((sum, each) => sum + each.pairs, 0),
      texts: all.reduce((sum, each) => sum + each.texts, 0),
      marks: all.reduce((sum, each) => sum + each.marks, 0),
      faults: all.flatMap((each) => each.faults),
    };
  };
})();
