// Reads twenty earlier closes at every bar.
import { Strategy } from 'isobar';

const BACK = 20;

export default class AgoTwenty extends Strategy {
  close = this.use(this.bars.close, { depth: BACK });

  override onBar() {
    let sum = 0;
    for (let back = 1; back <= BACK; back++) sum += this.close.ago(back);
    const mean = sum / BACK;
    if (this.close.value > mean && this.position().isFlat) this.buy();
    else if (this.close.value < mean && !this.position().isFlat) this.exit();
  }
}
