// Decides when a loss requires a kill: at one and a half times its limit (docs/risk.md, R-22 and R-23).

import type { RiskModule } from '../../risk/riskModule.ts';

/** Loss at which everything is closed, as a multiple of the limit. */
const KILL_FACTOR = { numerator: 3, denominator: 2 } as const;

/** Sources of equity and losses. */
export interface LossFigures {
  readonly risk: Pick<RiskModule, 'lossBeyond'>;
  /** Current equity of the account, in units of the settlement asset; NaN: unknown. */
  readonly equityUnits: () => number;
}

/** Watches the loss of one bot. */
export class LossKill {
  readonly #figures: LossFigures;
  /** False until the equity is known: after a start, positions have no price before the first bar. */
  #hasBeenKnown = false;

  constructor(figures: LossFigures) {
    this.#figures = figures;
  }

  /**
   * Returns why everything must be closed; null: no reason. The rule that measures the loss decides. If the equity was known and is unknown
   * now, it counts as beyond every limit.
   */
  killReason(): string | null {
    const equityUnits = this.#equityUnits();
    if (Number.isFinite(equityUnits)) this.#hasBeenKnown = true;
    return this.#hasBeenKnown ? this.#figures.risk.lossBeyond(equityUnits, KILL_FACTOR) : null;
  }

  /** Returns the current equity; NaN when it cannot be computed. */
  #equityUnits(): number {
    try {
      return this.#figures.equityUnits();
    } catch {
      return NaN;
    }
  }
}
