// Tests trades in whole numbers, exact to the last unit, against decimals of any length.

import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fill } from '../../../model/fill.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { HoldingBook } from './expectedHoldings.ts';
import { FillScale, TradeNumbers } from './fills.ts';
import type { TradeRow } from '../calls/venueRows.ts';
import { mirrorTrade } from '../observe/selfTrade.ts';

const ROW: TradeRow = {
  tradeId: '1', venueId: '5', otherId: '6', side: 'buy', price: '100', qty: '1', fee: '0.001', feeCoin: 'BTC', isMaker: false, timeMs: 1,
}; // prettier-ignore

describe('FillScale', () => {
  it('FillScale computes the same values as the exchange, for any number of digits', () => {
    const digits = fc.record({ price: fc.nat({ max: 4 }), quantity: fc.nat({ max: 4 }), quote: fc.nat({ max: 8 }) });
    fc.assert(
      fc.property(digits, fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 1, max: 1_000_000 }), (drawnDigits, ticks, lots) => {
        const instrument = spotInstrument('BTC', {
          priceDigits: drawnDigits.price,
          quantityDigits: drawnDigits.quantity,
          quoteDigits: drawnDigits.quote,
          baseDigits: 8,
        });
        const price = new Decimal(ticks).div(10 ** drawnDigits.price).toFixed();
        const qty = new Decimal(lots).div(10 ** drawnDigits.quantity).toFixed();
        const expected = new Decimal(price)
          .times(qty)
          .times(10 ** drawnDigits.quote)
          .toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
        fc.pre(expected.lte(Number.MAX_SAFE_INTEGER));
        const fill = new Fill();
        const scale = new FillScale(instrument);
        expect(scale.isFine({ ...ROW, price, qty })).toBe(false);
        scale.write({ ...ROW, price, qty }, lots, 1, fill);
        expect(scale.rowUnits({ ...ROW, price, qty })).toBe(expected.toNumber());
        expect(fill).toMatchObject({ price: ticks, lots, notional: expected.toNumber(), fee: 100_000, feeInBase: true });
      }),
      { numRuns: 1000 },
    );
  });

  it('FillScale reports a value that is finer than the instrument, and rounds such a fee up', () => {
    const scale = new FillScale(spotInstrument());
    const fill = new Fill();
    expect([scale.isFine({ ...ROW, price: '100.001' }), scale.isFine({ ...ROW, qty: '0.0001' }), scale.isFine(ROW)]).toEqual([
      true,
      true,
      false,
    ]);
    // The price is rounded to a tick, and the money is exact.
    scale.write({ ...ROW, price: '100.006' }, 1000, 1, fill);
    expect([fill.price, fill.notional]).toEqual([10_001, scale.rowUnits({ ...ROW, price: '100.006' })]);
    scale.write({ ...ROW, fee: '0.0000001' }, 1000, 1, fill);
    expect(fill.fee).toBe(1);
    scale.write({ ...ROW, feeCoin: 'XYZ' }, 1000, 1, fill);
    expect([fill.fee, scale.hasForeignFee({ ...ROW, feeCoin: 'XYZ' }), scale.hasForeignFee(ROW)]).toEqual([0, true, false]);
  });

  it('FillScale values contracts at their face value', () => {
    const fill = new Fill();
    const scale = new FillScale(linearContract());
    scale.write({ ...ROW, price: '1000', qty: '10', fee: '0.005', feeCoin: null }, 10, 1, fill);
    expect(fill).toMatchObject({ price: 10_000, lots: 10, notional: 100_000, fee: 50, feeInBase: false });
  });
});

describe('a trade with ourselves', () => {
  it('a trade with ourselves is the same trade when read from its other side, with the fee of this side', () => {
    const mirrored = mirrorTrade(ROW, spotInstrument('BTC', { makerFeePpm: 1000 }));
    expect(mirrored).toMatchObject({ tradeId: '1', venueId: '6', otherId: '5', side: 'sell', isMaker: true, fee: '0.1', feeCoin: 'USDT' });
    expect(mirrorTrade({ ...mirrored, feeCoin: 'USDT' }, spotInstrument('BTC', { takerFeePpm: 1000 }))).toMatchObject({
      side: 'buy',
      fee: '0.001',
      feeCoin: 'BTC',
    });
  });

  it('a trade with ourselves in contracts has a fee on their value, for opening and for closing', () => {
    const instrument = linearContract({ openMakerFeePpm: 100, closeMakerFeePpm: 200 });
    const row = { ...ROW, price: '1000', qty: '10', feeCoin: null };
    const fee = (closes: boolean) => Number(mirrorTrade(row, instrument, closes).fee);
    // Ten contracts are worth 100000 units of 10^-4: 10 USDT.
    expect([fee(false), fee(true)]).toEqual([0.001, 0.002]);
  });
});

describe('HoldingBook', () => {
  it('HoldingBook reports the difference between the exchange and the trades, to the last digit', () => {
    const book = new HoldingBook();
    book.set([{ asset: 'USDT', total: '1000' }]);
    book.book(new FillScale(spotInstrument()).changesOf(ROW), 1);
    const holdings = [
      { asset: 'USDT', total: '900.00' },
      { asset: 'BTC', total: '0.999' },
    ];
    const gapKeys = (reading: typeof holdings, assets: readonly string[], sinceMs: number) =>
      Array.from(book.gaps(reading, new Set(assets), sinceMs), ({ key }) => key);
    expect(gapKeys(holdings, ['BTC', 'USDT'], 2)).toEqual(['']);
    expect(gapKeys([holdings[0]!], ['BTC'], 2)).toEqual(['BTC -0.999']);
    // A reading may show the holdings before a trade.
    expect(gapKeys([{ asset: 'USDT', total: '1000' }], ['BTC', 'USDT'], 1)).toEqual(['BTC -0.999 USDT 100', '']);
    expect(gapKeys([{ asset: 'USDT', total: '1' }], ['BTC', 'USDT'], 1)).toEqual(['BTC -0.999 USDT -899', 'USDT -999']);
  });
});

describe('TradeNumbers', () => {
  it('TradeNumbers distinguishes ids that are equal as doubles', () => {
    const numbers = new TradeNumbers();
    const ids = ['7', '1234567890123456789', '1234567890123456790'];
    const tradeNumbers = ids.map((id) => numbers.tradeNumberOf(id));
    expect(new Set(tradeNumbers).size).toBe(3);
    expect(tradeNumbers.map((number) => numbers.tradeIdOf(number))).toEqual(ids);
  });

  it('TradeNumbers stores the newest ten thousand ids', () => {
    const numbers = new TradeNumbers();
    const idOf = (index: number): string => String(2n ** 60n + BigInt(index));
    const tradeNumbers = Array.from({ length: 10_001 }, (_, index) => numbers.tradeNumberOf(idOf(index)));
    expect(numbers.tradeIdOf(tradeNumbers[0]!)).toBe(String(tradeNumbers[0]));
    expect([1, 5000, 10_000].map((index) => numbers.tradeIdOf(tradeNumbers[index]!))).toEqual([1, 5000, 10_000].map(idOf));
  });
});
