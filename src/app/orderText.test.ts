// Tests the sentences about orders in the log of a bot.

import { expect, test } from 'vitest';
import { lots, ticks } from '../base/brand.ts';
import type { Order } from '../model/order.ts';
import { BotOrder } from '../orders/botOrder.ts';
import { PERPETUAL } from '../../test/service/futuresFixture.ts';
import { orderText } from './orderText.ts';

/** Returns the sentence about a market order with these terms. */
function text(terms: Partial<Order>): string {
  const order = new BotOrder();
  order.begin(1, 0, { ...PERPETUAL, wireName: 'E-ETH-USDT', priceDigits: 2 }, 0, 'sell', 1);
  return orderText(Object.assign(order, { lots: lots(5429), role: 'market' as const }, terms));
}

test('the sentence about an order has its side, its size and its limit, or says that it is at the market', () => {
  expect(text({ reduceOnly: true })).toBe('sell 5429 contracts of E-ETH-USDT at the market, reducing');
  expect(text({ role: 'limit', limit: ticks(255_712) })).toBe('sell 5429 contracts of E-ETH-USDT at 2557.12');
});

test('the sentence about a market order with a collar says what a buy pays at most and what a sell takes at least', () => {
  expect(text({ limit: ticks(255_712) })).toBe('sell 5429 contracts of E-ETH-USDT at least 2557.12');
  expect(text({ side: 'buy', limit: ticks(255_712) })).toBe('buy 5429 contracts of E-ETH-USDT at most 2557.12');
});

test('the sentence about a trigger order has the price at which it triggers', () => {
  const waiting = { triggerTicks: ticks(255_712), triggersAbove: false };
  expect(text({ ...waiting, role: 'stopLoss', reduceOnly: true })).toBe(
    'sell 5429 contracts of E-ETH-USDT at the market once the price is at or below 2557.12, reducing',
  );
  expect(text({ ...waiting, triggersAbove: true, role: 'condition', limit: ticks(255_000) })).toBe(
    'sell 5429 contracts of E-ETH-USDT at 2550 once the price is at or above 2557.12',
  );
});
