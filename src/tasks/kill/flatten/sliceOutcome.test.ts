// Tests the outcome of a slice whose reply was lost: found by the evidence, missing in two reads, or permanently uncertain.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import type { UncertainOrder, LostOrder } from '../plan/attribution.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/killVenue.ts';
import { sliceOutcomeOf, findSlice, UncertainSlice } from './sliceOutcome.ts';

const instrument = spotInstrument();
const { readLagMs, visibilityDelayMs, incidentDelayMs } = KILL_SETTINGS;
const SIGNED_MS = 1_000_000;
const LATEST_MS = SIGNED_MS + 5000;

/** Returns the slice as an uncertain order. `isUnseen`: no list has shown it. `fits`: ids of the orders that may be the slice. */
const uncertainOrder = (isUnseen: boolean, fits: readonly string[] = []): UncertainOrder => ({
  order: { cid: 'SLICE', latestMs: LATEST_MS, request: { instrument, side: 'sell', lots: 1 }, amount: null } as unknown as LostOrder,
  fits: fits.map((venueId) => ({ venueId }) as never),
  isUnseen,
});

/** Results of each reading, by the number of the reading and the exchange's time. */
interface Script {
  readonly uncertain: (reading: number, nowMs: number) => readonly UncertainOrder[];
  readonly venueId?: (reading: number) => string | null;
  /** The venue's time of an incident before the search. */
  readonly incidentMs?: number;
}

/** Searches for a slice with a scripted evidence reader. Returns the outcome of the search, and the times of the readings. */
async function searchFor({ uncertain, venueId = () => null, incidentMs }: Script) {
  const scheduler = new DueQueue();
  scheduler.runDue(SIGNED_MS);
  const readMs: number[] = [];
  const venue = new KillVenue({
    scheduler,
    settings: KILL_SETTINGS,
    incidentMs: incidentMs === undefined ? undefined : new Map([[instrument.market, incidentMs]]),
    serverTime: () => ({ ms: scheduler.nowMs, uncertaintyMs: 0 }),
    onPhase: () => {},
  } as never);
  const evidenceReader = {
    read: () => {
      readMs.push(scheduler.nowMs);
      return Promise.resolve({ held: new Map(), uncertain: uncertain(readMs.length, scheduler.nowMs) });
    },
    books: { venueIdOf: () => venueId(readMs.length) },
  };
  const search = findSlice(venue, instrument, 'no answer', { cid: 'SLICE', evidenceReader: evidenceReader as never });
  const progress = { hasEnded: false };
  void search.catch(() => {}).finally(() => (progress.hasEnded = true));
  for (let turnIndex = 0; turnIndex < 20_000 && !progress.hasEnded; turnIndex++) {
    scheduler.runDue(scheduler.nowMs + 250);
    await Promise.resolve();
  }
  const outcome = progress.hasEnded ? await search.catch((error: unknown) => error) : 'the search has not ended';
  return { outcome, readMs };
}

it('a slice of unknown outcome is identified by the order that the evidence names', async () => {
  const { outcome, readMs } = await searchFor({ uncertain: () => [], venueId: (reading) => (reading === 1 ? '77' : null) });
  expect([outcome, readMs.length]).toEqual(['77', 1]);
});

it('a slice had no effect once it is missing in two reads in a row, a read lag apart', async () => {
  const { outcome, readMs } = await searchFor({ uncertain: (reading) => (reading === 2 ? [uncertainOrder(true)] : []) });
  expect(outcome).toBeNull();
  expect(readMs.length).toBe(4);
  expect(readMs[3]! - readMs[2]!).toBeGreaterThanOrEqual(readLagMs);
});

it('a slice is uncertain if an order fits it after the absence horizon, and not before', async () => {
  const horizonMs = LATEST_MS + visibilityDelayMs + readLagMs;
  const { outcome, readMs } = await searchFor({ uncertain: (_, nowMs) => [uncertainOrder(nowMs < horizonMs, ['5', '6'])] });
  expect(outcome).toBeInstanceOf(UncertainSlice);
  expect(String(outcome)).toContain('orders 5, 6');
  expect(readMs.at(-1)).toBeGreaterThanOrEqual(horizonMs);
});

