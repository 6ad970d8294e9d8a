// Tests what the log of a bot says about the stops of its orders.

import { expect, test } from 'vitest';
import { lots, ticks } from '../../../base/brand.ts';
import type { Order } from '../../../model/order.ts';
import { BotOrder } from '../../../orders/botOrder.ts';
import type { Journal } from '../../../ports/journal.ts';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { NarratedJournal } from './narratedJournal.ts';

/** Returns the sentence by which an order with these terms is reported. */
function sentence(terms: Partial<Order>, { isContract } = { isContract: true }): string {
  const { contract, ...instrument } = PERPETUAL;
  const order = new BotOrder();
  order.begin(1, 0, { ...instrument, wireName: 'E-ETH-USDT', priceDigits: 2, ...(isContract ? { contract: contract! } : {}) }, 0, 'buy', 1);
  const reported: string[] = [];
  const journal = new NarratedJournal({ submitted: () => 1 } as unknown as Journal, {
    afterSend: (run) => run(),
    onDecision: (_strategy, message) => void reported.push(message),
    denialText: String,
  });
  journal.submitted(Object.assign(order, { lots: lots(5), role: 'market' as const }, terms));
  return reported.join();
}

test('the sentence about an order on a contract says that only the bot knows its stop', () => {
  const ending = ' at the market; the bot keeps its stop, the exchange does not know it: sent';
  expect(sentence({ stopLoss: ticks(240_000) })).toContain(ending);
  expect(sentence({ trailing: ticks(500) })).toContain(ending);
});

test('the sentence about an order without a stop, or on spot, does not mention stops', () => {
  expect(sentence({ takeProfit: ticks(260_000) })).toMatch(/ at the market: sent$/);
  expect(sentence({ stopLoss: ticks(240_000) }, { isContract: false })).toMatch(/ at the market: sent$/);
});
