// A static site: which language, scenario and step an address opens, and how files become what Python sends.
import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import test from "node:test";
import { run } from "../../ui/site/api.ts";
import { packedAnswer } from "../../ui/site/desk.ts";
import { readAnswer } from "../../ui/player/base/facts.ts";
import { firstScenario, isStep } from "../../ui/site/first.ts";
import { cookieIn, walkthroughFile, offeredLanguages, readingOf } from "../../ui/site/languages.ts";
import { joined, textOf } from "../../ui/site/store.ts";

const SITE = {
  languages: [
    { language: "en", name: "English", tag: "en" },
    { language: "zh", name: "中文", tag: "zh-Hans" },
  ],
  tags: { pattern: "[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", longest: 35 },
  cookie: "tidemark_language",
  link: "lang",
  scenes: ["first", "second"],
  scenarios: { first: {}, second: {}, late: {} },
  opens_with: "late",
};

test("a link names the language, else the reader's choice, else the browser's", () => {
  const reader = { search: "", cookie: "a=1; tidemark_language=zh", browser: "en-GB" };
  assert.deepEqual(readingOf(SITE, { ...reader, search: "?lang=en" }), { language: "en", texts: "en" });
  assert.deepEqual(readingOf(SITE, { ...reader, search: "?lang=<b>" }), { language: "zh", texts: "zh" });
  assert.deepEqual(readingOf(SITE, { ...reader, cookie: "", browser: "zh-CN" }), { language: "zh", texts: "zh" });
  assert.deepEqual(readingOf(SITE, { search: "", cookie: "", browser: "fr" }), { language: "en", texts: "en" });
  assert.equal(cookieIn("xtidemark_language=zh", "tidemark_language"), null);
});

test("texts are read in any language that a link names, and the interface speaks the nearest of its own", () => {
  const reader = { search: "?lang=de-AT", cookie: "", browser: "fr" };
  const german = readingOf(SITE, reader);
  assert.deepEqual(german, { language: "en", texts: "de-AT" });
  assert.deepEqual(readingOf(SITE, { ...reader, search: "?lang=zh-Hant" }), { language: "zh", texts: "zh-Hant" });
  const files = { steps: 3, en: "en.bin", zh: "zh.bin", "pt-BR": "pt.bin", de: "de.bin" };
  assert.equal(walkthroughFile(files, german), "de.bin");
  assert.equal(walkthroughFile(files, { language: "en", texts: "pt" }), "pt.bin");
  assert.equal(walkthroughFile(files, { language: "en", texts: "fr" }), "en.bin");
  const offered = offeredLanguages(SITE.languages, files, "DE");
  assert.deepEqual(
    offered.languages.map(({ language }) => language),
    ["en", "zh", "pt-BR", "de"],
  );
  assert.equal(offered.current, "de");
  assert.equal(offeredLanguages(SITE.languages, undefined, "fr").languages.length, 3);
});

test("a newcomer gets the first visit, others what they saw last", () => {
  assert.equal(firstScenario(SITE, null, false), "first");
  assert.equal(firstScenario(SITE, "late", false), "late");
  assert.equal(firstScenario(SITE, "gone", false), "late");
  assert.equal(firstScenario(SITE, "second", true), "second");
  assert.equal(firstScenario(SITE, "late", true), "first");
  assert.equal(firstScenario({ ...SITE, scenes: [] }, null, true), "late");
});

test("only the numbers of steps are steps", () => {
  assert.deepEqual(
    ["0", "34", "35", "-1", "1.5", "", "٣", "0000000001"].map((text) => isStep(text, 35)),
    [true, true, false, false, false, false, false, false],
  );
});

test("common parts and a scenario's own become one payload; its own stand over them", async () => {
  const packed = await joined('{"words":{"a":"ü"},"visit":null}', '{"name":"x","visit":{"title":"t"}}');
  assert.deepEqual(JSON.parse(gunzipSync(packed)), { words: { a: "ü" }, visit: { title: "t" }, name: "x" });
  assert.deepEqual(JSON.parse(gunzipSync(await joined("{}", '{"name":"x"}'))), { name: "x" });
});

test("a file is read whether or not a server has unpacked it", async () => {
  assert.equal(await textOf(new Uint8Array(gzipSync("{}"))), "{}");
  assert.equal(await textOf(new TextEncoder().encode("{}")), "{}");
});

test("an answer has the length of what is said, what is said, and a file", () => {
  const packed = packedAnswer(7, { said: { type: "text/css" }, body: new TextEncoder().encode("a {}") });
  const { said, body } = readAnswer(packed);
  assert.deepEqual(said, { type: "text/css", number: 7 });
  assert.equal(new TextDecoder().decode(body), "a {}");
});

test("a course page that could not fetch Python says what is missing, and tries again at the next call", async (t) => {
  let status = 404;
  const fetching = t.mock.method(globalThis, "fetch", async () => {
    if (status) return new Response("not found", { status });
    throw new TypeError("network");
  });
  await assert.rejects(run("scenario: 1"), /engine\.json: status 404; was the site made without Python\?/);
  status = 0;
  await assert.rejects(run("scenario: 1"), /network/);
  assert.equal(fetching.mock.callCount(), 2);
});
