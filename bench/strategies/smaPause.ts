// The SMA cross as grademark decides it: by which average is above, and not at all on the bar on which it enters or leaves.
import { int, sma, Strategy } from 'isobar';

export default class SmaPause extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  pauses = false;

  override onBar() {
    if (this.pauses) {
      this.pauses = false;
      return;
    }
    const [fast, slow] = [this.fast.value, this.slow.value];
    const { isFlat } = this.position();
    if (isFlat ? fast <= slow : fast >= slow) return;
    if (isFlat) this.buy();
    else this.exit();
    this.pauses = true;
  }
}
