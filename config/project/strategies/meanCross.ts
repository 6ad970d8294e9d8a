// Long while the fast average of closes is above the slow one and the market is not overbought.
import { crossedDown, crossedUp, float, int, rsi, sma, Strategy } from 'isobar';

export default class MeanCross extends Strategy.with({
  fast: int(10, { min: 1, max: 500, unit: 'bars', help: 'length of the fast average' }),
  slow: int(40, { min: 2, max: 1000, unit: 'bars', help: 'length of the slow average' }),
  overbought: float(75, { min: 50, max: 100, help: 'no entry while the RSI is above this' }),
}) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  strength = this.use(rsi(this.bars.close, 14));

  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat && this.strength.value < this.params.overbought) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}
