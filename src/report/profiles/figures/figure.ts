// A figure of another tool: its value by that tool, the value of isobar beside it, the formula, and the difference in words.

import { reasonOf, type Figure, type Reason } from '../../kernels/figure.ts';
import type { Summary } from '../../summary/summary.ts';

/** Why isobar has no such figure although the tool prints one. `not-sound`: the figure has no sound definition. */
export type ProfileReason = Reason | 'not-sound';

/** The unit of a figure: none, percent, money of the reporting asset, or seconds. */
export type ProfileUnit = '' | '%' | 'money' | 's';

/** A number, or a word for infinity, for NaN, or for an error of the tool. */
export type OriginalValue = number | 'inf' | '-inf' | 'nan' | 'error';

/** A figure of isobar by its place in summary.json, times `scale`. */
interface PlacedFigure {
  readonly place: string;
  readonly scale?: number;
}

/** A figure that summary.json does not have: a number, or why it is undefined. */
interface ComputedFigure {
  readonly value: Figure | 'not-sound';
}

/** The figure of isobar that is shown with the one of the tool. */
export type OwnFigure = PlacedFigure | ComputedFigure;

/** How a tool defines a figure, and its value. */
export interface FigureDefinition {
  /** Name that the tool gives the figure. */
  readonly name: string;
  readonly unit: ProfileUnit;
  /** Value of the tool, including NaN and infinities. Null when the tool raises an error. */
  readonly original: number | null;
  readonly own: OwnFigure;
  readonly formula: string;
  /** How the definition of isobar differs, in words. Empty when both definitions are equal. */
  readonly differs: string;
}

/** A figure as the profile prints it. */
export interface ProfileFigure {
  readonly name: string;
  readonly unit: ProfileUnit;
  readonly original: OriginalValue;
  /** Value of isobar in the same unit. Null when it is undefined. */
  readonly corrected: number | null;
  readonly reason: ProfileReason | null;
  /** True when both are numbers, and they differ by at most 1e-9 of the original. */
  readonly equal: boolean;
  /** Path of isobar's figure in summary.json. Null when the summary does not have it. */
  readonly isobar: string | null;
  /** Formula by the definition of the tool. */
  readonly formula: string;
  /** How the definition of isobar differs, in words. */
  readonly differs: string;
}

/** Text in place of a difference. */
const SAME_DEFINITION = 'the same definition';

/** Returns the printed figure of a definition. */
export function profileFigure({ own, original, name, unit, formula, differs }: FigureDefinition, summary: Summary): ProfileFigure {
  const { value, reason } = 'place' in own ? placedValue(summary, own) : computedValue(own.value);
  const printedOriginal = originalValue(original);
  return {
    name,
    unit,
    original: printedOriginal,
    corrected: value,
    reason,
    equal: typeof printedOriginal === 'number' && value !== null && isNear(value, printedOriginal),
    isobar: 'place' in own ? own.place : null,
    formula,
    differs: differs === '' ? SAME_DEFINITION : differs,
  };
}

/** Largest difference of equal values, as a fraction of the original. */
const EQUAL_TOLERANCE = 1e-9;
const isNear = (value: number, original: number) => Math.abs(value - original) <= EQUAL_TOLERANCE * Math.abs(original);

/** Returns a number, or the word for one that is not finite. */
export function originalValue(value: number | null): OriginalValue {
  if (value === null) return 'error';
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  return value === -Infinity ? '-inf' : value;
}

/** A value of isobar, or why it is undefined. */
interface OwnValue {
  readonly value: number | null;
  readonly reason: ProfileReason | null;
}

/** Returns a computed figure as a value or a reason. */
function computedValue(value: Figure | 'not-sound'): OwnValue {
  if (value === 'not-sound') return { value: null, reason: value };
  const reason = reasonOf(value);
  return typeof value === 'number' && reason === null ? { value, reason } : { value: null, reason };
}

/** Returns the figure at a place such as `metrics.sharpe`. Decimal text is read as a number. */
function placedValue(summary: Summary, { place, scale = 1 }: PlacedFigure): OwnValue {
  const [member = '', ...path] = place.split('.');
  const group: unknown = Reflect.get(summary, member);
  const value = path.reduce<unknown>((parent, key) => memberOf(parent, key), group);
  if (value === null || value === undefined) {
    const reason = memberOf(memberOf(group, 'reasons'), path.join('.'));
    return { value: null, reason: (reason as Reason | undefined) ?? 'not-recorded' };
  }
  return { value: Number(value) * scale, reason: null };
}

/** Returns a member of an object. Undefined for any other value. */
function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** A condition under which a figure is undefined, and the reason. The first guard that holds counts. */
export type Guard = readonly [holds: boolean, reason: Reason];

/** Returns the value of the tool as that of isobar, if no guard holds and the value is finite. Otherwise returns why it is undefined. */
export function sound(value: number | null, ...guards: readonly Guard[]): OwnFigure {
  const failed = guards.find(([holds]) => holds);
  return { value: failed === undefined ? (value ?? 'non-finite') : failed[1] };
}

/** Returns a reference to a figure of summary.json, times `scale`. */
export function ours(place: string, scale = 1): OwnFigure {
  return { place, scale };
}
