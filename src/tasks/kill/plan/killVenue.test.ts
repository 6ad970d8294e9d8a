// Tests which visibility delay a kill assumes: the longer one after a reply that admits a delay between gateway and lists.

import { expect, it } from 'vitest';
import { incidentRecord } from '../../../adapters/exchange/calls/types.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { JournalBooks } from '../evidence/journalBooks.ts';
import { KILL_SETTINGS, KillVenue, type KillDeps } from './killVenue.ts';

const { visibilityDelayMs, incidentDelayMs, incidentMemoryMs } = KILL_SETTINGS;
const START_MS = 1_000_000_000;

/** Returns an unknown outcome with an error code (below zero) or an HTTP status. */
const unknown = (code: number): Outcome<never> => {
  const isStatus = code > 0;
  const error = isStatus ? null : { code, msg: '' };
  return { kind: 'unknown', cause: String(code), status: isStatus ? code : 500, error } as never;
};

/** Opens the exchange of a kill, whose replies are given. The clock of the exchange is that of the scheduler. */
function openVenue(replies: readonly Outcome<unknown>[], overrides: Pick<KillDeps, 'incidentMs' | 'botDelayMs' | 'onIncident'> = {}) {
  const scheduler = new DueQueue();
  scheduler.runDue(START_MS);
  let calls = 0;
  const client = {
    call: (_op: string, _args: never, done: (outcome: unknown) => void) => {
      const reply = replies[calls++];
      queueMicrotask(() => done(reply));
      return { cancel: () => {} };
    },
  };
  const serverTime = () => ({ ms: scheduler.nowMs, uncertaintyMs: 0 });
  const venue = new KillVenue({
    client,
    scheduler,
    serverTime,
    settings: KILL_SETTINGS,
    ...overrides,
    onPhase: () => {},
  } as never);
  return { venue, scheduler };
}

it.each([504, -1001, -1006, -1007, -1016])(
  'a create with reply %i lengthens the visibility delay of its market for 15 minutes',
  async (code) => {
    const { venue, scheduler } = openVenue([unknown(code)]);
    expect(venue.visibilityDelayMs('spot')).toBe(visibilityDelayMs);
    await venue.once('spot.newOrder', {} as never);
    expect([venue.visibilityDelayMs('spot'), venue.visibilityDelayMs('futures')]).toEqual([incidentDelayMs, visibilityDelayMs]);
    scheduler.runDue(START_MS + incidentMemoryMs);
    expect(venue.visibilityDelayMs('spot')).toBe(incidentDelayMs);
    scheduler.runDue(START_MS + incidentMemoryMs + 1);
    expect(venue.visibilityDelayMs('spot')).toBe(visibilityDelayMs);
  },
);

it('a lost reply and other codes leave the visibility delay as it is', async () => {
  const lost = { kind: 'unknown', cause: 'time-out', status: null, error: null } as never;
  const { venue } = openVenue([lost, unknown(-1000), unknown(500)]);
  for (let call = 0; call < 3; call++) await venue.once('spot.newOrder', {} as never);
  expect(venue.visibilityDelayMs('spot')).toBe(visibilityDelayMs);
});

it('a read with such a reply lengthens the visibility delay, too', async () => {
  const { venue, scheduler } = openVenue([unknown(504), { kind: 'acked', value: {} } as never]);
  const read = venue.read('futures.account', {});
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  scheduler.runDue(START_MS + 1000);
  await read;
  expect(venue.visibilityDelayMs('futures')).toBe(incidentDelayMs);
});

it('the newest incident of the journal counts for its market', () => {
  const books = new JournalBooks([]);
  const cursor = (symbol: string, channel: string, value: number) =>
    books.add({ k: 'CURSOR', symbol, channel, value: String(value) } as unknown as JournalRecord);
  cursor('spot/delays', 'incident', START_MS - incidentMemoryMs - 1);
  cursor('futures/delays', 'incident', START_MS - 5_000_000);
  cursor('futures/delays', 'incident', START_MS - incidentMemoryMs);
  cursor('spot:BTCUSDT', 'counted', START_MS);
  const { venue } = openVenue([], { incidentMs: books.incidentMs });
  expect([venue.visibilityDelayMs('spot'), venue.visibilityDelayMs('futures')]).toEqual([visibilityDelayMs, incidentDelayMs]);
});

it('a kill assumes the delay that its bot assumes now, not only the delay at its beginning', () => {
  let botDelayMs = visibilityDelayMs;
  const { venue } = openVenue([], { botDelayMs: () => botDelayMs });
  expect(venue.visibilityDelayMs('spot')).toBe(visibilityDelayMs);
  // The reply to an order that had left before the kill arrives, and admits a delay.
  botDelayMs = incidentDelayMs;
  expect(venue.visibilityDelayMs('spot')).toBe(incidentDelayMs);
});

it('an incident of a kill is reported, and its record is that of its market in the journal', async () => {
  const books = new JournalBooks([]);
  const note: KillDeps['onIncident'] = (market, venueMs) =>
    books.add({ k: 'CURSOR', ...incidentRecord(market, venueMs) } as unknown as JournalRecord);
  const { venue, scheduler } = openVenue([unknown(504), unknown(500), unknown(-1006)], { onIncident: note });
  await venue.once('spot.newOrder', {} as never);
  scheduler.runDue(START_MS + 1000);
  await venue.once('spot.newOrder', {} as never);
  await venue.once('futures.createOrder', {} as never);
  expect([...books.incidentMs]).toEqual([
    ['spot', START_MS],
    ['futures', START_MS + 1000],
  ]);
});

it('a query of an order is null if two replies, a read lag apart, say that the order does not exist', async () => {
  const missing = { kind: 'refused', code: -2013, msg: '' } as never;
  const found = { kind: 'acked', value: { orderId: '7' } } as never;
  /** Returns the result of a query with these replies, while the time passes in steps of a second. */
  const resultOf = async (...replies: readonly Outcome<unknown>[]): Promise<unknown> => {
    const { venue, scheduler } = openVenue(replies);
    const result: { value?: unknown } = {};
    const query = venue.readOrder('spot.queryOrder', { symbol: 'BTCUSDT', orderId: '7' }).then((value) => (result.value = value));
    for (let second = 1; second <= 30 && result.value === undefined; second++) {
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      scheduler.runDue(START_MS + second * 1000);
    }
    await query;
    return result.value;
  };
  // A reply without information is repeated after a pause.
  expect(await resultOf(unknown(-1001), missing, missing)).toBeNull();
  expect(await resultOf(missing, found)).toEqual({ orderId: '7' });
  expect(await resultOf({ kind: 'acked', value: null } as never)).toBeNull();
});

it('a single query returns different results for an order that does not exist and for no reply', async () => {
  const missing = { kind: 'refused', code: -1112, msg: '' } as never;
  const found = { kind: 'acked', value: { orderId: '7' } } as never;
  const { venue } = openVenue([unknown(500), missing, { kind: 'acked', value: null } as never, found]);
  const query = () => venue.queryOnce('spot.queryOrder', { symbol: 'BTCUSDT', orderId: '7' });
  expect([await query(), await query(), await query(), await query()]).toEqual([null, 'none', 'none', { orderId: '7' }]);
});
