// Compares the close with the mean of twenty earlier closes, which it reads at every bar.
import { Strategy } from 'isobar';

const DEPTH = 20;

export default class EarlierCloses extends Strategy {
  close = this.use(this.bars.close, { depth: DEPTH });

  override onBar() {
    let sum = 0;
    for (let barsBack = 1; barsBack <= DEPTH; barsBack++) sum += this.close.ago(barsBack);
    const mean = sum / DEPTH;
    if (this.close.value > mean && this.position().isFlat) this.buy();
    else if (this.close.value < mean && !this.position().isFlat) this.exit();
  }
}
