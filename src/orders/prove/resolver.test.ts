// Tests the resolution of an unknown outcome: which evidence proves it, in which order, and never time alone.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Market } from '../../model/instrument.ts';
import type { VenueOrderId } from '../../model/order.ts';
import type { Channel, Evidence } from '../../ports/exchange.ts';
import { outcome, BOUNDS, hasEffect, play, read, WELL, type Outcome, type Read } from '../../../test/fixtures/outcomes.ts';
import { REPLAY_ABSENCE_BOUNDS, Resolution, type AbsenceBounds, type ResolutionStep } from './resolver.ts';

/** Reads before 8 s after the order was signed prove nothing. */
const PROVING_MS = 8000;

const saw = (channel: Channel, venueMs: number, found = false, complete = true): Evidence => ({ channel, venueMs, complete, found });
/** A complete round in which nothing is found, begun at `ms`. */
const round = (ms: number, found = false): Evidence[] => [
  saw('openOrders', ms),
  saw('myTrades', ms + 2000),
  saw('balances', ms + 2000, found),
];
const ask = (channel: Channel, waitMs: number) => ({ kind: 'read', channel, waitMs, human: null });
const PLACED = { kind: 'placed', venueId: null };

/** Returns the step after the last evidence, or after the first one that decides. */
function after(evidence: readonly Evidence[], bounds = BOUNDS, market: Market = 'spot', isBlocked = false): ResolutionStep | null {
  const resolution = new Resolution(market, 0);
  let finding: ResolutionStep | null = null;
  for (const seen of evidence) {
    finding = resolution.applyEvidence(seen, bounds, isBlocked);
    if (finding.kind !== 'read') break;
  }
  return finding;
}

describe('Resolution', () => {
  it.each<[string, Evidence[], object]>([
    ['open orders are followed by trades, when the list is old enough', [saw('openOrders', PROVING_MS)], ask('myTrades', 2000)],
    ['then balances', [saw('openOrders', PROVING_MS), saw('myTrades', PROVING_MS + 2000)], ask('balances', 0)],
    ['a sighting among open orders', [saw('openOrders', PROVING_MS, true)], PLACED],
    ['a sighting before the absence horizon', [saw('openOrders', 1, true)], PLACED],
    ['a trade', [saw('openOrders', PROVING_MS), saw('myTrades', PROVING_MS + 2000, true)], PLACED],
    ['a sighting in an incomplete list', [saw('openOrders', PROVING_MS, true, false)], PLACED],
    ['one round is not enough', round(PROVING_MS), ask('openOrders', 2000)],
    ['two rounds, the read lag apart', [...round(PROVING_MS), ...round(PROVING_MS + 4000)], { kind: 'noEffect' }],
    ['two rounds less than the read lag apart', [...round(PROVING_MS), ...round(PROVING_MS + 3999).slice(0, 2)], ask('openOrders', 2000)],
    ['before the absence horizon every list is read without waiting', [saw('openOrders', PROVING_MS - 1)], ask('myTrades', 0)],
    [
      'and the next round follows after the usual pause',
      [saw('openOrders', PROVING_MS - 1), saw('myTrades', PROVING_MS - 1)],
      ask('openOrders', 500),
    ],
    ['trades read too soon after open orders', [saw('openOrders', PROVING_MS), saw('myTrades', PROVING_MS + 1999)], ask('openOrders', 500)],
    [
      'an incomplete list begins the round anew',
      [saw('openOrders', PROVING_MS), saw('myTrades', PROVING_MS + 2000, false, false)],
      ask('openOrders', 500),
    ],
    [
      'reads in the wrong order',
      [saw('myTrades', PROVING_MS), saw('openOrders', PROVING_MS + 2000), saw('balances', PROVING_MS + 4000)],
      ask('openOrders', 500),
    ],
    ['balances that differ do not count as a round', [...round(PROVING_MS), ...round(PROVING_MS + 4000, true)], ask('openOrders', 2000)],
    ['three rounds, one of them with balances that differ', [...round(PROVING_MS), ...round(PROVING_MS + 4000, true), ...round(PROVING_MS + 8000)], { kind: 'noEffect' }], // prettier-ignore
    ['a sighting after the rounds', [...round(PROVING_MS), saw('openOrders', PROVING_MS + 4000, true)], PLACED],
    [
      'ten minutes past the absence horizon',
      [saw('openOrders', PROVING_MS + 600_000, false, false)],
      { human: expect.stringContaining('no complete round') },
    ],
    ['ten minutes of balances that differ', round(PROVING_MS + 600_000, true), { human: expect.stringContaining('holdings differ') }],
  ])('%s', (_, evidence, finding) => {
    expect(after(evidence)).toMatchObject(finding);
  });

  it('returns the id under which the order was seen', () => {
    const venueId = 'v7' as VenueOrderId;
    expect(after([{ ...saw('openOrders', 1, true), venueId }])).toEqual({ kind: 'placed', venueId });
  });

  it('needs no wait when the venue answers from its own books', () => {
    const at = (channel: Channel) => saw(channel, 1000);
    const once = [at('openOrders'), at('myTrades'), at('balances')];
    expect(after(once, REPLAY_ABSENCE_BOUNDS)).toEqual(ask('openOrders', 0));
    expect(after([...once, ...once], REPLAY_ABSENCE_BOUNDS)).toEqual({ kind: 'noEffect' });
  });

  it('reads the history of futures between open orders and trades, and positions last', () => {
    const rows: [Channel, number][] = [
      ['openOrders', PROVING_MS],
      ['orderHistory', PROVING_MS + 2000],
      ['myTrades', PROVING_MS + 4000],
      ['positions', PROVING_MS + 4000],
    ];
    const one = rows.map(([channel, ms]) => saw(channel, ms));
    const two = rows.map(([channel, ms]) => saw(channel, ms + 6000));
    expect(after([...one, ...two], BOUNDS, 'futures')).toEqual({ kind: 'noEffect' });
    expect(after([...one, two[0]!, saw('orderHistory', PROVING_MS + 8000, true)], BOUNDS, 'futures')).toEqual(PLACED);
    expect(after([...round(PROVING_MS), ...round(PROVING_MS + 4000)], BOUNDS, 'futures')).toMatchObject({ kind: 'read' });
  });

  it('proves nothing while the symbol has an unattributed fill', () => {
    expect(after([...round(PROVING_MS), ...round(PROVING_MS + 4000), ...round(PROVING_MS + 8000)], BOUNDS, 'spot', true)).toMatchObject({
      kind: 'read',
    });
  });

  it.each<[string, Partial<AbsenceBounds>, number]>([
    ['a longer visibility delay', { visibilityDelayMs: 60_000 }, 67_000],
    ['a longer read lag', { readLagMs: 9000 }, 15_000],
    ['a clock that jumped', { clockEpoch: 1, epochMs: 40_000 }, 48_000],
  ])('begins again at the later absence horizon of %s, and never moves it back', (_, wider, boundsMs) => {
    const resolution = new Resolution('spot', 0);
    for (const seen of round(PROVING_MS)) resolution.applyEvidence(seen, BOUNDS);
    const bounds = { ...BOUNDS, ...wider };
    const lag = bounds.readLagMs;
    const later = (ms: number) => [saw('openOrders', ms), saw('myTrades', ms + lag), saw('balances', ms + lag)];
    const assess = (seen: readonly Evidence[], by: AbsenceBounds) => seen.map((one) => resolution.applyEvidence(one, by).kind).at(-1);
    expect(assess(later(boundsMs - 1).slice(0, 2), bounds)).toBe('read');
    // The bounds are as before again, but an order that was open meanwhile keeps the wider ones.
    const back = { ...BOUNDS, epoch: bounds.clockEpoch, epochMs: bounds.epochMs };
    expect(assess(later(boundsMs), back)).toBe('read');
    expect(assess(later(boundsMs + 2 * lag), back)).toBe('noEffect');
  });
});

