// Tests instrument records: what a new one proposes, and the text in which it is stored.

import { describe, expect, it } from 'vitest';
import { lots } from '../../../base/brand.ts';
import { synthesizeBars } from '../generate/generate.ts';
import { changedInstrument, instrumentText, parseInstrument, proposeInstrument, splitSymbol } from './instrumentRecord.ts';

const FROM = Date.UTC(2024, 0, 1);
const generate = (bars: number, gapShare = 0.02, seed = 1) =>
  synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: FROM, bars, seed, gapShare });

describe('an instrument record', () => {
  it('an instrument record is proposed so that an account of ten million quote units stays exact', () => {
    const seen = { priceDigits: 2, volumeDigits: 5, lowest: 20_000, highest: 70_000 };
    expect(proposeInstrument('spot', 'BTCUSDT', seen)).toEqual({
      id: 'spot:BTCUSDT',
      market: 'spot',
      wireName: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      priceDigits: 2,
      quantityDigits: 5,
      quoteDigits: 8,
      baseDigits: 8,
      minLots: 1,
      makerFeePpm: 1000,
      takerFeePpm: 1000,
    });
    expect(
      proposeInstrument('spot', 'PEPEUSDT', { ...seen, priceDigits: 8, volumeDigits: 0, lowest: 0.000001, highest: 0.00003 }),
    ).toMatchObject({ baseDigits: 2, quantityDigits: 0 });
    expect(proposeInstrument('spot', 'BTC-IDR', { ...seen, lowest: 1e9, highest: 1.5e9 })).toMatchObject({
      quote: 'IDR',
      quoteDigits: 4,
      baseDigits: 8,
    });
    expect(() => proposeInstrument('spot', 'BTCUSDT', { ...seen, priceDigits: 14 })).toThrow('finer than exact money can be');
  });

  it.each([
    ['BTCUSDT', 'BTC', 'USDT'],
    ['ETHBTC', 'ETH', 'BTC'],
    ['BTCUSD', 'BTC', 'USD'],
    ['BNBBUSD', 'BNB', 'BUSD'],
    ['E-BTC-USDT', 'BTC', 'USDT'],
    ['BTC_EUR', 'BTC', 'EUR'],
  ])('an instrument record splits %s into %s and %s', (symbol, base, quote) => expect(splitSymbol(symbol)).toEqual({ base, quote }));

  it('an instrument record is text in natural terms that reads back', () => {
    const instrument = { ...generate(10).instrument, makerFeePpm: 200, minLots: lots(10) };
    const text = instrumentText(instrument);
    expect(text).toContain('"minQuantity": "0.0001",\n  "makerFee": "0.0002"');
    expect(parseInstrument(text, 'x.json', 'spot', 'SYNUSDT')).toEqual(instrument);
  });

  it.each([
    ['{', 'x.json: no valid JSON'],
    ['[]', 'x.json: expected an object'],
    ['{\n"pricePrecison": 2}', 'x.json:2 pricePrecison: unknown key'],
    ['"pricePrecision": "2"', 'x.json:3 pricePrecision: expected a whole number of digits, 0 to 15, got "2"'],
    ['"minQuantity": 0.001', 'x.json:3 minQuantity: expected a quantity in quotes with at most 5 digits behind the point, got 0.001'],
    ['"minQuantity": "0.000001"', 'at most 5 digits behind the point, got "0.000001"'],
    ['"minQuantity": "0"', 'minQuantity: expected a quantity above 0'],
    ['"makerFee": "1"', 'makerFee: expected a fraction below 1 ("0.001" is 0.1 %), got "1"'],
    ['"makerFee": "0.1 %"', 'makerFee: expected a fraction of the notional'],
    ['"basePrecision": 3', 'basePrecision: expected at least the quantityPrecision, 5, got 3'],
    ['"base": ""', 'base: expected the name of an asset'],
  ])('an instrument record refuses %s', (line, message) => {
    const validRecord = {
      base: 'BTC',
      quote: 'USDT',
      pricePrecision: 2,
      quantityPrecision: 5,
      minQuantity: '0.001',
      makerFee: '0.001',
      takerFee: '0.001',
    };
    const key = /^"(\w+)"/.exec(line)?.[1];
    const otherLines = Object.entries(validRecord)
      .filter(([name]) => name !== key)
      .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
    const text = key === undefined ? line : `{\n\n${[line, ...otherLines].join(',\n')}\n}`;
    expect(() => parseInstrument(text, 'x.json', 'spot', 'BTCUSDT')).toThrow(message);
  });

  it.each([
    // quantityPrecision and minQuantity of the record, the new quantityPrecision, minQuantity and basePrecision of the result
    { digits: 2, minQuantity: '0.01', newDigits: 3, newMinQuantity: '0.001', baseDigits: 8 },
    { digits: 3, minQuantity: '0.001', newDigits: 2, newMinQuantity: '0.01', baseDigits: 8 },
    { digits: 0, minQuantity: '1', newDigits: 9, newMinQuantity: '0.000000001', baseDigits: 9 },
    { digits: 3, minQuantity: '0.015', newDigits: 5, newMinQuantity: '0.015', baseDigits: 8 },
    { digits: 3, minQuantity: '0.015', newDigits: 2, newMinQuantity: '0.02', baseDigits: 8 },
    { digits: 3, minQuantity: '0.015', newDigits: 0, newMinQuantity: '1', baseDigits: 8 },
    { digits: 3, minQuantity: '0.015', newDigits: 3, newMinQuantity: '0.015', baseDigits: 8 },
  ])(
    'a smallest order follows a changed quantityPrecision: $digits digits and $minQuantity, then $newDigits digits',
    ({ digits, minQuantity, newDigits, newMinQuantity, baseDigits }) => {
      const record = {
        base: 'BTC',
        quote: 'USDT',
        pricePrecision: 2,
        quantityPrecision: digits,
        minQuantity,
        makerFee: '0.001',
        takerFee: '0.001',
      };
      const instrument = parseInstrument(JSON.stringify(record), 'x.json', 'spot', 'BTCUSDT');
      const changed = changedInstrument(instrument, { quantityPrecision: newDigits }, (key) => key);
      expect(JSON.parse(instrumentText(changed))).toMatchObject({
        quantityPrecision: newDigits,
        minQuantity: newMinQuantity,
        basePrecision: baseDigits,
      });
      expect(changedInstrument(instrument, { quantityPrecision: 3, minQuantity: '0.007' }, (key) => key).minLots).toBe(7);
    },
  );
});
