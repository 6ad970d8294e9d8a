// Tests the settings that a run and an exchange read from the keys under `fills`.

import { expect, it } from 'vitest';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { fillTerms } from '../../venue/venueConfig.ts';
import { FILL_DEFAULTS, rowFills, settledFills } from './fills.ts';

const DEFAULT_SETTINGS = {
  limit: 'through',
  latencyMs: 0,
  maxVolumeSharePpm: 0,
  slippageTicks: 0,
  slippagePpm: 0,
  impactPpm: 0,
  collarPpm: 10_000,
};

it('a fills key that is missing or undefined has its default', () => {
  expect(settledFills()).toEqual(DEFAULT_SETTINGS);
  expect(settledFills(FILL_DEFAULTS)).toEqual(DEFAULT_SETTINGS);
  expect(settledFills({ limit: undefined, collar: undefined })).toEqual(DEFAULT_SETTINGS);
});

it('rates under fills become millionths, and other keys are unchanged', () => {
  const fills = {
    limit: 'touch',
    latencyMs: 5,
    maxVolumeShare: '0.25',
    slippageTicks: 2,
    slippage: '0.000001',
    impact: { coefficient: '1.25' },
    collar: '0.02',
  } as const;
  expect(settledFills(fills)).toEqual({
    limit: 'touch',
    latencyMs: 5,
    maxVolumeSharePpm: 250_000,
    slippageTicks: 2,
    slippagePpm: 1,
    impactPpm: 1_250_000,
    collarPpm: 20_000,
  });
});

it('the file of a paper exchange has the keys for rows, and no key that only a bot has', () => {
  expect(Object.keys(rowFills.shape)).toEqual(['limit', 'maxVolumeShare', 'slippageTicks', 'slippage', 'impact']);
});

it('a slippage model replaces fixed slippage in the terms of a venue', () => {
  const settings = settledFills({ slippageTicks: 3 });
  const ticks = (terms: ReturnType<typeof fillTerms>) => terms.slippage.ticks(spotInstrument(), 'buy', 10_000, 1);
  expect(ticks(fillTerms(settings))).toBe(3);
  expect(ticks(fillTerms(settings, { ticks: () => 7 }))).toBe(7);
  expect(fillTerms(settings)).toMatchObject({ limitRule: 'through', maxVolumeSharePpm: 0 });
});
