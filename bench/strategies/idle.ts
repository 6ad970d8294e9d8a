// Reads signals at every bar and never trades. The bench measures the loop, the indicators and the equity without orders.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class Idle extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fastAverage = this.use(sma(this.bars.close, this.params.fast));
  slowAverage = this.use(sma(this.bars.close, this.params.slow));
  crossUp = this.use(crossedUp(this.fastAverage, this.slowAverage));
  crossDown = this.use(crossedDown(this.fastAverage, this.slowAverage));
  /** Keeps the compiler from removing the reads of the signals. */
  crossBalance = 0;

  override onBar() {
    if (this.crossUp.value && this.position().isFlat) this.crossBalance++;
    if (this.crossDown.value) this.crossBalance--;
  }
}
