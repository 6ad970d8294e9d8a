// What the writer of a comparison hands to the script of its page.

import type { PackedColumn, PackedDecimals } from '../../page/wire.ts';

export interface WireCurve {
  readonly name: string;
  /** As a fraction of the start, and the deepest drawdown since the instant before. */
  readonly growth: PackedDecimals;
  readonly depth: PackedDecimals;
}

export interface ComparePage {
  readonly fromMs: number;
  readonly toMs: number;
  /** Seconds UTC of the instants. */
  readonly seconds: PackedColumn;
  readonly a: WireCurve;
  readonly b: WireCurve;
}
