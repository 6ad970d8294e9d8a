// Arithmetic on series of one feed. Each function returns the spec of a series, which can be the source of other series.

import type { Series } from '../graph/series.ts';
import {
  checkWhole,
  operand,
  seriesSpec,
  type IndicatorSpec,
  type Kernel,
  type SignalSource,
  type Source,
  type Wiring,
} from '../graph/spec.ts';
import { copyValues, finite, NOT_READY, TRUE, type IndicatorColumn, type NumberWindow } from '../graph/window.ts';
import { ConfigError } from '../../base/errors.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** An operand of arithmetic: a series, the spec of a series, or a number. */
export type Term = Source | number;

/** Returns a + b. */
export function add(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('add', a, b, (out, wiring) => new Sum(...termColumns(wiring, a, b), out, 1));
}

/** Returns a - b. */
export function sub(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('sub', a, b, (out, wiring) => new Sum(...termColumns(wiring, a, b), out, -1));
}

/** Returns a * b. */
export function mul(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('mul', a, b, (out, wiring) => new Product(...termColumns(wiring, a, b), out));
}

/** Returns a / b. NaN if b is 0. */
export function div(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('div', a, b, (out, wiring) => new Quotient(...termColumns(wiring, a, b), out));
}

/** Returns the larger of a and b. */
export function maxOf(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('maxOf', a, b, (out, wiring) => new LargerOrSmaller(...termColumns(wiring, a, b), out, 1));
}

/** Returns the smaller of a and b. */
export function minOf(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('minOf', a, b, (out, wiring) => new LargerOrSmaller(...termColumns(wiring, a, b), out, -1));
}

/** Returns the natural logarithm of x. NaN if x is not above 0. */
export function log(x: Source): IndicatorSpec<Series> {
  return unary('log', x);
}

/** Returns e to the power of x. NaN if the result is too large for a number. */
export function exp(x: Source): IndicatorSpec<Series> {
  return unary('exp', x);
}

/** Returns the square root of x. NaN if x is below 0. */
export function sqrt(x: Source): IndicatorSpec<Series> {
  return unary('sqrt', x);
}

/** Returns the absolute value of x. */
export function abs(x: Source): IndicatorSpec<Series> {
  return unary('abs', x);
}

/** Returns 1 if x is above 0, -1 if x is below 0, and 0 if x is 0. */
export function signOf(x: Source): IndicatorSpec<Series> {
  return unary('signOf', x);
}

/** Returns the value of x `bars` bars ago (`bars` from 1). */
export function lag(x: Source, bars = 1): IndicatorSpec<Series> {
  checkWhole('lag', 'bars', bars, 1);
  return seriesSpec({
    name: 'lag',
    sources: [operand(x)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars + 1 },
    makeKernel: (wiring) => new Lag(wiring.numbers(0), wiring.out(0), bars),
  });
}

/** Returns `a` when the signal is true, and `b` when it is false. NaN when the signal or the chosen value is not ready. */
export function where(signal: SignalSource, a: Term, b: Term): IndicatorSpec<Series> {
  const terms = [a, b].filter((term) => typeof term !== 'number');
  return seriesSpec({
    name: 'where',
    sources: [operand(signal), ...terms.map((term) => operand(term))],
    parameters: [a, b].map((term) => (typeof term === 'number' ? checkTerm('where', term) : '_')),
    needs: { '': 1 },
    makeKernel: (wiring) => {
      const columnA = termColumnOf(wiring, a, 1);
      const columnB = termColumnOf(wiring, b, typeof a === 'number' ? 1 : 2);
      return new Where(wiring.signals(0), columnA, columnB, wiring.out(0));
    },
  });
}

/** The values of a term: a column, or one number for all rows. */
interface TermColumn {
  readonly column: IndicatorColumn<Float64Array> | null;
  readonly constant: number;
}

/** Returns the values of a term. `source` is the index of its source in the wiring, if the term is a series. */
function termColumnOf(wiring: Wiring, term: Term, source: number): TermColumn {
  return typeof term === 'number' ? { column: null, constant: term } : { column: wiring.numbers(source), constant: NAN };
}

