// What goes along from page to page: which address a link of the navigation has.
import assert from "node:assert/strict";
import test from "node:test";
import { openedIn } from "../../ui/player/base/address.ts";
import mount, { addressFrom, seenAt } from "../../ui/pages/place.ts";
import { placeIn, stepFor, viewIn } from "../../ui/compare/cursor.ts";

const NOWHERE = { open: null, step: null, pages: {} };

/** The place after each of these addresses was seen, as [page, query]. */
const after = (...seen) => seen.reduce((place, [page, search]) => seenAt(place, page, search), NOWHERE);

test("every page opens the scenario of the walkthrough, and Compare its step as well", () => {
  const place = after(["", "?scenario=two-clocks&step=44"]);
  assert.equal(addressFrom(place, "compare"), "./compare?scenario=two-clocks&step=44");
  assert.equal(addressFrom(place, "author"), "./author?scenario=two-clocks");
  assert.equal(addressFrom(place, "spark"), "./spark?scenario=two-clocks");
  for (const page of ["library", "your-stream", "practice", "inventory", "lessons"]) {
    assert.equal(addressFrom(place, page), `./${page}`);
  }
});

test("a scenario of one's own goes along as its text or its digest", () => {
  assert.equal(addressFrom(after(["", "?s=yAbc&step=3"]), "spark"), "./spark?s=yAbc");
  assert.equal(addressFrom(after(["", "?own=12ab&step=3"]), "compare"), "./compare?own=12ab&step=3");
  assert.deepEqual(openedIn("?s=yAbc&scenario=x"), ["scenario", "x"]);
});

test("a page that showed the same opens as it was left, at the step of now", () => {
  const compared = "?scenario=a&b.bound=0&moment=6&step=20";
  const place = after(["", "?scenario=a&step=20&marks=3,4"], ["compare", compared], ["library", ""]);
  assert.equal(addressFrom(place, "compare"), `./compare${compared}`);
  assert.equal(addressFrom(place, ""), "./?scenario=a&step=20&marks=3,4");
  const further = seenAt(place, "", "?scenario=a&step=21");
  assert.equal(addressFrom(further, "compare"), "./compare?scenario=a&b.bound=0&step=21");
  const other = seenAt(place, "", "?scenario=b&step=1");
  assert.equal(addressFrom(other, "compare"), "./compare?scenario=b&step=1");
});

test("watches and breakpoints are there again when the walkthrough is opened again", () => {
  const search = "?scenario=a&step=20&watch=timers%3Bwatermark&break=watermark+%3E%3D+9s";
  const place = after(["", search], ["author", "?scenario=a"]);
  assert.equal(addressFrom(place, ""), `./${search}`);
  assert.equal(addressFrom(place, "compare"), "./compare?scenario=a&step=20");
});

test("what belongs to one visit alone is not handed on", () => {
  const place = after(["", "?scenario=a&step=2&present=1&lecture=x&card=end&lang=zh&embed=true"]);
  assert.equal(addressFrom(place, ""), "./?scenario=a&step=2");
  assert.equal(addressFrom(NOWHERE, "compare"), "./compare");
  assert.equal(seenAt(place, "vote", "?room=1"), place);
});

test("an address puts the cursor of a comparison on a moment, or where side A shows a step", () => {
  const cursor = [0, 2, 4].map((moment, place) => ({ moment, steps: [place * 10 + 9, 0], at: 0, item: 0, record: 0 }));
  assert.equal(placeIn("?moment=2&step=25", cursor), 1);
  assert.equal(placeIn("?step=9", cursor), 0);
  assert.equal(placeIn("?step=10", cursor), 1);
  assert.equal(placeIn("?step=99", cursor), null);
  assert.equal(placeIn("?moment=x", cursor), null);
  assert.deepEqual([stepFor("12", cursor, 1), stepFor("12", cursor, 2), stepFor(null, cursor, 0)], ["12", "29", "9"]);
  assert.deepEqual(viewIn("?view=overlay&tab=sweep", {}), { overlay: true, tab: 1 });
  assert.deepEqual(viewIn("?view=overlay&tab=nonsense", { overlay: false }), { overlay: false, tab: 0 });
});

test("in a site of static files a link opens at once, right after another one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] }); // never ticked: whoever waits, waits for ever
  const page = new EventTarget();
  const opened = [];
  globalThis.window = Object.assign(page, {
    location: new URL("file:///course/compare/"),
    history: { length: 1, pushState: (_state, _title, to) => opened.push(to) },
  });
  globalThis.PopStateEvent = class extends Event {};
  globalThis.MutationObserver = class {
    observe() {}
  };
  const nothing = { querySelector: () => null, addEventListener: () => {} };
  globalThis.document = { ...nothing, body: {}, baseURI: "file:///course/" };
  mount();
  globalThis.tidemarkPlaces.open("./compare?b.bound=1000");
  await new Promise(setImmediate);
  globalThis.tidemarkPlaces.open("./compare?b.bound=2000");
  await new Promise(setImmediate);
  assert.deepEqual(opened, ["./compare?b.bound=1000", "./compare?b.bound=2000"]);
});
