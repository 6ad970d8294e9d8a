// A figure of another tool: its value by that tool, ours beside it, the formula, and where they differ.

import { reasonOf, type Figure, type Reason } from '../../kernels/figure.ts';
import type { Summary } from '../../summary/summary.ts';

/** Why isobar has no such figure although the tool prints one. */
export type ProfileReason = Reason | 'not-sound';

export type ProfileUnit = '' | '%' | 'money' | 's';

/** A number, or a word for a value that is not finite and for an error. */
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

export type OwnFigure = PlacedFigure | ComputedFigure;

/** How a tool defines a figure, and its value. */
export interface FigureDefinition {
  /** As the tool names it. */
  readonly name: string;
  readonly unit: ProfileUnit;
  /** The tool's value. NaN and infinities as the tool gives them. Null: the tool raises an error. */
  readonly original: number | null;
  readonly own: OwnFigure;
  readonly formula: string;
  /** Where isobar's figure differs. Empty: it does not. */
  readonly differs: string;
}

/** A figure as it is printed. */
export interface ProfileFigure {
  readonly name: string;
  readonly unit: ProfileUnit;
  readonly original: OriginalValue;
  /** Our figure in the same unit. Null when it is undefined. */
  readonly corrected: number | null;
  readonly reason: ProfileReason | null;
  /** True when both are numbers that differ by at most 1e-9 of the original. */
  readonly equal: boolean;
  /** Where our figure stands in summary.json. Null for one that is not there. */
  readonly isobar: string | null;
  /** By the tool's definition. */
  readonly formula: string;
  /** Where isobar's figure differs, in words. */
  readonly differs: string;
}

/** Returns the printed figure of a definition. */
export function profileFigure({ own, original, ...of }: FigureDefinition, summary: Summary): ProfileFigure {
  const { value, reason } = 'place' in own ? placed(summary, own) : computed(own.value);
  const shown = originalValue(original);
  return {
    name: of.name,
    unit: of.unit,
    original: shown,
    corrected: value,
    reason,
    equal: typeof shown === 'number' && value !== null && Math.abs(value - shown) <= TOLERANCE * Math.abs(shown),
    isobar: 'place' in own ? own.place : null,
    formula: of.formula,
    differs: of.differs === '' ? SAME : of.differs,
  };
}

const TOLERANCE = 1e-9;
const SAME = 'the same definition';

/** Returns a number, or the word for one that is not finite. */
export function originalValue(value: number | null): OriginalValue {
  if (value === null) return 'error';
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  return value === -Infinity ? '-inf' : value;
}

interface OwnValue {
  readonly value: number | null;
  readonly reason: ProfileReason | null;
}

function computed(value: Figure | 'not-sound'): OwnValue {
  if (value === 'not-sound') return { value: null, reason: value };
  const reason = reasonOf(value);
  return typeof value === 'number' && reason === null ? { value, reason } : { value: null, reason };
}

/** Returns the figure at a place such as `metrics.sharpe`. Decimal text is read as a number. */
function placed(summary: Summary, { place, scale = 1 }: PlacedFigure): OwnValue {
  const [member = '', ...path] = place.split('.');
  const group: unknown = Reflect.get(summary, member);
  const value = path.reduce<unknown>((of, key) => memberOf(of, key), group);
  if (value === null || value === undefined) {
    const reason = memberOf(memberOf(group, 'reasons'), path.join('.'));
    return { value: null, reason: (reason as Reason | undefined) ?? 'not-recorded' };
  }
  return { value: Number(value) * scale, reason: null };
}

function memberOf(of: unknown, key: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, key) : undefined;
}

/** Guards of a figure that isobar defines as the tool does, each with the reason of its null. The first that holds counts. */
export type Guard = readonly [holds: boolean, reason: Reason];

/** Returns the tool's own value where no guard holds and it is finite, else why it is undefined. */
export function sound(value: number | null, ...guards: readonly Guard[]): OwnFigure {
  const held = guards.find(([holds]) => holds);
  return { value: held === undefined ? (value ?? 'non-finite') : held[1] };
}

/** Returns a figure of summary.json. */
export function ours(place: string, scale = 1): OwnFigure {
  return { place, scale };
}
