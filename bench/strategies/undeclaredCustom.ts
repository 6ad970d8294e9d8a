// Trades an SMA cross and has a custom indicator that is not declared pure, so that the run uses blocks of one row.
import { crossedDown, crossedUp, custom, int, sma, Strategy } from 'isobar';

export default class UndeclaredCustom extends Strategy.with({ fast: int(10), slow: int(30) }) {
  unchangedClose = this.use(custom(this.bars.close, () => (close) => close));
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.use(crossedUp(this.fast, this.slow));
  down = this.use(crossedDown(this.fast, this.slow));

  override onBar() {
    if (this.up.value && this.position().isFlat) this.buy();
    if (this.down.value) this.exit();
  }
}
