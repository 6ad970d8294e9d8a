// Values the money of fills in the reporting asset of a run, for runs with cash in one quote asset or in several.

import { Decimal, fromScaled, nearestScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { ratesOf, type Rates } from '../../report/series/reportingView.ts';
import type { ValuedQuoteAssets } from './rerunStrategies.ts';

/** The side, notional and fee of a fill. Amounts are decimals in the quote asset of its instrument. */
export interface FillMoney {
  readonly isBuy: boolean;
  readonly notional: string;
  /** `0` for a fee in coins, which counts as a part of the holdings. */
  readonly fee: string;
  /** Time whose newest close values the fill, ms UTC. */
  readonly ms: number;
}

/** Values money of any quote asset of a run in its reporting asset. */
export class ReportingMoney {
  readonly #assets: ValuedQuoteAssets;
  readonly #rates = new Map<string, Rates | null>();

  constructor(assets: ValuedQuoteAssets) {
    this.#assets = assets;
  }

  /** Returns the amount received minus the amount paid and the fee. Each amount is converted and rounded half up by itself, as in a report. */
  netAmount({ quote, quoteDigits }: Instrument, { isBuy, notional, fee, ms }: FillMoney): Decimal {
    if (!this.#rates.has(quote)) this.#rates.set(quote, ratesOf(quote, this.#assets));
    const rates = this.#rates.get(quote)!;
    const value = (amount: string): Decimal =>
      new Decimal(rates === null ? amount : fromScaled(rates.value(nearestScaled(amount, quoteDigits), ms), quoteDigits));
    const received = isBuy ? value(notional).neg() : value(notional);
    return received.minus(value(fee));
  }
}
