// The world of a live bot: an exchange behind REST, a journal on disk, and the exchange's clock. The other parts equal those of a backtest.

import type { OrderGateway } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import type { AbsenceBounds } from '../orders/prove/absenceBounds.ts';
import type { World } from './bot.ts';
import { PARTS } from './parts.ts';
import { TOKENS } from './tokens.ts';

export interface LivePorts {
  readonly exchange: OrderGateway;
  readonly journal: Journal;
  readonly absenceBounds: AbsenceBounds;
}

export function liveWorld({ exchange, journal, absenceBounds: bounds }: LivePorts): World {
  return ({ bind, own }) => {
    bind(own(PARTS.journal)).toConstantValue(journal);
    bind(own(PARTS.exchange)).toConstantValue(exchange);
    bind(own(PARTS.barMarket)).toConstantValue(null);
    bind(TOKENS.absenceBounds).toConstantValue(bounds);
    bind(TOKENS.venue).toConstantValue(null);
  };
}
