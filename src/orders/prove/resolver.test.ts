// Tests the resolution of an unknown outcome: which evidence proves it, in which order, and never time alone.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Market } from '../../model/instrument.ts';
import type { VenueOrderId } from '../../model/order.ts';
import type { Channel, Evidence } from '../../ports/exchange.ts';
import {
  anyOutcome,
  BOUNDS,
  hasEffect,
  simulate,
  anyRead,
  PROMPT_READ,
  type TrueOutcome,
  type Read,
} from '../../../test/fixtures/outcomes.ts';
import { REPLAY_ABSENCE_BOUNDS, Resolution, type AbsenceBounds, type ResolutionStep } from './resolver.ts';

/** Reads before 8 s after the order was signed prove nothing. */
const PROVING_MS = 8000;

const evidenceOf = (channel: Channel, venueMs: number, found = false, complete = true): Evidence => ({ channel, venueMs, complete, found });
/** Returns a complete round of reads from `ms` on that does not find the order. */
const round = (ms: number, found = false): Evidence[] => [
  evidenceOf('openOrders', ms),
  evidenceOf('myTrades', ms + 2000),
  evidenceOf('balances', ms + 2000, found),
];
const nextRead = (channel: Channel, waitMs: number) => ({ kind: 'read', channel, waitMs, human: null });
const PLACED = { kind: 'placed', venueId: null };

/** Returns the step after the last evidence, or after the first one that decides. */
function lastStep(evidence: readonly Evidence[], bounds = BOUNDS, market: Market = 'spot', isBlocked = false): ResolutionStep | null {
  const resolution = new Resolution(market, 0);
  let step: ResolutionStep | null = null;
  for (const oneRead of evidence) {
    step = resolution.applyEvidence(oneRead, bounds, isBlocked);
    if (step.kind !== 'read') break;
  }
  return step;
}

