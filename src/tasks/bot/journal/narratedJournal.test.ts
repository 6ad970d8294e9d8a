// Tests what the log of a bot says about the stops of its orders.

import { expect, test } from 'vitest';
import { lots, ticks } from '../../../base/brand.ts';
import type { Order } from '../../../model/order.ts';
import { BotOrder } from '../../../orders/botOrder.ts';
import type { Journal } from '../../../ports/journal.ts';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { NarratedJournal } from './narratedJournal.ts';

/** Returns the sentence by which an order with these terms is reported. */
function sentence(terms: Partial<Order>, isContract = true): string {
  const { contract, ...rest } = PERPETUAL;
  const order = new BotOrder();
  order.begin(1, 0, { ...rest, wireName: 'E-ETH-USDT', priceDigits: 2, ...(isContract ? { contract: contract! } : {}) }, 0, 'buy', 1);
  const reported: string[] = [];
  const decided = (_strategy: number, message: string): void => void reported.push(message);
  const journal = new NarratedJournal({ submitted: () => 1 } as unknown as Journal, {
    afterSend: (run) => run(),
    onDecision: decided,
    denialText: String,
  });
  journal.submitted(Object.assign(order, { lots: lots(5), role: 'market' as const }, terms));
  return reported.join();
}

test('a stop on a contract that the exchange does not know is named with the order', () => {
  const ending = ' at the market; the bot keeps its stop, the exchange does not know it: sent';
  expect(sentence({ stopLoss: ticks(240_000) })).toContain(ending);
  expect(sentence({ trailing: ticks(500) })).toContain(ending);
});

test('an order without a stop, and one on spot, where every stop is the bot’s own, say nothing of it', () => {
  expect(sentence({ takeProfit: ticks(260_000) })).toMatch(/ at the market: sent$/);
  expect(sentence({ stopLoss: ticks(240_000) }, false)).toMatch(/ at the market: sent$/);
});
