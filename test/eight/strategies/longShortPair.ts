// Trades a pair: sells the contract that is too expensive by a rolling beta and buys the other, until their spread is normal again.
import { beta, custom, float, int, log, Strategy, zscore } from 'isobar';

export default class LongShortPair extends Strategy.with({ bars: int(48, { min: 5, max: 500 }), entry: float(1.8, { min: 0.1, max: 5 }) }) {
  other = this.feed('other');
  prices = [log(this.bars.close), log(this.other.close)] as const;
  hedge = this.use(beta(...this.prices, this.params.bars));
  spread = custom([...this.prices, this.hedge], () => (a, b, ratio) => a - ratio * b, { pure: true });
  z = this.plot('z-score', zscore(this.spread, this.params.bars));
  side = 0;

  override onBar() {
    if (!this.bars.fresh || !this.other.fresh) return;
    const previousSide = this.side;
    if (this.side * this.z.value > 0) this.side = 0;
    if (this.side === 0 && Math.abs(this.z.value) > this.params.entry) this.side = -Math.sign(this.z.value);
    if (this.side === previousSide) return;
    const ratio = Math.min(2, Math.max(0.2, this.hedge.value));
    const [ownSymbol, otherSymbol] = [this.bars.instrument.wireName, this.other.instrument.wireName];
    this.rebalance({ [ownSymbol]: 0.5 * this.side, [otherSymbol]: -0.5 * ratio * this.side }, { band: '0.02', minTrade: '20' });
  }
}
