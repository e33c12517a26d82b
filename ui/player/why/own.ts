// A trigger's own words for its own way to fire.
import { say, valueText } from "../base/format.ts";
import type { Fields, Way } from "../types/player.ts";
import type { Player } from "../player.ts";

/**
 * What the trigger's own words say of its own way to fire, such as a count: `name` is `headline`, `advice`, `check`
 * and so on. The trigger names the variant of the words in the column `phase`. Null where the way is not one of these.
 * @param about more fields for the words
 */
export function sayOwn(player: Player, way: Way, name: string, about: Fields = {}) {
  const words = player.payload.firing.ways[way.kind];
  if (!words) return null;
  const { needs, has } = way;
  const fields = {
    ...about,
    needs: valueText(needs),
    has: valueText(has),
    missing: Math.max(needs - has, 1),
    above: valueText(needs + has),
  };
  return say(words[`${name}_${way.phase}`] ?? words[name], fields);
}