// The proof of order-safety, section 11, by simulation: no history within the assumptions A1 to A4 ends in a wrong `noEffect`.
describe('under every outcome within the assumptions A1 to A4', () => {
  const cases = (market: Market) => fc.tuple(outcome, fc.array(read, { minLength: 20, maxLength: 60 }), fc.constant(market));
  const judge = (bounds: AbsenceBounds) => (args: [Outcome, Read[], Market]) => {
    const [of, reads, market] = args;
    const end = play(new Resolution(market, 0), of, reads, bounds);
    if (end === null) return true;
    if (end.found.kind === 'placed') return of.admittedMs !== null;
    return !hasEffect(of, end.atMs);
  };

  it.each<Market>(['spot', 'futures'])('never returns noEffect for an order that had an effect (%s)', (market) => {
    fc.assert(fc.property(cases(market), judge(BOUNDS)), { numRuns: 4000 });
  });

  it('decides when the reads go well', () => {
    const never: Outcome = { admittedMs: null, hiddenMs: 0, fillMs: null, endMs: 0 };
    expect(
      play(
        new Resolution('spot', 0),
        never,
        Array.from({ length: 60 }, () => WELL),
        BOUNDS,
      ),
    ).toMatchObject({ found: { kind: 'noEffect' } });
  });

  const wideBounds = { ...BOUNDS, visibilityDelayMs: 10_000 };
  const late: Outcome = { admittedMs: 5000, hiddenMs: 10_000, fillMs: 9000, endMs: 9000 };
  /** Each bound is needed: without it the resolution gets this outcome wrong, and with it right. */
  it.each<[string, Partial<AbsenceBounds>, Outcome, number, Partial<Read>]>([
    ['the admission window', { recvWindowMs: 0 }, late, 12_000, { ageMs: 2000 }],
    ['the visibility delay', { visibilityDelayMs: 0 }, late, 7000, {}],
    ['the read lag', { readLagMs: 0 }, { admittedMs: 0, hiddenMs: 0, fillMs: 16_000, endMs: 0 }, 16_000, { olderTradesMs: 2000 }],
  ])('is wrong without %s', (_, less, of, firstMs, its) => {
    const reads = Array.from({ length: 40 }, (__, at) => ({ ...WELL, ...its, delayMs: at === 0 ? firstMs : 0 }));
    expect(judge(wideBounds)([of, reads, 'spot'])).toBe(true);
    expect(judge({ ...wideBounds, ...less })([of, reads, 'spot'])).toBe(false);
  });
});
