// Buys and sells in turn, one order at every bar. The bench measures what a fill costs in the whole command.
import { Strategy } from 'isobar';

export default class EveryBar extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy();
    else this.exit();
  }
}
