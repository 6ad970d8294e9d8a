// Buys in onStart, sells after a number of bars, buys again after as many: a counter and a flag in fields.
import { int, Strategy } from 'isobar';

export default class StartBuyer extends Strategy.with({ hold: int(17) }) {
  starts = 0;
  age = 0;
  isIn = false;

  override onStart() {
    this.starts++;
    this.buy({ base: '0.02' });
    this.isIn = true;
  }

  override onBar() {
    this.age++;
    if (this.age % this.params.hold !== 0) return;
    if (this.isIn) this.exit();
    else this.buy({ base: this.starts === 1 ? '0.02' : '0.5' });
    this.isIn = !this.isIn;
  }
}
