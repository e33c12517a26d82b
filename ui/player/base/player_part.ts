// What every part of the player begins with: the player that it is a part of.
import type { Player } from "../player.ts";

export class PlayerPart {
  readonly player: Player;

  constructor(player: Player) {
    this.player = player;
  }
}
