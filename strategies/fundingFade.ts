// Fades moves out of the Bollinger bands, long and short. It opens no long shortly before funding is due, because longs mostly pay it.
import { atr, bollinger, float, int, Strategy } from 'isobar';

const FUNDING_MS = 8 * 3_600_000;

export default class FundingFade extends Strategy.with({
  bandBars: int(96, { min: 2, max: 5000, unit: 'bars' }),
  bandWidths: float(2.2, { min: 0.1, max: 10, unit: 'standard deviations' }),
  stopAtrs: float(5, { min: 0.1, max: 50, unit: 'ATR', help: 'distance of the stop from the close that enters' }),
  quietHours: float(2, { min: 0, max: 7, unit: 'hours', help: 'time before funding in which no long is opened' }),
}) {
  band = this.use(bollinger(this.bars.close, this.params.bandBars, this.params.bandWidths), { pane: 'price' });
  range = this.use(atr(this.bars, 48));

  override onBar() {
    const close = this.bars.close.value;
    const away = this.params.stopAtrs * this.range.value;
    const { isFlat, isLong } = this.position();
    if (isFlat && close < this.band.lower.value && !this.isQuiet()) this.buy(undefined, { stopLoss: close - away });
    else if (isFlat && close > this.band.upper.value) this.sell(undefined, { stopLoss: close + away });
    else if (isLong && close >= this.band.middle.value) this.exit();
    else if (!isFlat && !isLong && close <= this.band.middle.value) this.exit();
  }

  /** Returns true shortly before funding, which is due at 00:00, 08:00 and 16:00 UTC. */
  private isQuiet() {
    return FUNDING_MS - (this.nowMs % FUNDING_MS) <= this.params.quietHours * 3_600_000;
  }
}
