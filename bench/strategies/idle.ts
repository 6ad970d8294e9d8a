// Reads signals at every bar and never trades. The bench measures the loop, the indicators and the equity without orders.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class Idle extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));
  /** Keeps the compiler from removing the reads of the signals. */
  crossBalance = 0;

  override onBar() {
    if (this.up.value && this.position().isFlat) this.crossBalance++;
    if (this.down.value) this.crossBalance--;
  }
}
