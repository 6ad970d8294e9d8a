// Tests flattening: it closes only the proven position, stops after a slice of unknown outcome, and ends when a flat position is proved.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { ConfigError } from '../../../base/errors.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { flatten, FlattenProgress, type Closable, type FlattenResult, type SliceOrder, type SliceOutcome } from './flatten.ts';
import { settleSlice, type OrderState } from './settleSlice.ts';
import { KILL_SETTINGS, KillStopped, KillVenue } from '../plan/killVenue.ts';

const instrument = spotInstrument();
const closable = (qty: string, uncertainQty = '0', warnings: readonly string[] = [], blockedQty = '0'): Closable => ({
  side: 'sell',
  qty: new Decimal(qty),
  blockedQty: new Decimal(blockedQty),
  uncertainQty: new Decimal(uncertainQty),
  uncertainties: warnings,
});

/** Runs `work` to its end, with a venue whose waits take no real time. */
async function runToEnd<T>(work: (venue: KillVenue) => Promise<T>): Promise<T> {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const venue = new KillVenue({
    client: { call: () => ({ cancel: () => {} }) },
    scheduler,
    settings: KILL_SETTINGS,
    onPhase: () => {},
  } as never);
  const working = work(venue);
  const progress = { hasEnded: false };
  void working.catch(() => {}).finally(() => (progress.hasEnded = true));
  for (let turnIndex = 0; turnIndex < 20_000 && !progress.hasEnded; turnIndex++) {
    scheduler.runDue(scheduler.nowMs + 500);
    await Promise.resolve();
  }
  if (!progress.hasEnded) throw new Error('the work has not ended');
  return working;
}

/** The exchange of a test: the outcome of each slice, and the position. */
interface Script {
  readonly outcomes?: readonly SliceOutcome[];
  /** Returns the position that can be closed, by the number of sent slices and of readings; null if it is flat. */
  readonly held: (sent: number, readings: number) => Closable | null;
}

/** Flattens one position by a script. Returns the quantities of the slices, and the result. */
async function flattenWith({ outcomes = [], held }: Script): Promise<{ readonly sent: readonly string[]; readonly result: FlattenResult }> {
  const sent: string[] = [];
  let readings = 0;
  const closer = {
    closable: () => Promise.resolve(held(sent.length, ++readings)),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '100' }], asks: [] }),
    place: (_: KillVenue, { qty }: { readonly qty: string }) => {
      sent.push(qty);
      return Promise.resolve(outcomes[sent.length - 1] ?? ({ kind: 'ended', filled: qty } as const));
    },
  };
  const result = await runToEnd((venue) => flatten(venue, [{ instrument, strategy: 0, closer }]));
  return { sent, result };
}

it('flattening sends no slice after one of unknown outcome, and reports the remainder', async () => {
  const { sent, result } = await flattenWith({
    outcomes: [{ kind: 'unknown', why: 'no answer' }],
    held: (sentCount) => (sentCount < 2 ? closable('1') : null),
  });
  expect(sent).toHaveLength(1);
  expect(result.residuals).toEqual([expect.stringContaining('unknown outcome: no answer')]);
});

