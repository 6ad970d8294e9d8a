// Funding rates: configured, or drawn for each period from a seed. A seeded rate is known before it is paid.

import { seededRng } from '../../base/number/rng.ts';
import type { Instrument, InstrumentId } from '../../model/instrument.ts';

/** Funding is paid at 00:00, 08:00 and 16:00 UTC of the exchange's clock. */
export const FUNDING_INTERVAL_MS = 8 * 3_600_000;
/** Seeded rates lie between -0.01 % and 0.03 %. Perpetuals usually have 0.01 % in a calm market. In 10^-8. */
const MIN_RATE = -10_000;
const RATE_RANGE = 40_000;
const SEED_STEP = 1_000_003;

/** The funding rates of an exchange, by contract and period. */
export class FundingSchedule {
  readonly #configured: Readonly<Record<InstrumentId, number>>;
  readonly #seed: number;

  constructor(configured: Readonly<Record<InstrumentId, number>>, seed: number) {
    this.#configured = configured;
    this.#seed = seed;
  }

  /** Returns the rate that is paid at the end of the period of `timeMs`, whole in 10^-12. `later`: number of periods after that one. */
  rateAt({ id, contract }: Instrument, timeMs: number, later = 0): number {
    const configured = this.#configured[id];
    if (configured !== undefined) return configured;
    const period = Math.floor(timeMs / FUNDING_INTERVAL_MS) + later;
    const rng = seededRng((this.#seed + period * SEED_STEP + (contract?.contractId ?? 0)) % 2 ** 31);
    return (MIN_RATE + Math.floor(rng.next() * (RATE_RANGE + 1))) * 10_000;
  }
}
