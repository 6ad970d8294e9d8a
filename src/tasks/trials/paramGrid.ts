// Parses the grid of a sweep: axes of values as in `--grid`, and all their combinations or a seeded sample.

import { largestOf } from '../../base/number/extremes.ts';
import { fromScaled, toScaled } from '../../base/number/decimal.ts';
import { isPlainDecimal } from '../../base/number/decimalText.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { seededRng } from '../../base/number/rng.ts';
import { Expectation, type ParamSpec, type Specs } from '../../strategy/params.ts';

/** A parameter value as in a definition. */
export type ParamValue = string | number | boolean;

/** A parameter set: one combination of the swept parameters, by name. */
export type ParamSet = Readonly<Record<string, ParamValue>>;

/** One swept parameter and its values, in the order in which they were written. */
export interface Axis {
  readonly name: string;
  readonly values: readonly ParamValue[];
}

/** Each set has a line in the ledger and a cell in the report. For more sets, a seeded sample gives as much information. */
export const MAX_SETS = 100_000;

/**
 * Returns the axes of `grids`, each `name=from..to:step` (both ends included, exact decimals) or `name=a,b,c`. Throws ConfigError naming
 * the option for an unknown parameter, and for a value outside its range or of the wrong type.
 */
export function parseGrid(grids: readonly string[], specs: Specs): readonly Axis[] {
  if (grids.length === 0)
    throw new ConfigError('--grid: expected at least one parameter to vary, got none', 'for example --grid fast=5..50:5');
  const axes = grids.map((text) => parseAxis(text, specs));
  const repeated = axes.find(({ name }, index) => axes.findIndex((axis) => axis.name === name) !== index);
  if (repeated)
    throw new ConfigError(`--grid ${repeated.name}: expected each parameter once, got it twice`, 'write several values as name=a,b,c');
  return axes;
}

/** Returns the number of combinations. It may exceed MAX_SETS. */
export function gridSize(axes: readonly Axis[]): number {
  return axes.reduce((size, { values }) => size * values.length, 1);
}

/**
 * Returns every combination, the last axis fastest. With `random`: that many different combinations, drawn with `seed`, in
 * the same order. Throws ConfigError for more than MAX_SETS.
 */
export function setsOf(axes: readonly Axis[], random: number | null, seed: number): readonly ParamSet[] {
  const size = gridSize(axes);
  const count = random === null ? size : Math.min(random, size);
  if (count > MAX_SETS) {
    const remedy = 'widen the steps, or draw some of the sets: --random 1000';
    throw new ConfigError(`--grid: expected at most ${MAX_SETS} sets, got ${count}`, remedy);
  }
  if (count === size) return Array.from({ length: size }, (_, index) => setAt(axes, coordinatesOf(axes, index)));
  return drawCoordinates(axes, count, seed).map((coordinates) => setAt(axes, coordinates));
}

/** Returns one axis. `text` is the value of a `--grid` option. */
function parseAxis(text: string, specs: Specs): Axis {
  const separator = text.indexOf('=');
  const name = text.slice(0, Math.max(separator, 0));
  if (separator < 1 || separator === text.length - 1) {
    throw new ConfigError(`--grid ${text}: expected name=from..to:step or name=a,b,c`, 'for example --grid fast=5..50:5');
  }
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec === undefined) {
    const paramNames = Object.keys(specs);
    const nearest = nearestName(name, paramNames);
    const hint = nearest === null ? '' : `, the nearest is ${nearest}`;
    throw new ConfigError(`--grid ${name}: no such parameter${hint}`, `there are: ${paramNames.join(', ') || 'none'}`);
  }
  const values = valuesOf(text.slice(separator + 1), text, spec).map((value) => checkValue(value, text, spec));
  // An axis may have 100,000 values.
  const seenValues = new Set<unknown>();
  const repeated = values.find((value) => {
    const isRepeated = seenValues.has(value);
    seenValues.add(value);
    return isRepeated;
  });
  if (repeated !== undefined)
    throw new ConfigError(`--grid ${text}: expected each value once, got ${repeated} twice`, 'remove one of them');
  return { name, values };
}

