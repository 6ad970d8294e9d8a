// Unpacks the sets of the page as columns, and computes the values that the charts need.
/// <reference lib="dom" />

import { writeFigure, type FigureKind } from '../../words/figures.ts';
import { wholeText, fixed, NO_VALUE } from '../../../base/text/format.ts';
import { unpackNarrow, unpackDecimals } from '../../page/browser/unpack.ts';
import { neighbourhoods } from '../figures/neighbours.ts';
import type { SweepPage } from './wire.ts';

/** One figure of all sets. */
export interface SweepFigure {
  readonly name: string;
  readonly label: string;
  readonly kind: FigureKind;
  readonly values: Float64Array;
}

/** The data of the page. */
export interface Model {
  readonly page: SweepPage;
  /** By axis: for each set, the index of its value on that axis. */
  readonly places: readonly Int32Array[];
  /** By set: its position in OUTCOMES. */
  readonly outcomes: Int32Array;
  readonly figures: readonly SweepFigure[];
  /** Returns the means of a figure over the neighbourhood of each set. Computed once for each figure. */
  neighbours(figure: SweepFigure): Float64Array;
}

/** Unpacks all columns of the page. */
export async function unpackModel(page: SweepPage): Promise<Model> {
  const [places, outcomes, figures] = await Promise.all([
    Promise.all(page.places.map(unpackNarrow)),
    unpackNarrow(page.outcomes),
    Promise.all(page.figures.map(async ({ name, label, kind, values }) => ({ name, label, kind, values: await unpackDecimals(values) }))),
  ]);
  const means = new Map<string, Float64Array>();
  return {
    page,
    places,
    outcomes,
    figures,
    neighbours(figure) {
      const cached = means.get(figure.name);
      if (cached) return cached;
      const { mean } = neighbourhoods({ axes: page.axes, places, sets: page.sets }, figure.values);
      means.set(figure.name, mean);
      return mean;
    },
  };
}

/** Returns the parameters of a set as text, such as `fast 20, slow 120`. */
export function paramsOf({ page, places }: Model, setIndex: number): string {
  return page.axes.map(({ name, values }, axis) => `${name} ${values[places[axis]?.[setIndex] ?? 0]}`).join(', ');
}

/** Returns the command that runs the set as a backtest. */
export function commandOf({ page, places }: Model, setIndex: number): string {
  const settings = page.axes.map(({ setting, values }, axis) => ` --set ${setting}=${values[places[axis]?.[setIndex] ?? 0]}`);
  return page.command + settings.join('');
}

/** Returns a figure as text with its unit. */
export function sweepFigureText(value: number, kind: FigureKind, asset: string): string {
  return Number.isFinite(value) ? writeFigure(value, kind, asset) : NO_VALUE;
}

/** Returns a figure as short text: fewer digits for a large number, and no unit except the percent sign. */
export function briefValue(value: number, kind: FigureKind): string {
  if (!Number.isFinite(value)) return '';
  if (kind === 'percent' || kind === 'change') return `${fixed(value * 100, Math.abs(value) >= 1 ? 0 : 1)}%`;
  if (kind === 'count') return wholeText(value);
  const smallDigits = Math.abs(value) >= 100 ? 1 : 2;
  return fixed(value, Math.abs(value) >= 1000 ? 0 : smallDigits);
}
