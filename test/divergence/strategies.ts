// Provides strategies for comparisons of bots with backtests: brackets, decisions by fills, timers, and both sides of a contract.

import { Strategy } from '../../src/index.ts';

/** Returns a price times a factor, rounded to the tick of 0.01. */
const roundedTimes = (price: number, factor: number): number => Math.round(price * factor * 100) / 100;

/** Enters with brackets, once at the market and once by a resting limit. */
export class BracketTrader extends Strategy {
  barCount = 0;
  override onBar() {
    const barInCycle = this.barCount++ % 5;
    const price = this.bars.close.value;
    const priceTimes = (factor: number): number => roundedTimes(price, factor);
    if (barInCycle === 0 && this.position().isFlat) this.buy({ base: '4' }, { takeProfit: priceTimes(1.01), stopLoss: priceTimes(0.985) });
    if (barInCycle === 3) this.buy({ base: '1' }, { limit: priceTimes(0.99), takeProfit: priceTimes(1.02) });
    if (barInCycle === 4) this.exit();
  }
}

/** Decides by the number of its own fills, so that a fill too many or too few changes all later decisions. */
export class FillReactor extends Strategy {
  fillCount = 0;
  override onFill() {
    this.fillCount++;
  }
  override onBar() {
    if (this.fillCount % 2 === 0 && this.position().isFlat) this.buy({ quote: '700' });
    else if (this.fillCount % 3 === 2 || this.bars.close.value > this.bars.open.value) this.exit();
  }
}

/** Trades by a timer, not by bars. */
export class TimerTrader extends Strategy {
  override onStart() {
    this.every('3h', () => void (this.position().isFlat ? this.buy({ base: '3' }) : this.exit()));
  }
}

/** Goes long and short in a contract, with a stop-loss and a take-profit. */
export class LongShortTrader extends Strategy {
  barCount = 0;
  override onBar() {
    const barInCycle = this.barCount++ % 6;
    const price = this.bars.close.value;
    if (barInCycle === 0) this.buy({ base: '5' }, { stopLoss: roundedTimes(price, 0.97) });
    if (barInCycle === 2) this.exit();
    if (barInCycle === 3) this.sell({ base: '5' }, { takeProfit: roundedTimes(price, 0.98) });
    if (barInCycle === 5) this.exit();
  }
}
