// Long while the fast average of closes is above the slow one: the `when` form, whose functions are called only on crossings.
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';

export default class SmaCross extends Strategy.with({ fast: int(10, { min: 1, unit: 'bars' }), slow: int(30, { min: 2, unit: 'bars' }) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => { if (this.position().isFlat) this.buy(); }); // prettier-ignore
  down = this.when(crossedDown(this.fast, this.slow), () => { this.exit(); }); // prettier-ignore
}
