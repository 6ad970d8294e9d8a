// The world of a live bot: the exchange behind REST, a journal on disk, the clock of the exchange. Its bot is that of a backtest.

import { ContainerModule } from 'inversify';
import type { ExchangePort } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import type { Fence } from '../orders/prove/fence.ts';
import { DueQueue } from '../ports/dueQueue.ts';
import { TOKENS } from './tokens.ts';

export interface LiveWorld {
  readonly exchange: ExchangePort;
  readonly journal: Journal;
  readonly fence: Fence;
}

export function liveModule({ exchange, journal, fence }: LiveWorld): ContainerModule {
  return new ContainerModule(({ bind }) => {
    // Woken by whoever drives the bot, on the time of the exchange.
    bind(TOKENS.queue).toConstantValue(new DueQueue());
    bind(TOKENS.journal).toConstantValue(journal);
    bind(TOKENS.fence).toConstantValue(fence);
    bind(TOKENS.exchange).toConstantValue(exchange);
  });
}
