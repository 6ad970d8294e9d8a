// Splits a condition of `when` into its operands with their states and figures, and finds the first that is not true.

import type { IndicatorSet } from '../../../indicators/graph/indicatorSet.ts';
import type { Series, Signal } from '../../../indicators/graph/series.ts';
import { FALSE, TRUE } from '../../../indicators/graph/window.ts';
import type { ExplainedOperand, SignalState } from '../model/explanation.ts';
import { isSignal } from './watchedViews.ts';

/** The part of a feed's indicators that conditions need. */
export type SignalSet = Pick<IndicatorSet, 'sourcesOf' | 'stateAt' | 'keyOf'>;

/** Returns the operands of a condition, the condition itself first, each before its own operands. */
export function operandsOf(set: SignalSet, signal: Signal, row: number, depth = 0): readonly ExplainedOperand[] {
  const sources = set.sourcesOf(signal);
  const signals = sources.filter((source): source is Signal => isSignal(source));
  const series = sources.filter((source): source is Series => !isSignal(source));
  const isCrossing = set.keyOf(signal).startsWith('crossing(');
  const operand: ExplainedOperand = {
    text: signalText(set, signal),
    depth,
    state: stateText(set.stateAt(signal, row)),
    figures: series.map((source) => figureText(set.keyOf(source), source, isCrossing)).join(', '),
  };
  return [operand, ...signals.flatMap((source) => operandsOf(set, source, row, depth + 1))];
}

/**
 * Returns the parts of a condition that must all be true: the operands of `and`, also of an `and` inside it. Any other condition is its own
 * only part.
 */
export function conjuncts(set: SignalSet, signal: Signal): readonly Signal[] {
  if (!set.keyOf(signal).startsWith('and(')) return [signal];
  return set.sourcesOf(signal).flatMap((source) => (isSignal(source) ? conjuncts(set, source) : []));
}

/** Returns the first part that is not true at a row of the newest block. Null when all are true. */
export function firstNotTrue(set: SignalSet, parts: readonly Signal[], row: number): Signal | null {
  return parts.find((part) => set.stateAt(part, row) !== TRUE) ?? null;
}

/** Returns a condition as the author of a strategy writes it. A crossing is one node with two outputs, so its text is made here. */
export function signalText(set: SignalSet, signal: Signal): string {
  const key = set.keyOf(signal);
  const sources = set.sourcesOf(signal).map((source) => (isSignal(source) ? signalText(set, source) : set.keyOf(source)));
  if (!key.startsWith('crossing(')) {
    const operation = key.slice(0, key.indexOf('('));
    return sources.length === 0 ? key : `${operation}(${sources.join(', ')})`;
  }
  const [first = '', second = ''] = sources;
  // The node compares its sources in the order of their keys.
  const isUp = key.endsWith('.up') === key.startsWith(`crossing(${first}, `);
  return `${isUp ? 'crossedUp' : 'crossedDown'}(${first}, ${second})`;
}

/** Returns the state of a signal as text. */
export function stateText(state: number): SignalState {
  if (state === TRUE) return 'true';
  return state === FALSE ? 'false' : 'not-ready';
}

/** Returns a series with its value, and with the previous value for a crossing. */
function figureText(key: string, series: Series, isCrossing: boolean): string {
  if (key === String(Number(key))) return key;
  return `${key} ${shortNumber(series.value)}${isCrossing ? ` (${shortNumber(series.prev)} before)` : ''}`;
}

const SIGNIFICANT_DIGITS = 9;

/** Returns a number with at most nine significant digits; for NaN and infinity `not ready`. */
export function shortNumber(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(SIGNIFICANT_DIGITS))) : 'not ready';
}
