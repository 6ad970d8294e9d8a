// Data that the writer of a comparison passes to the script of its page.

import type { PackedColumn, PackedDecimals } from '../../page/wire.ts';

/** The packed curve of one run. */
export interface WireCurve {
  readonly name: string;
  /** Equity as a fraction of the start, and the deepest drawdown since the previous instant. */
  readonly growth: PackedDecimals;
  readonly depth: PackedDecimals;
}

/** All data of the page. */
export interface ComparePage {
  readonly fromMs: number;
  readonly toMs: number;
  /** Instants in seconds UTC. */
  readonly seconds: PackedColumn;
  readonly a: WireCurve;
  readonly b: WireCurve;
}