it('a slice is at most the quantity that is proved to be the bot’s, and the remainder is reported with its uncertainties', async () => {
  const { sent, result } = await flattenWith({
    held: (sentCount) => (sentCount === 0 ? closable('0.4', '0.6', ['an uncertainty']) : closable('0', '0.6', ['an uncertainty'])),
  });
  expect(sent).toEqual(['0.4']);
  expect(result.residuals).toEqual([
    expect.stringMatching(/0\.6 BTC left, which may be the bot's, but that is not proved$/),
    'an uncertainty',
  ]);
});

it('what open orders of the account hold is reported as the bot’s, and not as unproved', async () => {
  const { sent, result } = await flattenWith({ held: () => closable('0', '0', [], '0.5') });
  expect([sent, result.residuals]).toEqual([[], [`${instrument.id}: 0.5 BTC left, held by open orders of the account`]]);
});

it('an uncertainty without a quantity is reported', async () => {
  const { result } = await flattenWith({ held: () => closable('0', '0', ['an uncertainty']) });
  expect(result.residuals).toEqual(['an uncertainty']);
});

it('a position that appears in either of the two last reads is not closed but reported', async () => {
  for (const lateReading of [2, 3]) {
    const { sent, result } = await flattenWith({ held: (_, readings) => (readings === lateReading ? closable('0.5') : null) });
    expect([sent, result.residuals]).toEqual([[], [expect.stringContaining('0.5 BTC left')]]);
  }
});

it('a position smaller than the smallest order is reported as dust', async () => {
  const { sent, result } = await flattenWith({ held: () => closable('0.000000001') });
  expect([sent, result.residuals, result.dust]).toEqual([[], [], [expect.stringContaining('less than the smallest order')]]);
});

it('flattening ends after the exchange has refused five slices in a row', async () => {
  const outcomes = Array.from({ length: 9 }, () => ({ kind: 'refused', why: 'code -2017' }) as const);
  const { sent, result } = await flattenWith({ outcomes, held: () => closable('1') });
  expect(sent).toHaveLength(5);
  expect(result.residuals).toEqual([expect.stringContaining('1 left: code -2017')]);
});

it('a position whose slices do not fill ends after the time limit, and the reason is not an empty book', async () => {
  const closer = {
    closable: () => Promise.resolve(closable('1')),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '100' }], asks: [] }),
    place: () => Promise.resolve({ kind: 'ended', filled: '0' } as const),
  };
  const { residuals } = await runToEnd((venue) => flatten(venue, [{ instrument, strategy: 0, closer }]));
  expect(residuals).toEqual([`${instrument.id}: given up after 600 s: the slices do not fill`]);
});

it('an empty order book ends its position after the time limit, and another position is closed meanwhile', async () => {
  const other = spotInstrument('ETH');
  let position = closable('0.4');
  const empty = {
    closable: () => Promise.resolve(closable('1')),
    readBook: () => Promise.resolve({ bids: [], asks: [] }),
    place: () => Promise.reject(new Error('nothing can be sent')),
  };
  const full = {
    closable: () => Promise.resolve(position),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '100' }], asks: [] }),
    place: (_: KillVenue, { qty }: { readonly qty: string }) => {
      position = closable('0');
      return Promise.resolve({ kind: 'ended', filled: qty } as const);
    },
  };
  const result = await runToEnd((venue) =>
    flatten(venue, [
      { instrument, strategy: 0, closer: empty },
      { instrument: other, strategy: 0, closer: full },
    ]),
  );
  expect(result.residuals).toEqual([`${instrument.id}: 1 BTC left: given up after 600 s: the book has no orders to close against`]);
  expect(result.slices.map(({ instrument: id, filled }) => [id, filled])).toEqual([[other.id, '0.4']]);
  expect([...result.openInstruments]).toEqual([instrument.id]);
});

it('a slice that fills nothing makes the next one rest twice as long, so that a market of bars can fill it', async () => {
  const restedMs: number[] = [];
  let position: Closable | null = closable('1');
  const closer = {
    closable: () => Promise.resolve(position),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '1' }], asks: [] }),
    place: (_: KillVenue, _slice: SliceOrder, restMs: number) => {
      restedMs.push(restMs);
      if (restedMs.length === 6) position = null;
      return Promise.resolve({ kind: 'ended', filled: restedMs.length === 4 ? '0.1' : '0' } as const);
    },
  };
  await runToEnd((venue) => flatten(venue, [{ instrument, strategy: 0, closer }]));
  expect(restedMs).toEqual([500, 1000, 2000, 4000, 500, 1000]);
});

it('a kill that is stopped in the middle knows the slices that have ended and the one that has not', async () => {
  const progress = new FlattenProgress();
  let sent = 0;
  const closer = {
    closable: () => Promise.resolve(closable('1')),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '2' }], asks: [] }),
    place: () => (++sent === 1 ? Promise.resolve({ kind: 'ended', filled: '0.5' } as const) : Promise.reject(new KillStopped('aborted'))),
  };
  await expect(runToEnd((venue) => flatten(venue, [{ instrument, strategy: 0, closer }], undefined, progress))).rejects.toThrow('aborted');
  expect(progress.slices.map(({ filled }) => filled)).toEqual(['0.5']);
  expect([...progress.inFlight]).toEqual([`${instrument.id}: a slice (sell 0.5 at 99.8) may still be open`]);
});

