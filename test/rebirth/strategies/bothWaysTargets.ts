// A long or a short of a contract, opened at an extreme strength, with three targets, a stop and a trailing stop.
import { rsi, Strategy } from 'isobar';

/** The RSI at or beyond which the strategy enters. */
const OVERSOLD = 35;
const OVERBOUGHT = 65;

export default class BothWaysTargets extends Strategy.with({}) {
  strength = this.use(rsi(this.bars.close, 7));
  barCount = 0;

  override onBar() {
    if (++this.barCount % 37 === 0) this.exit();
    else if (this.position().isFlat && this.openOrders().length === 0) this.enter(this.bars.close.value);
  }

  /** Buys or sells short at an extreme strength, with three targets, a stop and a trailing stop. */
  private enter(close: number): void {
    const strength = this.strength.value;
    if (strength > OVERSOLD && strength < OVERBOUGHT) return;
    const sign = strength <= OVERSOLD ? 1 : -1;
    const priceAway = (share: number) => close * (1 + sign * share);
    const targets = [{ at: priceAway(0.002), share: 0.4 }, { at: priceAway(0.004), share: 0.4 }, { at: priceAway(0.01) }];
    const options = { targets, stopLoss: priceAway(-0.012), trailing: close * 0.008 };
    if (sign > 0) this.buy({ equity: '0.4' }, options);
    else this.sell({ equity: '0.4' }, { ...options, limit: priceAway(-0.0004) });
  }
}
