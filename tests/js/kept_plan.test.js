// Whether the plan that a browser kept is what lies in the folder.
import assert from "node:assert/strict";
import { test } from "node:test";
import { saysTheSame } from "../../ui/library/lessons/main.ts";

const topic = { title: { en: "Lateness" }, scenarios: ["first-late"] };
const typed = {
  lessons: [
    { was: 1, id: "time", title: { en: "Time" }, about: {}, topics: [] },
    {
      was: null,
      id: "",
      title: { en: "Late" },
      about: { en: "" },
      topics: [{ was: null, ...topic, about: { en: "" } }],
    },
  ],
  lecture: { title: { en: "Hour" }, about: { en: "" }, scenarios: ["first-late"], minutes: 50, lab: [] },
  visit: null,
};
const saved = {
  lessons: [
    { was: 0, id: "time", title: { en: "Time" }, about: {}, topics: [] },
    { was: 1, id: "late", title: { en: "Late" }, about: {}, topics: [{ was: 0, ...topic, about: {} }] },
  ],
  lecture: { title: { en: "Hour" }, about: {}, minutes: 50, scenarios: ["first-late"], lab: [] },
  visit: null,
};

test("what the server adds to a saved plan is no change", () => {
  assert.ok(saysTheSame(typed, saved));
});

test("a change that is not saved is one", () => {
  assert.ok(!saysTheSame({ ...typed, lecture: null }, saved));
  assert.ok(!saysTheSame({ ...typed, lessons: [typed.lessons[1], typed.lessons[0]] }, saved));
  assert.ok(!saysTheSame({ ...typed, lessons: typed.lessons.slice(0, 1) }, saved));
  const renamed = { ...typed.lessons[0], id: "clock" };
  assert.ok(!saysTheSame({ ...typed, lessons: [renamed, typed.lessons[1]] }, saved));
});
