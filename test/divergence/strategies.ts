// Strategies of the bots that are compared: brackets, decisions by fills, timers, and both sides of a contract.

import { Strategy } from '../../src/index.ts';

/** Brackets whose legs come of fills inside a bar, and an entry that rests. */
export class Bracketed extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++ % 5;
    const price = this.bars.close.value;
    const near = (factor: number): number => Math.round(price * factor * 100) / 100;
    if (at === 0 && this.position().isFlat) this.buy({ base: '4' }, { takeProfit: near(1.01), stopLoss: near(0.985) });
    if (at === 3) this.buy({ base: '1' }, { limit: near(0.99), takeProfit: near(1.02) });
    if (at === 4) this.exit();
  }
}

/** Fills of its own decide what it does next. */
export class Listener extends Strategy {
  bought = 0;
  override onFill() {
    this.bought++;
  }
  override onBar() {
    if (this.bought % 2 === 0 && this.position().isFlat) this.buy({ quote: '700' });
    else if (this.bought % 3 === 2 || this.bars.close.value > this.bars.open.value) this.exit();
  }
}

/** By conditions, not by bars. */
export class Waiting extends Strategy {
  override onStart() {
    this.every('3h', () => void (this.position().isFlat ? this.buy({ base: '3' }) : this.exit()));
  }
}

/** Long and short of a contract, with stops. */
export class Turning extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++ % 6;
    const price = this.bars.close.value;
    if (at === 0) this.buy({ base: '5' }, { stopLoss: Math.round(price * 97) / 100 });
    if (at === 2) this.exit();
    if (at === 3) this.sell({ base: '5' }, { takeProfit: Math.round(price * 98) / 100 });
    if (at === 5) this.exit();
  }
}
