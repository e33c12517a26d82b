// The line above the picture: whatever the fates, its parts add up to what has arrived.
import assert from "node:assert/strict";
import test from "node:test";
import { accountOf } from "../../ui/player/picture/account.ts";

test("what has arrived is counted, lost, at the side, filtered or still waiting", () => {
  const fates = { "on-time": 5, "late-accepted": 2, dropped: 1, skipped: 1, side: 3, filtered: 2, arrived: 1 };
  const account = accountOf({ came: 15, ...fates, waiting: 4 });
  assert.deepEqual(account, { arrived: 15, counted: 3, lost: 2, side: 3, filtered: 2, waiting: 5 });
  const { arrived, ...parts } = account;
  assert.equal(
    arrived,
    Object.values(parts).reduce((sum, each) => sum + each),
  );
});

test("a run that has just begun has nothing to account for", () => {
  assert.deepEqual(accountOf({}), { arrived: 0, counted: 0, lost: 0, side: 0, filtered: 0, waiting: 0 });
});
