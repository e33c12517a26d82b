// A list to choose from: the mouse chooses at once, the keys only where one stops.
import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { onChosen } from "../../ui/author/buttons.ts";

/** A list on which keys and changes happen, and what was chosen on it. */
function listed() {
  const list = Object.assign(new EventTarget(), { value: "" });
  const chosen = [];
  onChosen(list, (value) => chosen.push(value));
  const key = (name, value) => {
    list.dispatchEvent(Object.assign(new Event("keydown"), { key: name }));
    if (value === undefined) return;
    list.value = value;
    list.dispatchEvent(new Event("change"));
  };
  return { list, chosen, key };
}

test("with the mouse a value is chosen at once, and once", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { list, chosen } = listed();
  list.value = "sliding";
  list.dispatchEvent(new Event("change"));
  mock.timers.tick(5000);
  mock.timers.reset();
  assert.deepEqual(chosen, ["sliding"]);
});

test("letters and arrows on the way choose nothing", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { chosen, key } = listed();
  key("p", "processing-time");
  mock.timers.tick(300);
  key("u", "purging");
  mock.timers.tick(600);
  key("ArrowDown", "never");
  assert.deepEqual(chosen, []);
  mock.timers.tick(5000);
  mock.timers.reset();
  assert.deepEqual(chosen, ["never"]);
});

test("Enter, or leaving the list, chooses where one is", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { list, chosen, key } = listed();
  key("s", "session");
  key("Enter");
  key("t", "tumbling");
  list.dispatchEvent(new Event("blur"));
  mock.timers.tick(5000);
  mock.timers.reset();
  assert.deepEqual(chosen, ["session", "tumbling"]);
});