/** Returns the values of a range or a list as texts, not validated yet. */
function valuesOf(values: string, axis: string, spec: ParamSpec<unknown>): readonly string[] {
  const range = /^(.+?)\.\.(.+?)(?::(.+))?$/.exec(values);
  if (!range) return values.split(',').map((value) => value.trim());
  const [, from = '', to = '', step = spec.kind === 'int' ? '1' : ''] = range;
  if (![from, to, step].every(isPlainDecimal)) {
    throw new ConfigError(`--grid ${axis}: expected decimals in from..to:step, got ${values}`, 'for example --grid width=1.5..3:0.25');
  }
  const digits = largestOf([from, to, step].map((text) => text.split('.')[1]?.length ?? 0));
  // Whole multiples of 10^-digits, so that the steps are exact.
  const scaledOf = (text: string): number => toScaled(text, digits) ?? 0;
  const first = scaledOf(from);
  const last = scaledOf(to);
  const increment = scaledOf(step);
  if (increment <= 0)
    throw new ConfigError(
      `--grid ${axis}: expected a step above 0, got ${step}`,
      'a range goes from the lower end to the higher end, in steps above 0',
    );
  if (last < first) throw new ConfigError(`--grid ${axis}: expected from below to, got ${from}..${to}`, 'put the lower end first');
  const count = Math.floor((last - first) / increment) + 1;
  if (count > MAX_SETS) throw new ConfigError(`--grid ${axis}: expected at most ${MAX_SETS} values, got ${count}`, 'use a wider step');
  return Array.from({ length: count }, (_, index) => fromScaled(first + index * increment, digits));
}

/** Returns the value as a definition would write it. Throws ConfigError if the parameter rejects it. */
function checkValue(text: string, axis: string, spec: ParamSpec<unknown>): ParamValue {
  const parsed = spec.parse(text);
  if (parsed instanceof Expectation) {
    throw new ConfigError(
      `--grid ${axis}: expected ${parsed.text}, got ${text === '' ? 'nothing' : text}`,
      spec.help ?? 'correct the grid',
    );
  }
  return typeof parsed === 'number' || typeof parsed === 'boolean' ? parsed : text;
}

/** Returns which value of each axis the combination at `index` has, the last axis fastest. */
function coordinatesOf(axes: readonly Axis[], index: number): readonly number[] {
  const coordinates: number[] = [];
  let quotient = index;
  for (const { values } of axes.toReversed()) {
    coordinates.unshift(quotient % values.length);
    quotient = Math.floor(quotient / values.length);
  }
  return coordinates;
}

/** Returns the parameter set at these coordinates. */
function setAt(axes: readonly Axis[], coordinates: readonly number[]): ParamSet {
  return Object.fromEntries(axes.map(({ name, values }, axis) => [name, values[coordinates[axis] ?? 0] ?? '']));
}

/**
 * Returns the coordinates of `count` different combinations, in grid order. It draws until there are enough. For more than half of the
 * grid, drawing would repeat itself too often, so it shuffles the grid.
 */
function drawCoordinates(axes: readonly Axis[], count: number, seed: number): readonly (readonly number[])[] {
  const rng = seededRng(seed);
  const size = gridSize(axes);
  if (count * 2 > size) {
    // Shuffles the first `count` places (Fisher and Yates).
    const order = Array.from({ length: size }, (_, index) => index);
    for (let place = 0; place < count; place++) {
      const drawnPlace = place + Math.floor(rng.next() * (size - place));
      [order[place], order[drawnPlace]] = [order[drawnPlace] ?? 0, order[place] ?? 0];
    }
    return order
      .slice(0, count)
      .toSorted((a, b) => a - b)
      .map((index) => coordinatesOf(axes, index));
  }
  const points = new Map<string, readonly number[]>();
  while (points.size < count) {
    const coordinates = axes.map(({ values }) => Math.floor(rng.next() * values.length));
    points.set(coordinates.join(','), coordinates);
  }
  return [...points.values()].toSorted(byCoordinates);
}

/** Orders combinations as in the grid. */
function byCoordinates(a: readonly number[], b: readonly number[]): number {
  for (const [axis, value] of a.entries()) {
    const other = b[axis] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}
