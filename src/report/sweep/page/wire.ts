// Data that the writer of a sweep report passes to the script of its page: a small JSON head, and packed columns that it refers to by name.

import type { FigureKind } from '../../words/figures.ts';
import type { PackedColumn, PackedDecimals } from '../../page/wire.ts';
import type { SweepAxis } from '../figures/record.ts';

/** A figure of all sets, with what the page shows of it. */
export interface WireFigure {
  readonly name: string;
  readonly label: string;
  readonly kind: FigureKind;
  readonly values: PackedDecimals;
}

/** The outcomes of a set. */
export const OUTCOMES = ['ran', 'refused', 'failed'] as const;
/** What became of a set: it ran, its strategy refused the parameters, or it failed. */
export type SetOutcomeKind = (typeof OUTCOMES)[number];

/** All data of the page. */
export interface SweepPage {
  readonly asset: string;
  readonly axes: readonly SweepAxis[];
  readonly sets: number;
  /** By axis: for each set, the index of its value on that axis. */
  readonly places: readonly PackedColumn[];
  /** By set: its position in OUTCOMES. */
  readonly outcomes: PackedColumn;
  readonly figures: readonly WireFigure[];
  readonly by: string;
  readonly isMoreBetter: boolean;
  readonly best: number | null;
  readonly plateau: number | null;
  /** Annual Sharpe ratio that the best of as many trials without skill is expected to show. */
  readonly expectedBest: number | null;
  /** The command that runs one set as a backtest, without its parameters. */
  readonly command: string;
}
