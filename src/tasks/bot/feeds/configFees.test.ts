// Tests the fees that the config of a live bot sets for its instruments.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { withConfigFees } from './liveFeeds.ts';

it('fees of the config replace the fees of a spot pair exactly', () => {
  expect(withConfigFees(spotInstrument(), { maker: '0.000003', taker: '0.001001' })).toMatchObject({ makerFeePpm: 3, takerFeePpm: 1001 });
  expect(withConfigFees(spotInstrument(), undefined)).toEqual(spotInstrument());
});

it('fees of the config replace the opening and closing fees of a contract', () => {
  const { contract, makerFeePpm } = withConfigFees(linearContract(), { maker: '0.0002', taker: '0.0006' });
  expect(contract).toMatchObject({ openMakerFeePpm: 200, closeMakerFeePpm: 200, openTakerFeePpm: 600, closeTakerFeePpm: 600 });
  expect(makerFeePpm).toBe(linearContract().makerFeePpm);
});
