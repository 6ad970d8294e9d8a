// Fees of a config in a live bot: exact, and of contracts with their other terms, as a backtest has them.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { withRates } from './feeds.ts';

it('fees of the config are the rates of coins, exactly', () => {
  expect(withRates(spotInstrument(), { maker: '0.000003', taker: '0.001001' })).toMatchObject({ makerFeePpm: 3, takerFeePpm: 1001 });
  expect(withRates(spotInstrument(), undefined)).toEqual(spotInstrument());
});

it('fees of the config replace those of a contract, for opening and closing', () => {
  const { contract, makerFeePpm } = withRates(linearContract(), { maker: '0.0002', taker: '0.0006' });
  expect(contract).toMatchObject({ openMakerFeePpm: 200, closeMakerFeePpm: 200, openTakerFeePpm: 600, closeTakerFeePpm: 600 });
  expect(makerFeePpm).toBe(linearContract().makerFeePpm);
});