it('after an incident a slice is looked for until the longer delay has passed', async () => {
  const horizonMs = LATEST_MS + incidentDelayMs + readLagMs;
  const uncertain = (_: number, nowMs: number) => (nowMs < horizonMs ? [uncertainOrder(true)] : []);
  const { outcome, readMs } = await searchFor({ uncertain, incidentMs: SIGNED_MS });
  expect(outcome).toBeNull();
  expect(readMs.at(-1)).toBeGreaterThanOrEqual(horizonMs);
});

it('the search for a slice ends after its time limit if no list proves its outcome', async () => {
  const { outcome, readMs } = await searchFor({ uncertain: () => [uncertainOrder(true)] });
  expect(String(outcome)).toMatch(/given up after 600 s: spot:\w+: no evidence shows the outcome of a slice/);
  expect(readMs.at(-1)! - SIGNED_MS).toBeGreaterThan(KILL_SETTINGS.giveUpMs);
});

it('the journal gets the outcome of a slice from its reply, or from the search if the reply is missing', async () => {
  const written: string[] = [];
  const note = (recordKind: string) => (cid: string) => void written.push(`${recordKind} ${cid}`);
  const journal = {
    writeAck: note('acked'),
    writeRefusal: note('refused'),
    writeNotSent: note('notSent'),
    writeUnknown: note('unanswered'),
  };
  const result = (outcome: object, orderId: string | null) =>
    sliceOutcomeOf(outcome as never, 'SLICE', journal as never, {
      settle: (id) => Promise.resolve({ kind: 'ended', filled: id }),
      isTaken: () => false,
      find: () => Promise.resolve(orderId),
    });
  expect(await result({ kind: 'unknown', cause: 'time-out' }, '9')).toEqual({ kind: 'ended', filled: '9' });
  expect(await result({ kind: 'unknown', cause: 'time-out' }, null)).toMatchObject({ kind: 'refused' });
  expect(await result({ kind: 'refused', code: -2017, msg: '' }, null)).toMatchObject({ kind: 'refused', why: 'code -2017: ' });
  expect(await result({ kind: 'notSent', cause: 'no way' }, null)).toEqual({ kind: 'refused', why: 'no way' });
  expect(written).toEqual(['unanswered SLICE', 'acked SLICE', 'unanswered SLICE', 'notSent SLICE', 'refused SLICE', 'notSent SLICE']);
});

it('a slice is searched for if its acknowledgement names another order', async () => {
  const written: string[] = [];
  const journal = { writeAck: (_: string, id: string) => written.push(id), writeUnknown: () => written.push('unanswered') };
  const result = (value: object) =>
    sliceOutcomeOf({ kind: 'acked', value } as never, 'SLICE', journal as never, {
      settle: (id) => Promise.resolve({ kind: 'ended', filled: id }),
      isTaken: (id) => id === '8',
      find: (cause) => Promise.resolve(/expected SLICE, got OTHER|its id 8 is taken/.test(cause) ? '9' : null),
    });
  expect(await result({ orderId: '7', clientOrderId: 'OTHER' })).toEqual({ kind: 'ended', filled: '9' });
  expect(await result({ orderId: '7', clientOrderId: 'slice' })).toEqual({ kind: 'ended', filled: '7' });
  expect(await result({ orderId: '7', clientOrderId: null })).toEqual({ kind: 'ended', filled: '7' });
  expect(await result({ orderId: '7' })).toEqual({ kind: 'ended', filled: '7' });
  expect(written).toEqual(['unanswered', '9', '7', '7', '7']);
  written.length = 0;
  // An acknowledgement of contracts has only an id. This one is that of the order before.
  expect(await result({ orderId: '8' })).toEqual({ kind: 'ended', filled: '9' });
  expect(written).toEqual(['unanswered', '9']);
});
