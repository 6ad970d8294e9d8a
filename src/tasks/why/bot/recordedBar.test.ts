// Tests which bar of a journal a question about a bot is about.

import { expect, test } from 'vitest';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { recordedBar, type BotFeed } from './recordedBar.ts';

const MINUTE_MS = 60_000;
const FEEDS: readonly BotFeed[] = [
  { name: 'bars', isExecutionOnly: false, bars: { interval: '1m', instrument: { id: 'spot:BTCUSDT', wireName: 'BTCUSDT' } } },
];

/** Returns a bar as an INSTANT record has it: feed, open time, open, high, low, close, volume. */
const bar = (minute: number): readonly number[] => [0, minute * MINUTE_MS, 100 + minute, 110 + minute, 90 + minute, 105 + minute, 1];
const instant = (endMinute: number, ...minutes: readonly number[]): JournalRecord =>
  ({ k: 'INSTANT', atMs: endMinute * MINUTE_MS, decided: true, bars: minutes.map(bar) }) as unknown as JournalRecord;
const intent = (order: number, minute: number): JournalRecord =>
  ({ k: 'INTENT', order, createdMs: minute * MINUTE_MS, symbol: 'spot:BTCUSDT' }) as unknown as JournalRecord;

/** The first instant after a start brings the two bars that ended meanwhile. */
const RECORDS: readonly JournalRecord[] = [instant(12, 10, 11), intent(1, 12), instant(13, 12), intent(2, 13)];
const question = { atMs: null, symbol: null, order: null };

test.each([
  [1, 11, 0],
  [2, 12, 2],
])('order %i was decided at the last bar of its instant', (order, minute, position) => {
  const recorded = recordedBar(RECORDS, FEEDS, { ...question, order });
  expect([recorded.bar.openMs, recorded.bar.close, recorded.to]).toEqual([minute * MINUTE_MS, 105 + minute, position]);
});

test('a bar that came with a later one of its feed has no decision, which the error says', () => {
  const recorded = recordedBar(RECORDS, FEEDS, { ...question, atMs: 11.5 * MINUTE_MS });
  expect([recorded.bar.openMs, recorded.from, recorded.to]).toEqual([11 * MINUTE_MS, 0, 0]);
  const gap = [instant(12, 10, 11), instant(14, 12, 13)];
  expect(() => recordedBar(gap, FEEDS, { ...question, atMs: 12.5 * MINUTE_MS })).toThrow('the bot decided on no bar of spot:BTCUSDT 1m');
});
