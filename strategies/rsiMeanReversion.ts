// Mean reversion: buys when the RSI falls to oversold in a rising market. It sells after a recovery, after too many bars, or at a stop.
import { crossedDown, crossedUp, float, int, rsi, sma, Strategy } from 'isobar';

export default class RsiMeanReversion extends Strategy.with({
  rsiBars: int(14, { min: 2, max: 1000, unit: 'bars' }),
  oversold: float(30, { min: 1, max: 99, unit: 'RSI', help: 'falling below it enters' }),
  recovered: float(55, { min: 1, max: 99, unit: 'RSI', help: 'rising above it leaves' }),
  trendBars: int(200, {
    min: 2,
    max: 5000,
    unit: 'bars',
    help: 'dips are bought only above the average of this many closes',
  }),
  maxBars: int(48, { min: 1, max: 10_000, unit: 'bars', help: 'a position that has not recovered after this many bars is sold' }),
  stopShare: float(0.05, { min: 0.001, max: 0.9, unit: 'of the price', help: 'distance of the stop from the close that enters' }),
}) {
  strength = this.use(rsi(this.bars.close, this.params.rsiBars), { pane: 'RSI' });
  trend = this.use(sma(this.bars.close, this.params.trendBars), { pane: 'price' });
  heldBars = 0;

  dip = this.when(crossedDown(this.strength, this.params.oversold), () => {
    const close = this.bars.close.value;
    // In a long decline the RSI stays oversold for many bars, so the strategy does not buy dips of a falling market.
    if (!this.position().isFlat || close < this.trend.value) return;
    this.buy(undefined, { stopLoss: close * (1 - this.params.stopShare) });
    this.heldBars = 0;
  });
  back = this.when(crossedUp(this.strength, this.params.recovered), () => {
    this.exit();
  });

  // The trade expects a quick recovery. If the market has not recovered after some bars, the position has no reason.
  override onBar() {
    if (this.position().isLong && ++this.heldBars >= this.params.maxBars) this.exit();
  }
}
