// Pairs: buys the one of two symbols that lags, when their spread by a rolling beta is far from its mean.
import { beta, custom, float, int, log, Strategy, zscore } from 'isobar';

export default class Pairs extends Strategy.with({
  bars: int(60, { min: 10, max: 2000, unit: 'bars', help: 'of the beta and of the mean of the spread' }),
  entry: float(2, { min: 0.1, max: 10, unit: 'standard deviations', help: 'a spread so far from its mean opens' }),
  weight: float(0.9, { min: 0.01, max: 1, unit: 'of equity', help: 'in the symbol that lags' }),
}) {
  other = this.feed('other');
  prices = [log(this.bars.close), log(this.other.close)] as const;
  hedge = this.use(beta(...this.prices, this.params.bars));
  spread = custom([...this.prices, this.hedge], () => (a, b, ratio) => a - ratio * b, { pure: true });
  z = this.plot('z-score', zscore(this.spread, this.params.bars));

  override onBar() {
    if (!this.bars.fresh) return;
    const [first, second] = [this.bars.instrument.wireName, this.other.instrument.wireName];
    const side = !this.position().isFlat ? 1 : !this.position(this.other).isFlat ? -1 : 0;
    const { entry, weight } = this.params;
    if (side === 0 && this.z.value < -entry) this.rebalance({ [first]: weight });
    if (side === 0 && this.z.value > entry) this.rebalance({ [second]: weight });
    if (side * this.z.value > 0) this.rebalance({});
  }
}
