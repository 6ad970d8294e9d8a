// Tests which closed bars trigger and move the local stops of a bot.

import { expect, test } from 'vitest';
import type { Engine } from '../../../engine/engine.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';
import { Brackets } from '../../../orders/stops/brackets.ts';
import { checkStopsAtRow } from './localStops.ts';

const OPEN_MS = 60_000;
const CLOSE_MS = 120_000;

/**
 * Arms a long entry at 100.00 with a stop at 95.00 and a trailing distance of 3.00, filled at `filledMs`. Returns at which prices the bar with
 * this low triggers the stop, and the best price from which the trailing stop then measures, both in ticks of 0.01.
 */
function watchBar(filledMs: number, low: number): { readonly hits: readonly number[]; readonly best: number } {
  const brackets = new Brackets(1);
  const entry = { id: 1, strategy: 0, instrumentIndex: 0, side: 'buy', stopLoss: 9500, trailing: 300, trailingPpm: 0, trailingFrom: 0 };
  brackets.arm(entry as never, 10, 10_000, filledMs);
  const hits: number[] = [];
  const bars = {
    openMs: Float64Array.of(OPEN_MS),
    closeMs: Float64Array.of(CLOSE_MS),
    open: Float64Array.of(100),
    high: Float64Array.of(110),
    low: Float64Array.of(low),
    close: Float64Array.of(104),
  };
  const engine = {
    brackets,
    bracketManager: { hit: (_: unknown, price: number) => void hits.push(price) },
    drafts: { entries: { fireAtOpen: () => {}, fireInRow: () => {} } },
    orders: { active: () => [] },
  };
  const feed = { instrumentIndex: 0, instrument: { priceDigits: 2 }, bars };
  checkStopsAtRow(engine as unknown as Engine, feed as unknown as FeedRun, 0);
  return { hits, best: brackets.list(0)[0]!.bestTicks };
}

test('a bar that reached a stop triggers it, if the entry filled before or inside the bar', () => {
  expect(watchBar(OPEN_MS - 1000, 94).hits).toEqual([9700]);
  expect(watchBar(CLOSE_MS - 1000, 94).hits).toEqual([9700]);
  expect(watchBar(CLOSE_MS, 94).hits).toEqual([9700]);
});

test('a bar that closed before the entry filled neither triggers its stop nor moves its trailing stop', () => {
  expect(watchBar(CLOSE_MS + 1, 94)).toEqual({ hits: [], best: 10_000 });
});

test('a trailing stop follows the high of a bar after its entry, and the close of the bar of its entry', () => {
  expect(watchBar(OPEN_MS - 1000, 99).best).toBe(11_000);
  expect(watchBar(CLOSE_MS - 1000, 99).best).toBe(10_400);
});

/** A market buy by quantity that was sent `sentMs` after the open of the bar and has filled `filledLots`. Returns whether the bar cancels it. */
function isCancelledByBar(sentMs: number, filledLots: number): boolean {
  const order = {
    instrumentIndex: 0,
    role: 'market',
    lots: 10,
    limit: 10_100,
    timeInForce: null,
    firedAtTicks: 0,
    filledLots,
    createdMs: OPEN_MS + sentMs,
    arrivedMs: OPEN_MS + sentMs + 5,
  };
  const cancelled: unknown[] = [];
  const engine = {
    nowMs: CLOSE_MS + 1000,
    brackets: new Brackets(1),
    orders: { active: () => [order], cancel: (cancelledOrder: unknown) => void cancelled.push(cancelledOrder) },
  };
  const bars = { openMs: Float64Array.of(OPEN_MS), closeMs: Float64Array.of(CLOSE_MS) };
  checkStopsAtRow(engine as unknown as Engine, { instrumentIndex: 0, bars } as unknown as FeedRun, 0);
  return cancelled.includes(order);
}

test('a market buy by quantity that has filled in part is cancelled when the bar in which it filled has closed', () => {
  expect(isCancelledByBar(2000, 4)).toBe(true);
});

test('a market buy by quantity without a fill waits for the bar that opens after its arrival', () => {
  expect(isCancelledByBar(2000, 0)).toBe(false);
  expect(isCancelledByBar(-2000, 0)).toBe(true);
});

test('a bar that had closed before the order was decided on does not cancel it', () => {
  expect(isCancelledByBar(CLOSE_MS - OPEN_MS, 4)).toBe(false);
});
