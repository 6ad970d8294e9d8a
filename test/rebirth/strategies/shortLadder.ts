// Long and short limit entries of a contract. Each fill places a trigger order as its stop. The entries are kept as a list of records.
import { highest, lowest, Strategy, type FillInfo, type OrderId } from 'isobar';

/** A limit entry with the level of its later stop. */
interface Entry {
  readonly id: OrderId;
  readonly isLong: boolean;
  readonly stop: number;
}

export default class ShortLadder extends Strategy.with({}) {
  upper = this.use(highest(this.bars.high, 12));
  lower = this.use(lowest(this.bars.low, 12));
  entries: Entry[] = [];
  stopCount = 0;
  barCount = 0;

  override onBar() {
    this.barCount++;
    const close = this.bars.close.value;
    const { isFlat, isLong } = this.position();
    const isAtExtreme = isLong ? close >= this.upper.prev : close <= this.lower.prev;
    if (isFlat && this.barCount % 4 === 0 && this.openOrders().length === 0) {
      const size = { equity: '0.4' };
      const goesLong = this.stopCount % 2 === 0;
      const limit = goesLong ? (close + this.lower.value) / 2 : (close + this.upper.value) / 2;
      const stop = goesLong ? limit * 0.99 : limit * 1.01;
      const tag = `entry ${this.barCount}`;
      const id = goesLong ? this.buy(size, { limit, tag }) : this.sell(size, { limit, tag });
      this.entries.push({ id, isLong: goesLong, stop });
    } else if (!isFlat && isAtExtreme) this.exit();
    else if (isFlat && this.barCount % 9 === 0) for (const { id } of this.openOrders()) this.cancel(id);
  }

  override onFill({ orderId, qty }: FillInfo) {
    const entry = this.entries.find(({ id }) => id === orderId);
    if (entry === undefined) return;
    const close = this.bars.close.value;
    const stopOptions = { trigger: entry.stop, reduceOnly: true, tag: `stop ${++this.stopCount}` };
    const isBeyondStop = entry.isLong ? close <= entry.stop : close >= entry.stop;
    if (isBeyondStop) this.exit();
    else if (entry.isLong) this.sell({ base: qty }, stopOptions);
    else this.buy({ base: qty }, stopOptions);
  }
}