describe('Resolution', () => {
  it.each<[string, Evidence[], object]>([
    [
      'after open orders past the absence horizon, trades are read next',
      [evidenceOf('openOrders', PROVING_MS)],
      nextRead('myTrades', 2000),
    ],
    [
      'after trades, balances are read next',
      [evidenceOf('openOrders', PROVING_MS), evidenceOf('myTrades', PROVING_MS + 2000)],
      nextRead('balances', 0),
    ],
    ['an order found among open orders is placed', [evidenceOf('openOrders', PROVING_MS, true)], PLACED],
    ['an order found before the absence horizon is placed', [evidenceOf('openOrders', 1, true)], PLACED],
    [
      'an order found among trades is placed',
      [evidenceOf('openOrders', PROVING_MS), evidenceOf('myTrades', PROVING_MS + 2000, true)],
      PLACED,
    ],
    ['an order found in an incomplete list is placed', [evidenceOf('openOrders', PROVING_MS, true, false)], PLACED],
    ['one round is not enough', round(PROVING_MS), nextRead('openOrders', 2000)],
    ['two rounds at least the read lag apart prove absence', [...round(PROVING_MS), ...round(PROVING_MS + 4000)], { kind: 'noEffect' }],
    [
      'two rounds less than the read lag apart prove nothing',
      [...round(PROVING_MS), ...round(PROVING_MS + 3999).slice(0, 2)],
      nextRead('openOrders', 2000),
    ],
    ['before the absence horizon every list is read without waiting', [evidenceOf('openOrders', PROVING_MS - 1)], nextRead('myTrades', 0)],
    [
      'before the absence horizon the next round follows after the usual pause',
      [evidenceOf('openOrders', PROVING_MS - 1), evidenceOf('myTrades', PROVING_MS - 1)],
      nextRead('openOrders', 500),
    ],
    [
      'trades read too soon after open orders begin the round again',
      [evidenceOf('openOrders', PROVING_MS), evidenceOf('myTrades', PROVING_MS + 1999)],
      nextRead('openOrders', 500),
    ],
    [
      'an incomplete list begins the round again',
      [evidenceOf('openOrders', PROVING_MS), evidenceOf('myTrades', PROVING_MS + 2000, false, false)],
      nextRead('openOrders', 500),
    ],
    [
      'reads in the wrong order begin the round again',
      [evidenceOf('myTrades', PROVING_MS), evidenceOf('openOrders', PROVING_MS + 2000), evidenceOf('balances', PROVING_MS + 4000)],
      nextRead('openOrders', 500),
    ],
    [
      'balances that differ do not count as a round',
      [...round(PROVING_MS), ...round(PROVING_MS + 4000, true)],
      nextRead('openOrders', 2000),
    ],
    [
      'three rounds of which one has balances that differ prove absence',
      [...round(PROVING_MS), ...round(PROVING_MS + 4000, true), ...round(PROVING_MS + 8000)],
      { kind: 'noEffect' },
    ],
    ['an order found after a round is placed', [...round(PROVING_MS), evidenceOf('openOrders', PROVING_MS + 4000, true)], PLACED],
    [
      'ten minutes without a complete round call the operator',
      [evidenceOf('openOrders', PROVING_MS + 600_000, false, false)],
      { human: expect.stringContaining('no complete round') },
    ],
    [
      'ten minutes of balances that differ call the operator',
      round(PROVING_MS + 600_000, true),
      { human: expect.stringContaining('holdings differ') },
    ],
  ])('the resolution of an unknown outcome: %s', (_, evidence, expectedStep) => {
    expect(lastStep(evidence)).toMatchObject(expectedStep);
  });

  it('the resolution returns the venue order id of a found order', () => {
    const venueId = 'v7' as VenueOrderId;
    expect(lastStep([{ ...evidenceOf('openOrders', 1, true), venueId }])).toEqual({ kind: 'placed', venueId });
  });

  it('the resolution needs no wait if the venue answers from its own books', () => {
    const readAt = (channel: Channel) => evidenceOf(channel, 1000);
    const oneRound = [readAt('openOrders'), readAt('myTrades'), readAt('balances')];
    expect(lastStep(oneRound, REPLAY_ABSENCE_BOUNDS)).toEqual(nextRead('openOrders', 0));
    expect(lastStep([...oneRound, ...oneRound], REPLAY_ABSENCE_BOUNDS)).toEqual({ kind: 'noEffect' });
  });

  it('the resolution of futures reads the order history between open orders and trades, and positions last', () => {
    const channelTimes: [Channel, number][] = [
      ['openOrders', PROVING_MS],
      ['orderHistory', PROVING_MS + 2000],
      ['myTrades', PROVING_MS + 4000],
      ['positions', PROVING_MS + 4000],
    ];
    const firstRound = channelTimes.map(([channel, ms]) => evidenceOf(channel, ms));
    const secondRound = channelTimes.map(([channel, ms]) => evidenceOf(channel, ms + 6000));
    expect(lastStep([...firstRound, ...secondRound], BOUNDS, 'futures')).toEqual({ kind: 'noEffect' });
    expect(lastStep([...firstRound, secondRound[0]!, evidenceOf('orderHistory', PROVING_MS + 8000, true)], BOUNDS, 'futures')).toEqual(
      PLACED,
    );
    expect(lastStep([...round(PROVING_MS), ...round(PROVING_MS + 4000)], BOUNDS, 'futures')).toMatchObject({ kind: 'read' });
  });

  it('the resolution proves nothing while the symbol has an unattributed fill', () => {
    expect(lastStep([...round(PROVING_MS), ...round(PROVING_MS + 4000), ...round(PROVING_MS + 8000)], BOUNDS, 'spot', true)).toMatchObject({
      kind: 'read',
    });
  });

  it.each<[string, Partial<AbsenceBounds>, number]>([
    ['a longer visibility delay', { visibilityDelayMs: 60_000 }, 67_000],
    ['a longer read lag', { readLagMs: 9000 }, 15_000],
    ['a clock that jumped', { clockEpoch: 1, epochMs: 40_000 }, 48_000],
  ])('the resolution begins again at the later absence horizon of %s, and never moves it back', (_, wider, boundsMs) => {
    const resolution = new Resolution('spot', 0);
    for (const oneRead of round(PROVING_MS)) resolution.applyEvidence(oneRead, BOUNDS);
    const bounds = { ...BOUNDS, ...wider };
    const lagMs = bounds.readLagMs;
    const roundAt = (ms: number) => [evidenceOf('openOrders', ms), evidenceOf('myTrades', ms + lagMs), evidenceOf('balances', ms + lagMs)];
    const lastKind = (reads: readonly Evidence[], usedBounds: AbsenceBounds) =>
      reads.map((oneRead) => resolution.applyEvidence(oneRead, usedBounds).kind).at(-1);
    expect(lastKind(roundAt(boundsMs - 1).slice(0, 2), bounds)).toBe('read');
    // The bounds are as before again, but an order that was open meanwhile keeps the wider ones.
    const narrowAgain = { ...BOUNDS, clockEpoch: bounds.clockEpoch, epochMs: bounds.epochMs };
    expect(lastKind(roundAt(boundsMs), narrowAgain)).toBe('read');
    expect(lastKind(roundAt(boundsMs + 2 * lagMs), narrowAgain)).toBe('noEffect');
  });
});

