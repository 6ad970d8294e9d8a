// A strategy's view of a contract's funding: the rates charged until now, and when the next one is due.

import { allowOnlyMembers } from '../../base/number/onlyMembers.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { Funding } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

const MINUTE_MS = 60_000;
const NO_RATES: FundingRates = { length: 0, timeMs: new Float64Array(0), rate: new Float64Array(0) };

/** The funding of one contract up to the current instant; without rates all figures are NaN. */
export class FundingView implements Funding {
  readonly #rates: FundingRates;
  readonly #clock: { readonly nowMs: number };
  /** Number of rates known at the last read. Time never moves back, so the search starts here. */
  #knownCount = 0;

  constructor(rates: FundingRates | null, clock: { readonly nowMs: number }) {
    this.#rates = rates ?? NO_RATES;
    this.#clock = clock;
  }

  get rate(): number {
    return this.ago(0);
  }
  get atMs(): number {
    return this.#countKnown() === 0 ? NAN : this.#rates.timeMs[this.#knownCount - 1]!;
  }
  ago(ratesBack: number): number {
    // JavaScript may pass an object. Convert it only once: its next conversion could give another number, and so a rate that is not known yet.
    const argument: unknown = ratesBack;
    const age = Number(argument);
    const index = this.#countKnown() - 1 - age;
    return index >= 0 && age >= 0 ? (this.#rates.rate[index] ?? NAN) : NAN;
  }
  /** Returns the next funding time, to the minute: the last interval between two rates, repeated. No future rate is read. */
  get nextMs(): number {
    const knownCount = this.#countKnown();
    if (knownCount < 2) return NAN;
    const lastMs = onMinute(this.#rates.timeMs[knownCount - 1]!);
    const stepMs = lastMs - onMinute(this.#rates.timeMs[knownCount - 2]!);
    const { nowMs } = this.#clock;
    if (!(stepMs > 0)) return NAN;
    const stepsToNow = Math.ceil((nowMs - lastMs) / stepMs);
    return lastMs + stepMs * Math.max(1, stepsToNow);
  }

  /** Returns the number of rates that were charged until now. */
  #countKnown(): number {
    const { length, timeMs } = this.#rates;
    const { nowMs } = this.#clock;
    while (this.#knownCount < length && timeMs[this.#knownCount]! <= nowMs) this.#knownCount++;
    return this.#knownCount;
  }
}

allowOnlyMembers(FundingView.prototype, 'the funding');

/** Returns a time rounded to the minute, because rates arrive some ms late. */
const onMinute = (ms: number): number => Math.round(ms / MINUTE_MS) * MINUTE_MS;
