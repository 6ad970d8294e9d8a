// Buys in onStart, then exits and buys in turn after a fixed number of bars. Its state is a counter and a flag.
import { int, Strategy } from 'isobar';

export default class StartBuyer extends Strategy.with({ holdBars: int(17) }) {
  starts = 0;
  barCount = 0;
  isInvested = false;

  override onStart() {
    this.starts++;
    this.buy({ base: '0.02' });
    this.isInvested = true;
  }

  override onBar() {
    this.barCount++;
    if (this.barCount % this.params.holdBars !== 0) return;
    if (this.isInvested) this.exit();
    // A wrong count of starts shows in the size.
    else this.buy({ base: this.starts === 1 ? '0.02' : '0.5' });
    this.isInvested = !this.isInvested;
  }
}