// The proof of order-safety, section 11, by simulation: no history within the assumptions A1 to A4 ends in a wrong `noEffect`.
describe('under every outcome within the assumptions A1 to A4', () => {
  const cases = (market: Market) => fc.tuple(anyOutcome, fc.array(anyRead, { minLength: 20, maxLength: 60 }), fc.constant(market));
  const isResolvedRight = (bounds: AbsenceBounds) => (args: [TrueOutcome, Read[], Market]) => {
    const [orderOutcome, reads, market] = args;
    const end = simulate(new Resolution(market, 0), orderOutcome, reads, bounds);
    if (end === null) return true;
    if (end.found.kind === 'placed') return orderOutcome.admittedMs !== null;
    return !hasEffect(orderOutcome, end.atMs);
  };

  it.each<Market>(['spot', 'futures'])('the resolution never returns noEffect for an order that had an effect (%s)', (market) => {
    fc.assert(fc.property(cases(market), isResolvedRight(BOUNDS)), { numRuns: 4000 });
  });

  it('the resolution decides if all reads are complete', () => {
    const absentOutcome: TrueOutcome = { admittedMs: null, hiddenMs: 0, fillMs: null, endMs: 0 };
    expect(
      simulate(
        new Resolution('spot', 0),
        absentOutcome,
        Array.from({ length: 60 }, () => PROMPT_READ),
        BOUNDS,
      ),
    ).toMatchObject({ found: { kind: 'noEffect' } });
  });

  const wideBounds = { ...BOUNDS, visibilityDelayMs: 10_000 };
  const lateOutcome: TrueOutcome = { admittedMs: 5000, hiddenMs: 10_000, fillMs: 9000, endMs: 9000 };
  /** Each bound is needed: without it the resolution gets this outcome wrong, and with it right. */
  it.each<{
    readonly missingRule: string;
    readonly removedBound: Partial<AbsenceBounds>;
    readonly orderOutcome: TrueOutcome;
    readonly firstMs: number;
    readonly readChanges: Partial<Read>;
  }>([
    {
      missingRule: 'the admission window',
      removedBound: { recvWindowMs: 0 },
      orderOutcome: lateOutcome,
      firstMs: 12_000,
      readChanges: { ageMs: 2000 },
    },
    {
      missingRule: 'the visibility delay',
      removedBound: { visibilityDelayMs: 0 },
      orderOutcome: lateOutcome,
      firstMs: 7000,
      readChanges: {},
    },
    {
      missingRule: 'the read lag',
      removedBound: { readLagMs: 0 },
      orderOutcome: { admittedMs: 0, hiddenMs: 0, fillMs: 16_000, endMs: 0 },
      firstMs: 16_000,
      readChanges: { olderTradesMs: 2000 },
    },
  ])('the resolution is wrong without $missingRule', ({ removedBound, orderOutcome, firstMs, readChanges }) => {
    const reads = Array.from({ length: 40 }, (__, readIndex) => ({
      ...PROMPT_READ,
      ...readChanges,
      delayMs: readIndex === 0 ? firstMs : 0,
    }));
    expect(isResolvedRight(wideBounds)([orderOutcome, reads, 'spot'])).toBe(true);
    expect(isResolvedRight({ ...wideBounds, ...removedBound })([orderOutcome, reads, 'spot'])).toBe(false);
  });
});