/** Returns the values of `a` and `b`. A number has no source, so it does not count in the index of the next source. */
function termColumns(wiring: Wiring, a: Term, b: Term): [TermColumn, TermColumn] {
  return [termColumnOf(wiring, a, 0), termColumnOf(wiring, b, typeof a === 'number' ? 0 : 1)];
}

/** Returns a number of a term. Throws ConfigError if the number is not finite. */
function checkTerm(name: string, term: number): number {
  if (Number.isFinite(term)) return term;
  throw new ConfigError(`${name}: expected a series or a finite number, got ${term}`, `correct the number in ${name}(...)`);
}

/** Returns the spec of a series of two terms. Throws ConfigError if both are numbers. */
function binary(name: string, a: Term, b: Term, make: (out: NumberWindow, wiring: Wiring) => Kernel): IndicatorSpec<Series> {
  const terms = [a, b].filter((term) => typeof term !== 'number');
  if (terms.length === 0) throw new ConfigError(`${name}: expected a series, got two numbers`, 'use plain arithmetic for two numbers');
  return seriesSpec({
    name,
    sources: terms.map((term) => operand(term)),
    // The position of a number is part of the key, because sub(x, 1) differs from sub(1, x).
    parameters: terms.length === 2 ? [] : [a, b].map((term) => (typeof term === 'number' ? checkTerm(name, term) : '_')),
    needs: { '': 1 },
    makeKernel: (wiring) => make(wiring.out(0), wiring),
  });
}

type Unary = 'log' | 'exp' | 'sqrt' | 'abs' | 'signOf';

/** Returns the spec of a series that is a function of each value of x. */
function unary(name: Unary, x: Source): IndicatorSpec<Series> {
  return seriesSpec({
    name,
    sources: [operand(x)],
    needs: { '': 1 },
    makeKernel: (wiring) => new MapKernel(name, wiring.numbers(0), wiring.out(0)),
  });
}

/** Returns the value of a term at a row. */
function valueAt({ column, constant }: TermColumn, row: number): number {
  return column === null ? constant : column.values[row - column.base]!;
}

/** A kernel that computes one series from two terms. */
abstract class TwoTermKernel implements Kernel {
  protected readonly a: TermColumn;
  protected readonly b: TermColumn;
  protected readonly out: NumberWindow;
  protected readonly sign: 1 | -1;

  constructor(a: TermColumn, b: TermColumn, out: NumberWindow, sign: 1 | -1 = 1) {
    this.a = a;
    this.b = b;
    this.out = out;
    this.sign = sign;
  }

  abstract fill(fromRow: number, toRow: number): void;
}

/** Computes a + b, or a - b if the sign is -1. */
class Sum extends TwoTermKernel {
  fill(fromRow: number, toRow: number): void {
    const { a, b, sign } = this;
    const { values, base } = this.out;
    if (a.column !== null && b.column !== null) {
      const { values: x, base: xBase } = a.column;
      const { values: y, base: yBase } = b.column;
      for (let row = fromRow; row < toRow; row++) values[row - base] = x[row - xBase]! + sign * y[row - yBase]!;
    } else for (let row = fromRow; row < toRow; row++) values[row - base] = valueAt(a, row) + sign * valueAt(b, row);
  }
}

/** Computes a * b. */
class Product extends TwoTermKernel {
  fill(fromRow: number, toRow: number): void {
    const { a, b } = this;
    const { values, base } = this.out;
    if (a.column !== null && b.column !== null) {
      const { values: x, base: xBase } = a.column;
      const { values: y, base: yBase } = b.column;
      for (let row = fromRow; row < toRow; row++) values[row - base] = finite(x[row - xBase]! * y[row - yBase]!);
    } else for (let row = fromRow; row < toRow; row++) values[row - base] = finite(valueAt(a, row) * valueAt(b, row));
  }
}

