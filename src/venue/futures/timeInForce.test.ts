// Tests of futures orders with a time in force: IOC, FOK and POST_ONLY.

import { describe, expect, test } from 'vitest';
import { futuresIntent, linearContract, openFutures } from '../../../test/fixtures/futuresVenue.ts';
import type { Side, TimeInForce } from '../../model/order.ts';
import { fixedSlippage } from '../slippage.ts';
import type { FuturesVenueConfig } from './futuresConfig.ts';

const PRICE = 400_000;
const VOLUME = 100;

/** Places one order and matches rows of [open, high, low, volume]. Returns its fills, its status and the locked units. */
function runOrder(
  timeInForce: TimeInForce,
  side: Side,
  limit: number,
  rows: readonly (readonly [number, number, number, number?])[],
  config: Partial<FuturesVenueConfig> & { readonly deposit?: number } = {},
  lots = 10,
) {
  const contract = linearContract();
  const { venue, seen } = openFutures([contract], config);
  const book = venue.book(contract);
  book.lastPrice = PRICE;
  const order = venue.place(0, 1, futuresIntent(contract, side, lots, { limit, timeInForce }), 0);
  if (order === null) throw new Error(`refused: ${venue.refusal}`);
  rows.forEach(([open, high, low, volume = VOLUME], rowIndex) => {
    book.matchOpen(rowIndex * 1000, open, volume);
    book.matchRange(rowIndex * 1000, (rowIndex + 1) * 1000, open, high, low);
  });
  venue.assertConserved();
  const fills = seen.fills.map(({ price, lots: filled, isMaker, timeMs }) => [price, filled, isMaker ? 'maker' : 'taker', timeMs]);
  return { fills, status: order.status, locked: venue.wallets.wallet(0, 0).locked };
}
const CANCELED = { status: 'CANCELED', locked: 0 };
const VOLUME_CAP = { maxVolumeSharePpm: 50_000 };

describe.each(['IOC', 'FOK'] as const)('%s', (timeInForce) => {
  test('an IOC or FOK order fills at an open within its limit', () => {
    const buy = runOrder(timeInForce, 'buy', 400_100, [[PRICE, 401_000, 399_000]]);
    expect(buy).toEqual({ fills: [[PRICE, 10, 'taker', 0]], status: 'FILLED', locked: 0 });
    const sell = runOrder(timeInForce, 'sell', PRICE, [[PRICE, 401_000, 399_000]]);
    expect(sell).toEqual({ fills: [[PRICE, 10, 'taker', 0]], status: 'FILLED', locked: 0 });
  });
  test('an IOC or FOK order is canceled when the open does not fill it, even if the row reaches its limit later', () => {
    expect(runOrder(timeInForce, 'buy', 399_999, [[PRICE, 401_000, 390_000]])).toEqual({ fills: [], ...CANCELED });
    expect(runOrder(timeInForce, 'sell', 400_001, [[PRICE, 410_000, 399_000]])).toEqual({ fills: [], ...CANCELED });
  });
  test('slippage fills an IOC or FOK order at most at its limit', () => {
    const slippage = fixedSlippage(50, 0);
    expect(runOrder(timeInForce, 'buy', 400_020, [[PRICE, 401_000, 399_000]], { slippage }).fills).toEqual([[400_020, 10, 'taker', 0]]);
    expect(runOrder(timeInForce, 'buy', 400_090, [[PRICE, 401_000, 399_000]], { slippage }).fills).toEqual([[400_050, 10, 'taker', 0]]);
  });
  test('under a cap on volume, an IOC or FOK order waits through a row without volume', () => {
    const rows = [[PRICE, PRICE, PRICE, 0], [400_010, 400_010, 400_010]] as const; // prettier-ignore
    expect(runOrder(timeInForce, 'buy', 400_100, rows, { maxVolumeSharePpm: 1_000_000 }).fills).toEqual([[400_010, 10, 'taker', 1000]]);
  });
});

