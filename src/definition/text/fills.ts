// The fill settings of a run definition: keys, defaults, and values in a run. The exchange config shares those for matching in bars.

import { z } from 'zod';
import type { FillsPlan } from '../plan/plan.ts';
import { choiceValue, intervalValue, map, ppmOf, rate, integerValue, textValue } from './values.ts';

/** The coefficient of market impact: it becomes whole millionths. */
function coefficient() {
  const what = 'a quoted decimal (multiple of volatility, below 1000 with at most 6 decimals)';
  const help = 'impact of an order as large as the volume of its bar, as a multiple of the volatility of the bar; 0 is no impact';
  return textValue(what, help, /^\d{1,3}(\.\d{1,6})?$/);
}

export const fillsSchema = map(
  {
    limit: choiceValue(['through', 'touch'], 'when a resting limit order fills: price trades through it, or touches it').optional(),
    latencyMs: integerValue('ms', "from a decision to its order's arrival", 0, 86_400_000).optional(),
    maxVolumeShare: rate("largest share of a bar's volume that fills may take; 0 is no cap").optional(),
    slippageTicks: integerValue('ticks', 'slippage of taking fills').optional(),
    slippage: rate('slippage of taking fills').optional(),
    impact: map({ coefficient: coefficient() }, "market impact, such as { coefficient: '1' }")
      .describe('market impact of taking fills, by the square-root model')
      .optional(),
    collar: rate('how far beyond the last close a market buy by quantity may pay').optional(),
    inside: intervalValue('finer bars in which orders fill, where the catalog has some of the instrument', ['finest', 'off']).optional(),
  },
  'fill settings, such as { limit: through, latencyMs: 0 }',
);

/** The keys for matching in bars, which an exchange with `match: bars` has too. */
export const rowFills = fillsSchema.omit({ latencyMs: true, collar: true, inside: true });

export type Fills = z.output<typeof fillsSchema>;

/** Defaults that the settled text of every run contains. A further key would change the hash of every definition. */
export const FILL_DEFAULTS = {
  limit: 'through',
  latencyMs: 0,
  maxVolumeShare: '0',
  slippageTicks: 0,
  slippage: '0',
  collar: '0.01',
} as const satisfies Fills;

/** Returns the fill settings in the units of the engine. `inside` selects bars and is handled where they are loaded. */
export function settledFills(given: Fills = {}): FillsPlan {
  const { limit, latencyMs, maxVolumeShare, slippageTicks, slippage, collar } = FILL_DEFAULTS;
  return {
    limit: given.limit ?? limit,
    latencyMs: given.latencyMs ?? latencyMs,
    maxVolumeSharePpm: ppmOf(given.maxVolumeShare ?? maxVolumeShare),
    slippageTicks: given.slippageTicks ?? slippageTicks,
    slippagePpm: ppmOf(given.slippage ?? slippage),
    impactPpm: ppmOf(given.impact?.coefficient ?? '0'),
    collarPpm: ppmOf(given.collar ?? collar),
  };
}
