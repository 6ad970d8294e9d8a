// The SMA cross in its `onBar` form, which is called at every close, for decisions that need more than a signal. Trades like smaCross.ts.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class SmaCrossOnBar extends Strategy.with({
  fast: int(10, { min: 1, unit: 'bars', help: 'length of the fast average' }),
  slow: int(30, { min: 2, unit: 'bars', help: 'length of the slow average' }),
}) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));

  override onBar() {
    if (this.up.value && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
