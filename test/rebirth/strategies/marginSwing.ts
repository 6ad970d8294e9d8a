// Trades a contract by a state machine that is a generator. Sizes are random, and entries have trailing stops.
import { rsi, Strategy } from 'isobar';

/** The RSI at or beyond which the strategy enters. */
const OVERSOLD = 35;
const OVERBOUGHT = 65;

export default class MarginSwing extends Strategy.with({}) {
  strength = this.use(rsi(this.bars.close, 7));
  steps = this.#stateMachine();

  /** Waits for an extreme strength, holds a position for some bars, and starts again. The state is that of the generator. */
  *#stateMachine(): Generator<undefined, never, undefined> {
    let round = 0;
    for (;;) {
      // Each `yield` waits for the next bar.
      while (this.strength.value > OVERSOLD && this.strength.value < OVERBOUGHT) yield undefined;
      const isLong = this.strength.value <= OVERSOLD;
      const size = { equity: (0.2 + this.random() * 0.4).toFixed(2) };
      const close = this.bars.close.value;
      const options = { trailing: close * 0.006, tag: `round ${++round}` };
      if (isLong) this.buy(size, options);
      else this.sell(size, options);
      for (let bar = 0; bar < 5 + (round % 4); bar++) yield undefined;
      if (!this.position().isFlat) this.exit();
      yield undefined;
      yield undefined;
    }
  }

  override onBar() {
    this.steps.next();
  }
}
