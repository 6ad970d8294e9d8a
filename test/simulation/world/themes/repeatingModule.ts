// A user's module between the bot and its exchange adapter, as `isobar/compose` allows in paper mode. It asks for some orders twice.

import type { Rng } from '../../../../src/base/number/rng.ts';
import { composeModule, PARTS, passOn } from '../../../../src/compose.ts';
import { SEEDS_PER_THEME, themeOf } from './themedDay.ts';

/** The days of the theme `crowd` have the module from this one on. */
const FIRST_MODULE_DAY = 700;
/** True for a day whose bot has the module. */
export const hasRepeatingModule = (seed: number): boolean => themeOf(seed) === 'crowd' && (seed - 1) % SEEDS_PER_THEME >= FIRST_MODULE_DAY;
/** Part of the error with which a bot stops in place of sending an order twice. */
export const SENT_TWICE = 'is sent a second time';
/** Share of the orders that the module asks for twice. */
const REPEATED_SHARE = 0.04;

/** Returns the module. `rng` draws the orders that it asks for twice. */
export const repeatingModule = (rng: Rng) =>
  composeModule('repeating', ({ rebind }) => {
    rebind(PARTS.exchange).wrap((exchange) =>
      passOn(exchange, {
        submit(order, seq) {
          exchange.submit(order, seq);
          if (rng.next() < REPEATED_SHARE) exchange.submit(order, seq);
        },
      }),
    );
  });
