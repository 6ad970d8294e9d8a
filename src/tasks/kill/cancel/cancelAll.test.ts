// Tests that a kill does not wait for orders that no id identifies: what is certainly its own is cancelled before.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { cancelAll, type CancelResult } from './cancelAll.ts';

const INSTRUMENT = spotInstrument();
const UNANSWERED = { kind: 'unknown', cause: 'no answer', status: null, error: null };
const MISSING = { kind: 'refused', code: -2013, msg: '' };
const row = (orderId: string, clientOrderId: string) => ({
  orderId,
  clientOrderId,
  side: 'buy',
  type: null,
  price: '1',
  origQty: '1',
  executedQty: '0',
  status: { word: 'NEW', raw: 'NEW' },
  timeMs: 1,
});

/** What the kill knows, and what the exchange says about it. */
interface KnownOrders {
  /** Orders that the kill believes to be open. */
  readonly open: readonly string[];
  /** Those of them whose first cancel fails. */
  readonly failed: readonly string[];
  /** Takes the ids of all requested cancels. */
  readonly cancelled: string[];
}

/** Kills an account with an own order OWN and an order 7 whose client order id is not listed. Each query of order 7 has this outcome. */
async function killBeside(
  queryOutcome: object,
  { open, failed, cancelled }: KnownOrders = { open: [], failed: [], cancelled: [] },
): Promise<{ readonly result: CancelResult; readonly cancelled: readonly string[] }> {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const endedIds = new Set<string>();
  const answer = (op: string, { orderIds }: { readonly orderIds?: readonly string[] }): object => {
    if (op === 'spot.queryOrder') return queryOutcome;
    // The first cancel of these fails.
    const failedNow = failed.filter((id) => orderIds?.includes(id) && !cancelled.includes(id));
    if (op === 'spot.batchCancel') {
      cancelled.push(...orderIds!);
      for (const id of orderIds!) if (!failedNow.includes(id)) endedIds.add(id);
    }
    const rows = [row('6', 'OWN'), row('7', '')].filter(({ orderId }) => !endedIds.has(orderId));
    return { kind: 'acked', value: { rows, refused: [], failed: failedNow } };
  };
  const client = {
    call: (op: string, args: never, done: (outcome: unknown) => void) => {
      const outcome = answer(op, args);
      // The reply to a cancel that fails comes after the lists have been read.
      const isLate =
        op === 'spot.batchCancel' && (outcome as { readonly value: { readonly failed: readonly string[] } }).value.failed.length > 0;
      if (isLate) scheduler.at(scheduler.nowMs + 60_000, () => done(outcome));
      else queueMicrotask(() => done(outcome));
      return { cancel: () => {} };
    },
  };
  const deps = { client, scheduler, settings: KILL_SETTINGS, instruments: [INSTRUMENT], onPhase: () => {} };
  const venue = new KillVenue({ ...deps, serverTime: () => ({ ms: scheduler.nowMs, uncertaintyMs: 0 }) } as never);
  const own = { isOwnId: () => false, isOwnCid: (cid: string) => cid === 'OWN', lostOf: () => [], withoutVenueId: [] };
  const work = cancelAll(
    venue,
    { own, open: new Map([[INSTRUMENT.id, open]]), waiting: new Map(), triggered: new Set(), unknownUntilMs: {} },
    false,
  );
  const progress = { hasEnded: false };
  void work.finally(() => (progress.hasEnded = true));
  for (let turnIndex = 0; turnIndex < 20_000 && !progress.hasEnded; turnIndex++) {
    scheduler.runDue(scheduler.nowMs + 500);
    await Promise.resolve();
  }
  return { result: await work, cancelled };
}

it('an own order is cancelled although the exchange does not reply to the query of another order', async () => {
  const { result, cancelled } = await killBeside(UNANSWERED);
  expect([...new Set(cancelled)]).toEqual(['6']);
  expect([...result.stuck.keys()]).toEqual([INSTRUMENT.id]);
});

it('a reply that a listed order does not exist is an answer: the order is named, and the kill continues', async () => {
  const { result, cancelled } = await killBeside(MISSING);
  expect([...new Set(cancelled)]).toEqual(['6']);
  expect(result.stuck.size).toBe(0);
  expect(result.left.map(({ order: { venueId } }) => venueId)).toEqual(['7']);
});

it('an order that an earlier kill has cancelled does not count again', async () => {
  const cancelled: string[] = [];
  const { result } = await killBeside(MISSING, { open: ['4', '5'], failed: ['4'], cancelled });
  expect(cancelled.slice(0, 2)).toEqual(['4', '5']);
  // Of the known orders the exchange has cancelled one, and its list shows another.
  expect(result.count).toBe(2);
});

it('an order whose first cancel fails and that the list shows is cancelled again, and counts', async () => {
  const cancelled: string[] = [];
  const { result } = await killBeside(MISSING, { open: ['6'], failed: ['6'], cancelled });
  expect([...new Set(cancelled)]).toEqual(['6']);
  expect(result.count).toBe(1);
});
