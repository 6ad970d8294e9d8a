// Closing positions: never more than is proved to be the bot's, no slice after one of unknown outcome, and flat only if proved.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { flatten, type Closable, type Flattened, type SliceOutcome } from './flatten.ts';
import { settleSlice, type OrderState } from './settle.ts';
import { KILL_SETTINGS, KillVenue } from '../plan/venue.ts';

const instrument = spotInstrument();
const closable = (qty: string, rest = '0', warnings: readonly string[] = []): Closable => ({
  side: 'sell',
  qty: new Decimal(qty),
  rest: new Decimal(rest),
  uncertainties: warnings,
});

/** A venue whose waits are over at once: `work` is run to its end. */
async function inTime<T>(work: (venue: KillVenue) => Promise<T>): Promise<T> {
  const scheduler = new DueQueue();
  scheduler.runDue(0);
  const venue = new KillVenue({
    client: { call: () => ({ cancel: () => {} }) },
    scheduler,
    settings: KILL_SETTINGS,
    onPhase: () => {},
  } as never);
  const working = work(venue);
  const is = { over: false };
  void working.catch(() => {}).finally(() => (is.over = true));
  for (let turn = 0; turn < 20_000 && !is.over; turn++) {
    scheduler.runDue(scheduler.nowMs + 500);
    await Promise.resolve();
  }
  if (!is.over) throw new Error('it has no end');
  return working;
}

interface Script {
  readonly outcomes?: readonly SliceOutcome[];
  /** By the number of slices that were sent. */
  readonly held: (sent: number, readings: number) => Closable | null;
}

async function flattened({ outcomes = [], held }: Script): Promise<{ readonly sent: readonly string[]; readonly done: Flattened }> {
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
  const done = await inTime((venue) => flatten(venue, [{ instrument, strategy: 0, closer }]));
  return { sent, done };
}

it('sends no further slice after one of unknown outcome, and says what is left', async () => {
  const { sent, done } = await flattened({
    outcomes: [{ kind: 'unknown', why: 'no answer' }],
    held: (n) => (n < 2 ? closable('1') : null),
  });
  expect(sent).toHaveLength(1);
  expect(done.residuals).toEqual([expect.stringContaining('unknown outcome: no answer')]);
});

it('a slice is no larger than what is proved to be the bot’s, and the rest is named with its doubts', async () => {
  const { sent, done } = await flattened({
    held: (n) => (n === 0 ? closable('0.4', '0.6', ['a doubt']) : closable('0', '0.6', ['a doubt'])),
  });
  expect(sent).toEqual(['0.4']);
  expect(done.residuals).toEqual([expect.stringMatching(/0\.6 BTC left, which may be the bot's, but that is not proved$/), 'a doubt']);
});

it('a doubt without a quantity is named, too', async () => {
  const { done } = await flattened({ held: () => closable('0', '0', ['a doubt']) });
  expect(done.residuals).toEqual(['a doubt']);
});

it('an order that appears in either of two reads after the last slice is left, and named', async () => {
  for (const late of [2, 3]) {
    const { sent, done } = await flattened({ held: (_, readings) => (readings === late ? closable('0.5') : null) });
    expect([sent, done.residuals]).toEqual([[], [expect.stringContaining('0.5 BTC left')]]);
  }
});

it('less than the smallest order is dust, and no residual', async () => {
  const { sent, done } = await flattened({ held: () => closable('0.000000001') });
  expect([sent, done.residuals, done.dust]).toEqual([[], [], [expect.stringContaining('less than the smallest order')]]);
});

it('an exchange that refuses five slices in a row gets no sixth', async () => {
  const outcomes = Array.from({ length: 9 }, () => ({ kind: 'refused', why: 'code -2017' }) as const);
  const { sent, done } = await flattened({ outcomes, held: () => closable('1') });
  expect(sent).toHaveLength(5);
  expect(done.residuals).toEqual([expect.stringContaining('1 left: code -2017')]);
});

it('a market that fills nothing ends the kill after its time limit', async () => {
  const nothing = inTime((venue) =>
    flatten(venue, [
      {
        instrument,
        strategy: 0,
        closer: {
          closable: () => Promise.resolve(closable('1')),
          readBook: () => Promise.resolve({ bids: [], asks: [] }),
          place: () => Promise.reject(new Error('nothing can be sent')),
        },
      },
    ]),
  );
  await expect(nothing).rejects.toThrow(/the book has no orders to close against/);
});

it('a slice has ended when two terminal readings, a read lag apart, say the same', async () => {
  const state = (status: OrderState['status'], executedQty: string): OrderState => ({ status, executedQty });
  const readings = [state('NEW', '0'), state('CANCELED', '0.1'), state('CANCELED', '0.2'), null, state('CANCELED', '0.3')];
  const asked: number[] = [];
  const cancels: number[] = [];
  const filled = await inTime((venue) =>
    settleSlice(venue, {
      query: () => {
        asked.push(venue.nowMs);
        return Promise.resolve(readings[Math.min(asked.length, readings.length) - 1]!);
      },
      cancel: () => Promise.resolve(cancels.push(venue.nowMs)),
    }),
  );
  expect(filled).toBe('0.3');
  expect(asked.at(-1)! - asked.at(-2)!).toBeGreaterThanOrEqual(KILL_SETTINGS.readLagMs);
  expect(cancels.length).toBeGreaterThan(0);
});

it('four refusals, a slice that is taken and four refusals more are no end', async () => {
  const no = { kind: 'refused', why: 'code -2017' } as const;
  const outcomes = [no, no, no, no, { kind: 'ended', filled: '1' } as const, no, no, no, no];
  const { sent, done } = await flattened({ outcomes, held: (n) => (n < 10 ? closable('1') : null) });
  expect([sent.length, done.residuals]).toEqual([10, []]);
});

it('reaches further where the book gives less than was asked for, and only then', async () => {
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
  await inTime((venue) => flatten(venue, [{ instrument, strategy: 0, closer }]));
  expect(prices.map(Number)).toEqual([99.8, 99.5, 99.5, 99]);
});

it('flattening continues while slices fill, and reads twice, a read lag apart, that the position is flat', async () => {
  const readMs: number[] = [];
  let sent = 0;
  const done = await inTime((venue) =>
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
  expect([sent, done.residuals]).toEqual([1500, []]);
  expect(readMs.at(-1)!).toBeGreaterThan(KILL_SETTINGS.giveUpMs);
  expect(readMs.at(-1)! - readMs.at(-2)!).toBeGreaterThanOrEqual(KILL_SETTINGS.readLagMs);
});
