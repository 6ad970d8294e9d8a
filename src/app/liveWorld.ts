// The world of a live bot: an exchange behind REST and a journal on disk. The other parts are the same as in a backtest.

import type { OrderGateway } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import type { AbsenceBounds } from '../orders/prove/absenceBounds.ts';
import type { World } from './bot.ts';
import { PARTS } from './parts.ts';
import { TOKENS } from './tokens.ts';

/** The parts that a live bot has from outside. */
export interface LivePorts {
  readonly exchange: OrderGateway;
  readonly journal: Journal;
  readonly absenceBounds: AbsenceBounds;
}

/** Returns the world of a live bot. It has no bar market and no simulated venue. */
export function liveWorld({ exchange, journal, absenceBounds }: LivePorts): World {
  return ({ bind, own }) => {
    bind(own(PARTS.journal)).toConstantValue(journal);
    bind(own(PARTS.exchange)).toConstantValue(exchange);
    bind(own(PARTS.barMarket)).toConstantValue(null);
    bind(TOKENS.absenceBounds).toConstantValue(absenceBounds);
    bind(TOKENS.venue).toConstantValue(null);
  };
}
