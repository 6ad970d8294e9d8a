// Adapts custom slippage and fee models to the venue: converts units in both directions, and checks each result.

import { MAX_TICKS } from '../../adapters/catalog/records/instrumentRecord.ts';
import { StrategyError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { FeeSpec, SlippageSpec } from '../../strategy/models.ts';
import type { FeeModel } from '../../venue/feeModel.ts';
import { NO_BAR, type SlippageModel } from '../../venue/slippage.ts';
import { callModel, describeAnswer } from '../../definition/models/callModel.ts';

/** The number of ppm in the whole. */
const MILLION = 1_000_000;
/** A slippage above a whole tick by less than this fraction of a tick is a rounding error of doubles, so it does not add a tick. */
const ROUNDING_ERROR = 1e-9;

/** Returns the slippage model of a custom one. It rounds up to whole ticks. Throws StrategyError for a result that is not at least 0. */
export function slippageOf({ worse }: SlippageSpec): SlippageModel {
  return {
    ticks: (instrument, side, price, lots, bar = NO_BAR) => {
      const ticksPerPrice = pow10(instrument.priceDigits);
      const lotsPerBase = pow10(instrument.quantityDigits);
      const { open, high, low, close, volumeLots } = bar;
      const fill = {
        symbol: instrument.wireName,
        side,
        price: price / ticksPerPrice,
        qty: lots / lotsPerBase,
        bar: {
          open: open / ticksPerPrice,
          high: high / ticksPerPrice,
          low: low / ticksPerPrice,
          close: close / ticksPerPrice,
          volume: volumeLots / lotsPerBase,
        },
        share: lots / Math.max(1, volumeLots),
      };
      const answer = callModel('the slippage model', worse, fill);
      const exactTicks = typeof answer === 'number' && answer >= 0 ? answer * ticksPerPrice : NaN;
      const ticks = Math.max(0, Math.ceil(exactTicks - ROUNDING_ERROR));
      if (ticks < MAX_TICKS) return ticks;
      throw new StrategyError(
        `the slippage model returned ${describeAnswer(answer)}`,
        'return by how much a fill is worse than quoted, as a price difference of 0 or more',
      );
    },
  };
}

/** Returns the fee model of one account in one run. It counts the turnover of the account. Throws StrategyError for an invalid rate. */
export function feeModelOf({ rate }: FeeSpec): FeeModel {
  let turnover = 0;
  return {
    ppm: (instrument, side, isMaker, price, lots, notionalUnits, maxPpm) => {
      const notional = notionalUnits / pow10(instrument.quoteDigits);
      const answer = callModel('the fee model', rate, {
        symbol: instrument.wireName,
        side,
        isMaker,
        price: price / pow10(instrument.priceDigits),
        qty: lots / pow10(instrument.quantityDigits),
        notional,
        turnover,
      });
      turnover += notional;
      const ppm = typeof answer === 'number' && answer >= 0 ? Math.round(answer * MILLION) : NaN;
      if (!(ppm >= 0))
        throw new StrategyError(
          `the fee model returned ${describeAnswer(answer)}`,
          'return the rate of a fill as a fraction of its notional, a number >= 0',
        );
      if (ppm <= maxPpm) return ppm;
      const liquidity = isMaker ? 'maker' : 'taker';
      throw new StrategyError(
        `the fee model returned ${describeAnswer(answer)} for a ${liquidity}, whose rate is at most ${maxPpm / MILLION}`,
        `raise fees.${liquidity} of the definition, by which orders reserve cash, or lower the rate of the model`,
      );
    },
  };
}
