// Tests scales of spot instruments: values, notionals and lots against decimal arithmetic.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../base/number/decimal.ts';
import { MAX_EXACT } from '../base/number/exact.ts';
import { spotInstrument } from '../../test/fixtures/drafts.ts';
import { markSegment, InstrumentScale, quoteValueAt, valueUpAt } from './scale.ts';

const scales = fc.record({
  priceDigits: fc.nat({ max: 8 }),
  quantityDigits: fc.nat({ max: 6 }),
  quoteDigits: fc.nat({ max: 8 }),
  extraBaseDigits: fc.nat({ max: 4 }),
});
const wholeNumberUpTo = (max: number) => fc.tuple(fc.nat({ max }), fc.nat({ max: 53 })).map(([value, bits]) => value % 2 ** bits);

const shift = (places: number) => Decimal.pow(10, places);

test('value, notional and lots of a scale equal decimal arithmetic, each with its rounding', () => {
  fc.assert(
    fc.property(scales, wholeNumberUpTo(MAX_EXACT), wholeNumberUpTo(2 ** 40), ({ extraBaseDigits, ...digits }, quantity, price) => {
      const scale = new InstrumentScale(spotInstrument('BTC', { ...digits, baseDigits: digits.quantityDigits + extraBaseDigits }));
      const money = new Decimal(quantity).times(price).times(shift(digits.quoteDigits - digits.priceDigits - digits.quantityDigits));
      const value = money.div(shift(extraBaseDigits));
      if (value.lt(MAX_EXACT - 8)) {
        expect(quoteValueAt(quantity, price, scale.ofUnits)).toBe(value.plus(0.5).floor().toNumber());
        expect(valueUpAt(quantity, price, scale.ofUnits)).toBe(value.ceil().toNumber());
      } else {
        expect(Math.abs(quoteValueAt(quantity, price, scale.ofUnits) / value.toNumber() - 1)).toBeLessThan(1e-15);
      }
      expect(scale.notionalUp(price, quantity)).toBe(money.lt(MAX_EXACT - 8) ? money.ceil().toNumber() : Infinity);
      const lots = new Decimal(quantity).div(
        new Decimal(price + 1).times(shift(digits.quoteDigits - digits.priceDigits - digits.quantityDigits)),
      );
      if (lots.lt(MAX_EXACT - 8)) expect(scale.lotsUp(quantity, price + 1)).toBe(lots.ceil().toNumber());
      else expect(scale.lotsUp(quantity, price + 1)).toBe(Infinity);
    }),
    { numRuns: 2000 },
  );
});

test('marks of a segment, row by row, equal the single value, for every kind of column and holding', () => {
  fc.assert(
    fc.property(
      scales,
      wholeNumberUpTo(2 ** 46),
      wholeNumberUpTo(2 ** 42),
      fc.boolean(),
      fc.nat({ max: 3 }),
      fc.constantFrom(1, 3, 5, 16, 22, 210),
      fc.nat({ max: 12 }),
      ({ extraBaseDigits, ...digits }, base, maxPrice, hasWholeLots, offset, rows, extraRows) => {
        const { ofUnits } = new InstrumentScale(spotInstrument('BTC', { ...digits, baseDigits: digits.quantityDigits + extraBaseDigits }));
        const baseUnits = hasWholeLots ? base * ofUnits.by : base;
        const prices = Array.from({ length: 1 + rows + offset + extraRows }, (_, index) =>
          Math.floor((maxPrice * (index + 1)) / (rows + offset + extraRows + 1)),
        );
        const columns = maxPrice < 2 ** 31 ? [Int32Array.from(prices), Float64Array.from(prices)] : [Float64Array.from(prices)];
        fc.pre(baseUnits <= MAX_EXACT);
        for (const ticks of columns) {
          const out = new Float64Array(rows + 3 + (extraRows >> 1)).fill(-1);
          markSegment(out, 1, rows + 1, { cash: 1000, baseUnits: baseUnits }, ticks, offset, ofUnits);
          // The loop writes whole turns of eight rows, so rows after the segment are free up to here.
          const firstRowAfter = 1 + Math.ceil(rows / 8) * 8;
          expect([out[0], ...out.subarray(firstRowAfter)]).toEqual([-1, ...Array.from(out.subarray(firstRowAfter), () => -1)]);
          for (let row = 1; row <= rows; row++) {
            const expected = 1000 + quoteValueAt(baseUnits, prices[row + offset]!, ofUnits);
            if (expected < MAX_EXACT - 8) expect(out[row]).toBe(expected);
            else expect(Math.abs(out[row]! / expected - 1)).toBeLessThan(1e-15);
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
});
