// Tests contracts in instrument records: they are read as written, a proposed one runs, and an error names its place.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lots } from '../../../base/brand.ts';
import { instrumentId, lotsPerCoin, type Instrument } from '../../../model/instrument.ts';
import { contractsOf } from '../../../venue/futures/futuresConfig.ts';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { futuresConfig, inverseContract, linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { instrumentText, parseInstrument, proposeInstrument } from './instrumentRecord.ts';

const writtenAndRead = (instrument: Instrument) => parseInstrument(instrumentText(instrument), 'x.json', 'futures', instrument.wireName);

describe('the record of a contract', () => {
  it.each([linearContract(), inverseContract(), linearContract({ isTrading: false, maxMarketLots: 500, assumed: ['tiers'] })])(
    'the record of a contract reads back as it was written',
    (instrument) => expect(writtenAndRead(instrument)).toEqual(instrument),
  );

  it('the record of a contract with random figures reads back as it was written', () => {
    const ppm = fc.integer({ min: 0, max: 99_999 });
    const terms = fc.record({
      multiplier: fc.integer({ min: 1, max: 9_999_999 }).filter((face) => face % 10 !== 0),
      multiplierDigits: fc.integer({ min: 0, max: 8 }),
      maxMarketLots: fc.nat(),
      openMakerFeePpm: ppm,
      closeTakerFeePpm: ppm,
      contractId: fc.nat(),
    });
    const sizes = fc.record({ quantityDigits: fc.integer({ min: 0, max: 4 }), minLots: fc.integer({ min: 1, max: 1000 }).map(lots) });
    fc.assert(
      fc.property(terms, sizes, (contract, { quantityDigits, minLots }) => {
        const instrument = linearContract(contract, { quantityDigits, baseDigits: quantityDigits, minLots });
        expect(writtenAndRead(instrument)).toEqual(instrument);
      }),
    );
  });

  it('the record of a contract is proposed from bars, and lists every figure that is assumed', () => {
    const barFacts = { priceDigits: 1, volumeDigits: 3, lowest: 40_000, highest: 110_000 };
    const proposed = proposeInstrument('futures', 'BTCUSDT', barFacts);
    expect(proposed).toMatchObject({ base: 'BTC', quote: 'USDT', quantityDigits: 0, baseDigits: 0, minLots: 1 });
    expect(proposed.contract).toMatchObject({
      kind: 'linear',
      multiplier: 1,
      multiplierDigits: 3,
      openMakerFeePpm: 200,
      closeTakerFeePpm: 500,
      maxLeverage: 125,
    });
    expect(proposed.contract!.assumed).toEqual(expect.arrayContaining(['multiplier', 'openTakerFee', 'maxLeverage', 'tiers']));
    expect(instrumentText(proposed)).toContain('"multiplier": "0.001"');
    expect(writtenAndRead(proposed)).toEqual(proposed);
    // The simulated venue accepts the proposed contract. If volumes are whole coins, one contract is one coin.
    expect(() => contractsOf(futuresConfig([proposed]))).not.toThrow();
    const ofWholeCoins = proposeInstrument('futures', 'ADAUSDT', { ...barFacts, volumeDigits: 0 });
    expect([ofWholeCoins.contract!.multiplierDigits, lotsPerCoin(ofWholeCoins), lotsPerCoin(proposed)]).toEqual([0, 1, 1000]);
    expect(
      proposeInstrument('futures', 'ETHBTC', { ...barFacts, lowest: 0.03, highest: 0.1, priceDigits: 5 }).contract!.tiers,
    ).toHaveLength(1);
  });

  it('the record of a contract reports the lots in a coin of volume', () => {
    expect(lotsPerCoin(linearContract({ multiplier: 5, multiplierDigits: 1 }, { quantityDigits: 2, baseDigits: 2 }))).toBe(200);
    expect(lotsPerCoin(spotInstrument('BTC', { quantityDigits: 4 }))).toBe(10_000);
  });

  const text = instrumentText(linearContract());
  it.each([
    ['"kind": "linear"', '"kind": "quanto"', 'x.json:10 contract.kind: expected one of linear, inverse, got "quanto"'],
    ['"multiplier": "0.001"', '"multiplier": "0"', 'contract.multiplier: expected a face value above 0'],
    ['"multiplier": "0.001"', '"multiplier": 0.001', 'contract.multiplier: expected a word'],
    ['"maxLeverage": 100,\n    "open', '"maxLeverage": 0,\n    "open', 'contract.maxLeverage: expected a whole number, 1 to 1000, got 0'],
    ['"status": "open"', '"status": 1', 'contract.status: expected one of open, closed, got 1'],
    ['"notional": null', '"notional": "900000"', 'contract.tiers[2].notional: expected null, for the last tier has no end'],
    ['"notional": "250000"', '"notional": "50000"', 'contract.tiers[1].notional: expected an amount above that of the tier before'],
    ['"maintenanceRate": "0.025"', '"maintenanceRate": "0.001"', 'contract.tiers[2].maintenanceRate: expected a rate as high as'],
    ['"openMakerFee": "0.0002"', '"openMakerFe": "0.0002"', 'contract.openMakerFe: unknown key'],
    ['"basePrecision": 0', '"basePrecision": 3', 'basePrecision: expected the quantityPrecision of the contract, 0, got 3'],
    [
      '"minQuantity": "1"',
      '"minQuantity": "1",\n  "makerFee": "0.001"',
      'x.json:7 makerFee: expected nothing: the fees of a contract, fractions of the notional, are openMakerFee and closeMakerFee of its record, got "0.001"',
    ],
  ])('the record of a contract names %s written as %s', (validText, invalidText, message) => {
    expect(text).toContain(validText);
    expect(() => parseInstrument(text.replace(validText, invalidText), 'x.json', 'futures', 'E-BTC-USDT')).toThrow(message);
  });

  it('the record of a contract is rejected for a spot instrument', () => {
    expect(() => parseInstrument(text, 'x.json', 'spot', 'BTCUSDT')).toThrow(
      /contract: expected none for an instrument of spot, got \{"kind":"linear".{40,50}\.\.\.$/,
    );
    expect(instrumentId('futures', 'E-BTC-USDT')).toBe(writtenAndRead(linearContract()).id);
  });
});
