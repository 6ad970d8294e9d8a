// A strategy's view of a contract's funding: the rates charged until now, and when the next one is due.

import { allowOnlyMembers } from '../../base/number/onlyMembers.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { Funding } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

const MINUTE = 60_000;
const NONE: FundingRates = { length: 0, timeMs: new Float64Array(0), rate: new Float64Array(0) };

/** The funding of one contract up to the current instant; without rates all figures are NaN. */
export class FundingView implements Funding {
  readonly #rates: FundingRates;
  readonly #clock: { readonly nowMs: number };
  /** Number of rates known at the last read. Time never moves back, so the search starts here. */
  #known = 0;

  constructor(rates: FundingRates | null, clock: { readonly nowMs: number }) {
    this.#rates = rates ?? NONE;
    this.#clock = clock;
  }

  get rate(): number {
    return this.ago(0);
  }
  get atMs(): number {
    return this.#count() === 0 ? NAN : this.#rates.timeMs[this.#known - 1]!;
  }
  ago(times: number): number {
    const index = this.#count() - 1 - times;
    return index >= 0 && times >= 0 ? (this.#rates.rate[index] ?? NAN) : NAN;
  }
  /** Returns the next funding time, to the minute: the last interval between two rates, repeated. No future rate is read. */
  get nextMs(): number {
    const knownCount = this.#count();
    if (knownCount < 2) return NAN;
    const last = onMinute(this.#rates.timeMs[knownCount - 1]!);
    const stepMs = last - onMinute(this.#rates.timeMs[knownCount - 2]!);
    const { nowMs } = this.#clock;
    return stepMs > 0 ? last + stepMs * Math.max(1, Math.ceil((nowMs - last) / stepMs)) : NAN;
  }

  #count(): number {
    const { length, timeMs } = this.#rates;
    const { nowMs } = this.#clock;
    while (this.#known < length && timeMs[this.#known]! <= nowMs) this.#known++;
    return this.#known;
  }
}

allowOnlyMembers(FundingView.prototype, 'the funding');

const onMinute = (ms: number): number => Math.round(ms / MINUTE) * MINUTE;
