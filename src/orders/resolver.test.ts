// What became of an order whose answer was lost: by which evidence, in which order, and never by time alone.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Channel, Evidence } from '../ports/exchange.ts';
import { reconcile, REPLAY_FENCE, type Fence } from './resolver.ts';

const FENCE: Fence = { recvWindowMs: 5000, busDelayMs: 1000, readLagMs: 2000, humanAfterMs: 600_000 };
/** Reads before 8 s after the order was signed prove nothing. */
const PAST = 8000;

const saw = (channel: Channel, venueMs: number, found = false, complete = true): Evidence => ({ channel, venueMs, complete, found });
/** A complete round in which nothing is found, begun at `ms`. */
const round = (ms: number, found = false): Evidence[] => [
  saw('openOrders', ms),
  saw('myTrades', ms + 2000),
  saw('balances', ms + 2000, found),
];
const ask = (channel: Channel) => ({ kind: 'read', channel });

describe('reconcile', () => {
  it.each<[string, Evidence[], object]>([
    ['nothing is known: open orders are read first', [], ask('openOrders')],
    ['then trades', [saw('openOrders', PAST)], ask('myTrades')],
    ['then balances', [saw('openOrders', PAST), saw('myTrades', PAST + 2000)], ask('balances')],
    ['a sighting among open orders', [saw('openOrders', PAST, true)], { kind: 'placed' }],
    ['a sighting before the fence', [saw('openOrders', 1, true)], { kind: 'placed' }],
    ['a trade', [saw('openOrders', PAST), saw('myTrades', PAST + 2000, true)], { kind: 'placed' }],
    ['a sighting in an incomplete list', [saw('openOrders', PAST, true, false)], { kind: 'placed' }],
    ['one round is not enough', round(PAST), ask('openOrders')],
    ['two rounds, the read lag apart', [...round(PAST), ...round(PAST + 4000)], { kind: 'noEffect' }],
    ['two rounds too near to each other', [...round(PAST), ...round(PAST + 3999)], ask('openOrders')],
    ['a round before the fence does not count', [...round(PAST - 1), ...round(PAST + 4000)], ask('openOrders')],
    ['trades read too soon after open orders', [saw('openOrders', PAST), saw('myTrades', PAST + 1999)], ask('openOrders')],
    ['an incomplete list begins the round anew', [saw('openOrders', PAST), saw('myTrades', PAST + 2000, false, false)], ask('openOrders')],
    ['reads in the wrong order', [saw('myTrades', PAST), saw('openOrders', PAST + 2000), saw('balances', PAST + 4000)], ask('openOrders')],
    ['balances that differ do not count as a round', [...round(PAST), ...round(PAST + 4000, true)], ask('openOrders')],
    ['three rounds, one of them with balances that differ', [...round(PAST), ...round(PAST + 4000, true), ...round(PAST + 8000)], { kind: 'noEffect' }], // prettier-ignore
    ['a sighting after the rounds', [...round(PAST), saw('openOrders', PAST + 4000, true)], { kind: 'placed' }],
    ['ten minutes past the fence', [saw('openOrders', PAST + 600_000, false, false)], { kind: 'human', why: expect.stringContaining('no complete round') }], // prettier-ignore
    [
      'ten minutes of balances that differ',
      round(PAST + 600_000, true),
      { kind: 'human', why: expect.stringContaining('balances differ') },
    ],
  ])('%s', (_, evidence, finding) => {
    expect(reconcile(0, evidence, FENCE)).toEqual(finding);
  });

  it('needs no waiting where the venue answers from its own books', () => {
    const at = (channel: Channel) => saw(channel, 1000);
    const once = [at('openOrders'), at('myTrades'), at('balances')];
    expect(reconcile(1000, once, REPLAY_FENCE)).toEqual(ask('openOrders'));
    expect(reconcile(1000, [...once, ...once], REPLAY_FENCE)).toEqual({ kind: 'noEffect' });
  });

  const evidence = fc.record({
    channel: fc.constantFrom<Channel>('openOrders', 'myTrades', 'balances'),
    venueMs: fc.integer({ min: 0, max: 60_000 }),
    complete: fc.boolean(),
    found: fc.boolean(),
  });

  it('says noEffect only after six complete reads past the fence without a sighting, and depends on nothing but its arguments', () => {
    fc.assert(
      fc.property(fc.array(evidence, { maxLength: 30 }), (seen) => {
        const finding = reconcile(0, seen, FENCE);
        expect(reconcile(0, seen, FENCE)).toEqual(finding);
        const isSighted = seen.some(({ channel, found }) => channel !== 'balances' && found);
        if (isSighted) expect(finding.kind).toBe('placed');
        if (finding.kind !== 'noEffect') return;
        const counted = seen.filter(({ complete, venueMs }) => complete && venueMs >= PAST);
        for (const channel of ['openOrders', 'myTrades', 'balances']) {
          expect(counted.filter((one) => one.channel === channel).length).toBeGreaterThanOrEqual(2);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
