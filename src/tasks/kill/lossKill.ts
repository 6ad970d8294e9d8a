// Decides when a loss is too large for a halt: at one and a half times its limit, everything is closed.

import type { RiskModule } from '../../risk/riskModule.ts';

const TIMES = { numerator: 3, denominator: 2 } as const;

/** Sources of the figures. */
export interface LossFigures {
  readonly risk: Pick<RiskModule, 'lossBeyond'>;
  /** Current equity of the account, in units of the settlement asset; NaN: unknown. */
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
   * Returns why everything must be closed; null: no reason. The rule that measures the loss decides. If the equity was known and is unknown
   * now, it counts as beyond every limit.
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
