// Buys and sells on crossings. All of its state is in closures of its handlers.
import { crossedDown, crossedUp, sma, Strategy } from 'isobar';

export default class ClosureCounter extends Strategy.with({}) {
  fast = this.use(sma(this.bars.close, 3));
  slow = this.use(sma(this.bars.close, 8));
  handlers = this.#registerHandlers();

  /** Counts the crossings in variables of a closure, which decide the size. */
  #registerHandlers() {
    let crossings = 0;
    let skipped = 0;
    const up = this.when(crossedUp(this.fast, this.slow), () => {
      crossings++;
      if (crossings % 3 === 0) skipped++;
      else if (this.position().isFlat) this.buy({ base: (0.01 + (skipped % 5) * 0.002).toFixed(3) });
    });
    const down = this.when(crossedDown(this.fast, this.slow), () => {
      if (crossings % 4 !== 1) this.exit();
    });
    return { up, down };
  }
}
