// Decides an SMA cross as grademark does: by which average is above, and not on the bar in which its own order fills.
import { int, sma, Strategy } from 'isobar';

export default class SmaPause extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  isPausing = false;

  override onBar() {
    if (this.isPausing) {
      this.isPausing = false;
      return;
    }
    const [fast, slow] = [this.fast.value, this.slow.value];
    const { isFlat } = this.position();
    if (isFlat ? fast <= slow : fast >= slow) return;
    if (isFlat) this.buy();
    else this.exit();
    this.isPausing = true;
  }
}
