// When a loss is so far beyond its limit that halting is not enough: one and a half times the limit closes everything.

import type { RiskModule } from '../../risk/riskModule.ts';

const TIMES = { numerator: 3, denominator: 2 } as const;

/** What the figures are read from. */
export interface LossFigures {
  readonly risk: Pick<RiskModule, 'lossBeyond'>;
  /** Equity of the account now, in units of the settlement asset; NaN: it cannot be told. */
  readonly equityUnits: () => number;
}

export class LossKill {
  readonly #figures: LossFigures;
  /** A position of a bot that has just started has no price before its first bar. */
  #wasKnown = false;

  constructor(figures: LossFigures) {
    this.#figures = figures;
  }

  /**
   * Returns why everything is to be closed; null: nothing is. The rule that measures the loss decides it. An equity that was known and
   * cannot be told any more is beyond every limit: nobody knows how much is lost.
   */
  look(): string | null {
    const units = this.#units();
    if (Number.isFinite(units)) this.#wasKnown = true;
    return this.#wasKnown ? this.#figures.risk.lossBeyond(units, TIMES) : null;
  }

  #units(): number {
    try {
      return this.#figures.equityUnits();
    } catch {
      return NaN;
    }
  }
}