describe('under the cap on volume', () => {
  const row = [[PRICE, 401_000, 399_000]] as const;
  test('an IOC order fills what the cap on volume allows, and the remainder is canceled', () => {
    expect(runOrder('IOC', 'buy', 400_100, row, VOLUME_CAP)).toEqual({ fills: [[PRICE, 5, 'taker', 0]], ...CANCELED });
  });
  test('under a cap on volume, a FOK order fills completely or not at all', () => {
    expect(runOrder('FOK', 'buy', 400_100, row, VOLUME_CAP)).toEqual({ fills: [], ...CANCELED });
    expect(runOrder('FOK', 'buy', 400_100, row, VOLUME_CAP, 5)).toEqual({ fills: [[PRICE, 5, 'taker', 0]], status: 'FILLED', locked: 0 });
    expect(runOrder('FOK', 'buy', 400_100, row, VOLUME_CAP, 6).fills).toEqual([]);
  });
});

describe('when the account cannot back the whole order at the price at which it fills', () => {
  // Ten lots at 400,000 need 400,000 units of margin and 1,600 of fees. The sell was admitted at that price and fills at a higher one.
  const row = [[440_000, 440_000, 440_000]] as const;
  const config = { deposit: 401_600 };
  test('an IOC order fills the lots that the account can back at the fill price', () => {
    expect(runOrder('IOC', 'sell', PRICE, row, config)).toMatchObject({ fills: [[440_000, 9, 'taker', 0]], ...CANCELED });
  });
  test('a FOK order that the account cannot back at the fill price fills nothing', () => {
    expect(runOrder('FOK', 'sell', PRICE, row, config)).toEqual({ fills: [], ...CANCELED });
  });
});

describe('POST_ONLY', () => {
  test('a POST_ONLY order is canceled when it would take liquidity', () => {
    expect(runOrder('POST_ONLY', 'buy', PRICE, [[PRICE, 401_000, 399_000]])).toEqual({ fills: [], ...CANCELED });
    expect(runOrder('POST_ONLY', 'sell', 399_000, [[PRICE, 401_000, 399_000]])).toEqual({ fills: [], ...CANCELED });
  });
  test('a POST_ONLY order rests, and fills at its limit as maker when the price trades through it', () => {
    expect(runOrder('POST_ONLY', 'buy', 399_500, [[PRICE, PRICE, 399_500], [PRICE, PRICE, 399_499]])).toMatchObject({
      fills: [[399_500, 10, 'maker', 2000]],
      status: 'FILLED',
    }); // prettier-ignore
  });
  test('a POST_ONLY order fills at its limit, as maker, when the open jumps over it', () => {
    const rows = [[PRICE, PRICE, PRICE], [399_000, 399_200, 398_000]] as const; // prettier-ignore
    expect(runOrder('POST_ONLY', 'buy', 399_500, rows).fills).toEqual([[399_500, 10, 'maker', 1000]]);
    const above = [[PRICE, PRICE, PRICE], [401_000, 401_200, 400_800]] as const; // prettier-ignore
    expect(runOrder('POST_ONLY', 'sell', 400_500, above).fills).toEqual([[400_500, 10, 'maker', 1000]]);
  });
  test('the part of a POST_ONLY order that the cap on volume does not allow keeps resting', () => {
    const rows = [[PRICE, PRICE, PRICE], [399_000, 399_200, 398_000], [399_400, 399_400, 399_300]] as const; // prettier-ignore
    const { fills, status } = runOrder('POST_ONLY', 'buy', 399_500, rows, VOLUME_CAP, 12);
    expect(fills).toEqual([[399_500, 5, 'maker', 1000], [399_500, 5, 'maker', 2000]]); // prettier-ignore
    expect(status).toBe('PARTIALLY_FILLED');
  });
});

test('an order with a time in force waits for the first row that opens after it has arrived', () => {
  const contract = linearContract();
  const { venue, seen } = openFutures([contract]);
  const book = venue.book(contract);
  book.lastPrice = PRICE;
  const order = venue.place(0, 1, futuresIntent(contract, 'buy', 1, { limit: PRICE, timeInForce: 'IOC' }), 500)!;
  book.matchOpen(0, 390_000, VOLUME);
  book.matchRange(0, 1000, 390_000, 390_000, 390_000);
  expect([seen.fills, order.isOpen]).toEqual([[], true]);
  book.matchOpen(1000, 395_000, VOLUME);
  expect(seen.fills).toMatchObject([{ price: 395_000, timeMs: 1000 }]);
});