/** Computes a / b. */
class Quotient extends TwoTermKernel {
  fill(fromRow: number, toRow: number): void {
    const { a, b } = this;
    const { values, base } = this.out;
    if (a.column !== null && b.column !== null) {
      const { values: x, base: xBase } = a.column;
      const { values: y, base: yBase } = b.column;
      for (let row = fromRow; row < toRow; row++) values[row - base] = finite(x[row - xBase]! / y[row - yBase]!);
    } else for (let row = fromRow; row < toRow; row++) values[row - base] = finite(valueAt(a, row) / valueAt(b, row));
  }
}

/** Computes the larger of a and b, or the smaller if the sign is -1. NaN if a or b is NaN: `value === value` is false for NaN only. */
class LargerOrSmaller extends TwoTermKernel {
  fill(fromRow: number, toRow: number): void {
    const { a, b, sign } = this;
    const { values, base } = this.out;
    for (let row = fromRow; row < toRow; row++) {
      const aValue = valueAt(a, row);
      const bValue = valueAt(b, row);
      const isReady = aValue === aValue && bValue === bValue;
      const chosen = sign * (aValue - bValue) >= 0 ? aValue : bValue;
      values[row - base] = isReady ? chosen : NAN;
    }
  }
}

/** Computes a function of each value. Each function has a loop of its own, so that the compiler can inline it there. */
class MapKernel implements Kernel {
  readonly #name: Unary;
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;

  constructor(name: Unary, source: IndicatorColumn<Float64Array>, out: NumberWindow) {
    this.#name = name;
    this.#source = source;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const shift = sourceBase - base;
    const [first, end] = [fromRow - sourceBase, toRow - sourceBase];
    switch (this.#name) {
      case 'log':
        for (let i = first; i < end; i++) values[i + shift] = sourceValues[i]! > 0 ? Math.log(sourceValues[i]!) : NAN;
        break;
      case 'exp':
        for (let i = first; i < end; i++) values[i + shift] = finite(Math.exp(sourceValues[i]!));
        break;
      case 'sqrt':
        for (let i = first; i < end; i++) values[i + shift] = finite(Math.sqrt(sourceValues[i]!));
        break;
      case 'abs':
        for (let i = first; i < end; i++) values[i + shift] = finite(Math.abs(sourceValues[i]!));
        break;
      case 'signOf':
        for (let i = first; i < end; i++) values[i + shift] = finite(Math.sign(sourceValues[i]!));
        break;
    }
  }
}

/** Copies the value of `bars` rows before. */
class Lag implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const first = Math.min(toRow, Math.max(fromRow, bars));
    for (let row = fromRow; row < first; row++) values[row - base] = NAN;
    copyValues(sourceValues, first - bars - sourceBase, values, first - base, toRow - first);
  }
}

/** Copies the value of `a` where the signal is true, and that of `b` where it is false. */
class Where implements Kernel {
  readonly #signal: IndicatorColumn<Uint8Array>;
  readonly #a: TermColumn;
  readonly #b: TermColumn;
  readonly #out: NumberWindow;

  constructor(signal: IndicatorColumn<Uint8Array>, a: TermColumn, b: TermColumn, out: NumberWindow) {
    this.#signal = signal;
    this.#a = a;
    this.#b = b;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: states, base: statesBase } = this.#signal;
    const { values, base } = this.#out;
    const a = this.#a.column;
    const b = this.#b.column;
    if (a !== null && b !== null) {
      const { values: valuesA, base: baseA } = a;
      const { values: valuesB, base: baseB } = b;
      for (let row = fromRow; row < toRow; row++) {
        const state = states[row - statesBase]!;
        const chosen = state === TRUE ? valuesA[row - baseA]! : valuesB[row - baseB]!;
        values[row - base] = state === NOT_READY ? NAN : chosen;
      }
      return;
    }
    for (let row = fromRow; row < toRow; row++) {
      const state = states[row - statesBase]!;
      values[row - base] = state === NOT_READY ? NAN : valueAt(state === TRUE ? this.#a : this.#b, row);
    }
  }
}
