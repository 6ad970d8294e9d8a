// Trades at every bar.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class Churn extends Strategy.with({ fast: int(10), slow: int(30) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));

  override onBar() {
    if (this.position().isFlat) this.buy();
    else this.exit();
  }
}
