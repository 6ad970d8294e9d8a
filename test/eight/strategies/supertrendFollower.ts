// Holds a long position while the Supertrend rises. The stop follows its line.
import { above, crossedDown, crossedUp, float, int, Strategy, supertrend, type OrderId } from 'isobar';

export default class SupertrendFollower extends Strategy.with({
  bars: int(10, { min: 2, max: 200 }),
  widths: float(2.5, { min: 0.5, max: 10 }),
}) {
  trend = this.use(supertrend(this.bars, this.params.bars, this.params.widths), { pane: 'price' });
  entry: OrderId | null = null;
  stop = 0;

  up = this.when(crossedUp(this.trend.direction, 0), () => {
    if (!this.position().isFlat || this.openOrders().length > 0) return;
    this.stop = this.trend.value.value;
    this.entry = this.buy({ equity: 0.8 }, { stopLoss: this.stop });
  });
  down = this.when(crossedDown(this.trend.direction, 0), () => {
    this.entry = null;
    this.exit();
  });
  rising = this.when(above(this.trend.direction, 0), () => {
    const line = this.trend.value.value;
    if (this.entry !== null && line > this.stop && this.amend(this.entry, { stop: line }) !== null) this.stop = line;
  });
}
