// Watches thirty signals over sixty averages by `when`. The first two signals trade, the others only count.
import { crossedUp, sma, Strategy } from 'isobar';

export default class ThirtySignals extends Strategy {
  crossCount = 0;
  signals = Array.from({ length: 30 }, (_, signalIndex) => {
    const fast = this.use(sma(this.bars.close, 5 + signalIndex));
    const slow = this.use(sma(this.bars.close, 60 + 3 * signalIndex));
    return this.when(signalIndex % 2 === 0 ? crossedUp(fast, slow) : crossedUp(slow, fast), () => this.onSignal(signalIndex));
  });

  onSignal(signalIndex: number) {
    if (signalIndex > 1) this.crossCount++;
    else if (signalIndex === 0 && this.position().isFlat) this.buy();
    else if (signalIndex === 1 && !this.position().isFlat) this.exit();
  }
}
