// A user's module between the bot and its exchange adapter, as `isobar/compose` allows in paper mode. It asks for some orders twice.

import type { Rng } from '../../../../src/base/number/rng.ts';
import { composeModule, PARTS, passOn } from '../../../../src/compose.ts';
import type { ComposeModule } from '../../../../src/definition/plan/module.ts';
import { SEEDS_PER_THEME, themeOf } from './themedDay.ts';

/** The days of the theme `crowd` have the module from this one on. */
const FIRST_MODULE_DAY = 700;

/** True for a day whose bot has the module. */
export const hasRepeatingModule = (seed: number): boolean => themeOf(seed) === 'crowd' && (seed - 1) % SEEDS_PER_THEME >= FIRST_MODULE_DAY;
/** Matches the error with which a bot stops instead of sending an order twice. */
const SENT_TWICE = /^order (\d+) is sent a second time/;
/** Share of the orders that the module asks for twice. */
const REPEATED_SHARE = 0.04;

/** The module of one day. */
export class RepeatingModule {
  readonly module: ComposeModule;
  /** Numbers of the orders that it has asked for twice. */
  readonly #repeatedOrders = new Set<number>();

  /** `rng` draws the orders that it asks for twice. */
  constructor(rng: Rng) {
    this.module = composeModule('repeating', ({ rebind }) => {
      rebind(PARTS.exchange).wrap((exchange) =>
        passOn(exchange, {
          submit: (order, seq) => {
            exchange.submit(order, seq);
            if (rng.next() >= REPEATED_SHARE) return;
            this.#repeatedOrders.add(order.id);
            exchange.submit(order, seq);
          },
        }),
      );
    });
  }

  /** True for the error of a bot about an order that the module has asked for twice. */
  explains(error: string): boolean {
    const [, order] = SENT_TWICE.exec(error) ?? [];
    return order !== undefined && this.#repeatedOrders.has(Number(order));
  }
}