it('a slice that the journal does not take was not sent, and is not named as open', async () => {
  const progress = new FlattenProgress();
  const closer = {
    closable: () => Promise.resolve(closable('1')),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '2' }], asks: [] }),
    place: () => Promise.reject(new ConfigError('the journal cannot be written')),
  };
  await expect(runToEnd((venue) => flatten(venue, [{ instrument, strategy: 0, closer }], undefined, progress))).rejects.toThrow('journal');
  expect([...progress.inFlight]).toEqual([]);
});

it('a slice whose state no query shows is cancelled, and ends with the time limit', async () => {
  const cancelMs: number[] = [];
  const settling = runToEnd((venue) => {
    const calls = { query: () => Promise.resolve(null), cancel: () => Promise.resolve(cancelMs.push(venue.nowMs)) };
    return settleSlice(venue, calls, KILL_SETTINGS.pollEveryMs);
  });
  await expect(settling).rejects.toThrow('given up after 600 s: no query shows the state of a slice');
  expect(cancelMs[0]).toBeLessThan(KILL_SETTINGS.readLagMs);
  expect(cancelMs.length).toBeGreaterThan(100);
});

it('a slice has ended when two terminal readings, a read lag apart, are equal', async () => {
  const state = (status: OrderState['status'], executedQty: string): OrderState => ({ status, executedQty });
  const readings = [state('NEW', '0'), state('CANCELED', '0.1'), state('CANCELED', '0.2'), null, state('CANCELED', '0.3')];
  const queryMs: number[] = [];
  const cancels: number[] = [];
  const calls = (venue: KillVenue) => ({
    query: () => {
      queryMs.push(venue.nowMs);
      return Promise.resolve(readings[Math.min(queryMs.length, readings.length) - 1]!);
    },
    cancel: () => Promise.resolve(cancels.push(venue.nowMs)),
  });
  const filled = await runToEnd((venue) => settleSlice(venue, calls(venue), KILL_SETTINGS.pollEveryMs));
  expect(filled).toBe('0.3');
  expect(queryMs.at(-1)! - queryMs.at(-2)!).toBeGreaterThanOrEqual(KILL_SETTINGS.readLagMs);
  expect(cancels.length).toBeGreaterThan(0);
});

it('flattening continues after four refusals, an accepted slice and four more refusals', async () => {
  const refused = { kind: 'refused', why: 'code -2017' } as const;
  const outcomes = [refused, refused, refused, refused, { kind: 'ended', filled: '1' } as const, refused, refused, refused, refused];
  const { sent, result } = await flattenWith({ outcomes, held: (sentCount) => (sentCount < 10 ? closable('1') : null) });
  expect([sent.length, result.residuals]).toEqual([10, []]);
});

it('a slice accepts a worse price only after the slice before it filled less than its quantity', async () => {
  const prices: string[] = [];
  const fills = ['0.5', '1', '0', '1'];
  const closer = {
    closable: () => Promise.resolve(prices.length < fills.length ? closable('1') : null),
    readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '100' }], asks: [{ price: '200.00', quantity: '100' }] }),
    place: (_: KillVenue, { price }: { readonly price: string }) => {
      prices.push(price);
      return Promise.resolve({ kind: 'ended', filled: fills[prices.length - 1]! } as const);
    },
  };
  await runToEnd((venue) => flatten(venue, [{ instrument, strategy: 0, closer }]));
  expect(prices.map(Number)).toEqual([99.8, 99.5, 99.5, 99]);
});

it('flattening continues beyond its time limit while slices fill, and ends after two flat reads, a read lag apart', async () => {
  const readMs: number[] = [];
  let sent = 0;
  const result = await runToEnd((venue) =>
    flatten(venue, [
      {
        instrument,
        strategy: 0,
        closer: {
          closable: () => Promise.resolve(readMs.push(venue.nowMs) > 1500 ? null : closable('1')),
          readBook: () => Promise.resolve({ bids: [{ price: '100.00', quantity: '100' }], asks: [] }),
          place: () => Promise.resolve({ kind: 'ended', filled: sent++ % 2 === 0 ? '0.1' : '0' } as const),
        },
      },
    ]),
  );
  expect([sent, result.residuals]).toEqual([1500, []]);
  expect(readMs.at(-1)!).toBeGreaterThan(KILL_SETTINGS.giveUpMs);
  expect(readMs.at(-1)! - readMs.at(-2)!).toBeGreaterThanOrEqual(KILL_SETTINGS.readLagMs);
});
