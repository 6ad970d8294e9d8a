// Tests the closing of contracts: only the bot's own part of the shown position, by CLOSE orders that cannot rest.

import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import type { Range } from '../plan/attribution.ts';
import type { KillVenue } from '../plan/killVenue.ts';
import { FuturesCloser } from './futuresCloser.ts';

const exact = (qty: number): Range => ({ low: new Decimal(qty), high: new Decimal(qty) });

/** The contracts that the exchange shows on each side, and how many of them it allows to be closed. */
interface Account {
  readonly long?: number;
  readonly short?: number;
  readonly canClose?: number;
}

/** Returns side, quantity and uncertain quantity that the closer may close, and the blocked quantity if there is one; null: no position. */
async function closable(
  heldRanges: readonly Range[],
  { long = 0, short = 0, canClose = 1e9 }: Account,
  positionSide: 'buy' | 'sell',
  { isNet } = { isNet: true },
) {
  const rangesByStrategy = new Map(heldRanges.map((range, strategy) => [strategy, range]));
  const onSide = (isLong: boolean) => new Map([...rangesByStrategy].filter(([, { high }]) => high.greaterThan(0) === isLong));
  const evidenceReader = {
    read: () => Promise.resolve({ held: rangesByStrategy, heldOn: { buy: onSide(true), sell: onSide(false) }, uncertain: [] }),
  };
  const cancelTriggers = () => Promise.resolve([]);
  const closer = new FuturesCloser({
    instrument: PERPETUAL,
    positionSide,
    isNet,
    evidenceReader: evidenceReader as never,
    journal: null as never,
    cancelTriggers,
  });
  const row = (side: 'buy' | 'sell', volume: number) => ({
    side,
    volume: String(volume),
    closableVolume: String(canClose),
    positionType: 1,
  });
  const venue = { readPositions: () => Promise.resolve([row('buy', long), row('sell', short)]) };
  const position = await closer.closable(venue as unknown as KillVenue);
  const blocked = position?.blockedQty.toNumber() ?? 0;
  return position && [position.side, position.qty.toNumber(), position.uncertainQty.toNumber(), ...(blocked === 0 ? [] : [blocked])];
}

it('the closer closes only the bot’s own part of a position that another owner has made larger', async () => {
  expect(await closable([exact(30)], { long: 50 }, 'buy')).toEqual(['sell', 30, 0]);
  expect(await closable([exact(-30)], { short: 50 }, 'sell')).toEqual(['buy', 30, 0]);
});

it('the closer closes at most the quantity that the exchange shows and allows to be closed', async () => {
  expect(await closable([exact(30)], { long: 20 }, 'buy')).toEqual(['sell', 20, 0]);
  expect(await closable([exact(30)], { long: 30, canClose: 5 }, 'buy')).toEqual(['sell', 5, 0, 25]);
  expect(await closable([exact(30)], { short: 30 }, 'buy')).toBeNull();
});

it('the closer closes nothing on the side that the bot does not hold', async () => {
  expect(await closable([exact(30)], { short: 40 }, 'sell')).toEqual(['buy', 0, 0]);
});

it('the closer closes the smallest position that the evidence allows, and returns the difference', async () => {
  expect(await closable([{ low: new Decimal(10), high: new Decimal(30) }], { long: 30 }, 'buy')).toEqual(['sell', 10, 20]);
  expect(await closable([{ low: new Decimal(-30), high: new Decimal(10) }], { short: 30 }, 'sell')).toEqual(['buy', 0, 30]);
});

it('positions of strategies are added up in net mode, and kept apart by side in two-way mode', async () => {
  const heldRanges = [exact(50), exact(-30)];
  expect(await closable(heldRanges, { long: 20 }, 'buy')).toEqual(['sell', 20, 0]);
  expect(await closable(heldRanges, { long: 120 }, 'buy')).toEqual(['sell', 20, 0]);
  expect(await closable(heldRanges, { long: 50, short: 30 }, 'buy', { isNet: false })).toEqual(['sell', 50, 0]);
  expect(await closable(heldRanges, { long: 50, short: 30 }, 'sell', { isNet: false })).toEqual(['buy', 30, 0]);
});

it('if the exchange shows both sides to a bot in net mode, what its orders may have left on each side is not proved', async () => {
  // It has bought 50 and sold 30. In net mode that is 20 long, in two-way mode 50 long and 30 short.
  const heldRanges = [exact(50), exact(-30)];
  expect(await closable(heldRanges, { long: 50, short: 30 }, 'buy')).toEqual(['sell', 20, 30]);
  expect(await closable(heldRanges, { long: 50, short: 30 }, 'sell')).toEqual(['buy', 0, 30]);
});

it('the closer sends CLOSE orders with the margin mode of the position', async () => {
  for (const positionType of [1, 2]) {
    const evidenceReader = { read: () => Promise.resolve({ held: new Map([[0, exact(30)]]), uncertain: [] }) };
    const journal = { intend: () => Promise.resolve('SLICE'), writeRefusal: () => {} };
    const deps = { instrument: PERPETUAL, positionSide: 'buy', isNet: true, evidenceReader, journal };
    const closer = new FuturesCloser(deps as never);
    const row = { side: 'buy', volume: '30', closableVolume: '30', positionType };
    const sent: unknown[] = [];
    const venue = {
      readPositions: () => Promise.resolve([row]),
      once: (_: string, order: unknown) => {
        sent.push(order);
        return Promise.resolve({ kind: 'refused', code: -1, msg: '' });
      },
    } as unknown as KillVenue;
    await closer.closable(venue);
    await closer.place(venue, { instrument: PERPETUAL, strategy: 0, side: 'sell', qty: '30', price: '1' }, 500);
    expect(sent).toMatchObject([{ side: 'SELL', open: 'CLOSE', timeInForce: 'IOC', positionType, volume: '30', clientOrderId: 'SLICE' }]);
  }
});
