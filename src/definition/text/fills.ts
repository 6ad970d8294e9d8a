// Defines the fill settings of a run definition: their schema, their defaults, and their values in the units of the engine.

import { z } from 'zod';
import { QUEUE_DIGITS, type QueueSettings } from '../../venue/trades/tradeMatcher.ts';
import type { FillsPlan } from '../plan/plan.ts';
import { toScaled } from '../../base/number/decimal.ts';
import { choiceValue, intervalValue, mapValue, ppmOf, rateValue, integerValue, textValue } from './values.ts';

/** Returns the schema of the coefficient of market impact, which becomes whole millionths. */
function coefficientValue() {
  const expectation = 'a quoted decimal (multiple of volatility, below 1000 with at most 6 decimals)';
  const help = 'impact of an order as large as the volume of its bar, as a multiple of the volatility of the bar; 0 is no impact';
  return textValue(expectation, help, /^\d{1,3}(\.\d{1,6})?$/);
}

/** Returns the schema of a quantity in the base asset, or of a multiple of a quantity. */
function queueValue(expectation: string, help: string) {
  return textValue(`a quoted decimal (${expectation}, below 10,000,000 with at most 8 decimals)`, help, /^\d{1,7}(\.\d{1,8})?$/);
}

const queueSchema = mapValue(
  {
    ahead: queueValue('base asset', 'quantity that waits before a limit when it begins to rest').optional(),
    aheadTrades: queueValue(
      'multiple of a trade',
      'the same as a multiple of the average quantity of the 100 trades before it rests',
    ).optional(),
    cancels: rateValue('share of the quantity ahead that is cancelled, not traded').optional(),
  },
  "the queue before a resting limit, such as { ahead: '2.5', cancels: '0.3' }",
);

/** The schema of the key `fills`. */
export const fillsSchema = mapValue(
  {
    limit: choiceValue(['through', 'touch'], 'when a resting limit order fills: price trades through it, or touches it').optional(),
    latencyMs: integerValue('ms', "from a decision to its order's arrival", 0, 86_400_000).optional(),
    maxVolumeShare: rateValue("largest share of a bar's volume that fills may take; 0 is no cap").optional(),
    slippageTicks: integerValue('ticks', 'slippage of taking fills').optional(),
    slippage: rateValue('slippage of taking fills').optional(),
    impact: mapValue({ coefficient: coefficientValue() }, "market impact, such as { coefficient: '1' }")
      .describe('market impact of taking fills, by the square-root model')
      .optional(),
    collar: rateValue('how far beyond the last close a market buy by quantity may pay').optional(),
    inside: intervalValue('finer bars in which orders fill, where the catalog has some of the instrument', ['finest', 'off']).optional(),
    executionInterval: intervalValue('what orders fill against: trades of the catalog, or bars as for inside', [
      'finest',
      'off',
      'trades',
    ]).optional(),
    queue: queueSchema.describe('what waits before a limit that rests, for fills against trades').optional(),
  },
  'fill settings, such as { limit: through, latencyMs: 0 }',
);

/** The keys for matching in bars. A paper exchange with `match: bars` has them too. */
export const rowFills = fillsSchema.omit({ latencyMs: true, collar: true, inside: true, executionInterval: true, queue: true });

/** The value of the key `fills` as a user writes it. */
export type FillsConfig = z.output<typeof fillsSchema>;

/** The defaults that the recorded definition of every run has. Another key would change the hash of every definition. */
export const FILL_DEFAULTS = {
  limit: 'through',
  latencyMs: 0,
  maxVolumeShare: '0',
  slippageTicks: 0,
  slippage: '0',
  collar: '0.01',
} as const satisfies FillsConfig;

/** Returns the fill settings in the units of the engine. `inside` is not among them, because it selects bars. */
export function settledFills(fills: FillsConfig = {}): FillsPlan {
  const { limit, latencyMs, maxVolumeShare, slippageTicks, slippage, collar } = FILL_DEFAULTS;
  return {
    limit: fills.limit ?? limit,
    latencyMs: fills.latencyMs ?? latencyMs,
    maxVolumeSharePpm: ppmOf(fills.maxVolumeShare ?? maxVolumeShare),
    slippageTicks: fills.slippageTicks ?? slippageTicks,
    slippagePpm: ppmOf(fills.slippage ?? slippage),
    impactPpm: ppmOf(fills.impact?.coefficient ?? '0'),
    collarPpm: ppmOf(fills.collar ?? collar),
    ...(fills.queue === undefined ? {} : { queue: queueSettings(fills.queue) }),
  };
}

/** Returns the settings of the queue in units of the engine. */
function queueSettings({ ahead, aheadTrades, cancels }: NonNullable<FillsConfig['queue']>): QueueSettings {
  const units = (text: string): number => toScaled(text, QUEUE_DIGITS)!;
  return {
    aheadUnits: ahead === undefined ? null : units(ahead),
    tradesUnits: aheadTrades === undefined ? 0 : units(aheadTrades),
    cancelsPpm: ppmOf(cancels ?? '0'),
  };
}
