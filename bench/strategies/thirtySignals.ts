// Thirty `when` over sixty averages: two of them trade, the others count.
import { crossedUp, sma, Strategy } from 'isobar';

export default class ThirtySignals extends Strategy {
  seen = 0;
  signals = Array.from({ length: 30 }, (_, pair) => {
    const fast = this.use(sma(this.bars.close, 5 + pair));
    const slow = this.use(sma(this.bars.close, 60 + 3 * pair));
    return this.when(pair % 2 === 0 ? crossedUp(fast, slow) : crossedUp(slow, fast), () => this.act(pair));
  });

  act(pair: number) {
    if (pair > 1) this.seen++;
    else if (pair === 0 && this.position().isFlat) this.buy();
    else if (pair === 1 && !this.position().isFlat) this.exit();
  }
}
