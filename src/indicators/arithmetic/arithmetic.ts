// Arithmetic on series of one feed. Each function returns the spec of a series, which can be the source of others.

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
import { NOT_READY, TRUE, type IndicatorColumn, type NumberWindow } from '../graph/window.ts';
import { ConfigError } from '../../base/errors.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** A series, the spec of a series, or a number. */
export type Term = Source | number;

/** a + b. */
export function add(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('add', a, b, (out, wiring) => new Sum(...pairOf(wiring, a, b), out, 1));
}

/** a - b. */
export function sub(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('sub', a, b, (out, wiring) => new Sum(...pairOf(wiring, a, b), out, -1));
}

/** a * b. */
export function mul(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('mul', a, b, (out, wiring) => new Product(...pairOf(wiring, a, b), out));
}

/** a / b. NaN where b is 0. */
export function div(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('div', a, b, (out, wiring) => new Quotient(...pairOf(wiring, a, b), out));
}

/** The larger of a and b. */
export function maxOf(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('maxOf', a, b, (out, wiring) => new Larger(...pairOf(wiring, a, b), out, 1));
}

/** The smaller of a and b. */
export function minOf(a: Term, b: Term): IndicatorSpec<Series> {
  return binary('minOf', a, b, (out, wiring) => new Larger(...pairOf(wiring, a, b), out, -1));
}

/** The natural logarithm. NaN where x is not above 0. */
export function log(x: Source): IndicatorSpec<Series> {
  return unary('log', x, Math.log);
}

/** e to the power of x. NaN where the result is too large for a number. */
export function exp(x: Source): IndicatorSpec<Series> {
  return unary('exp', x, Math.exp);
}

/** The square root. NaN where x is below 0. */
export function sqrt(x: Source): IndicatorSpec<Series> {
  return unary('sqrt', x, Math.sqrt);
}

/** The absolute value. */
export function abs(x: Source): IndicatorSpec<Series> {
  return unary('abs', x, Math.abs);
}

/** 1 where x is above 0, -1 where it is below, 0 where it is 0. */
export function signOf(x: Source): IndicatorSpec<Series> {
  return unary('signOf', x, Math.sign);
}

/** The value `bars` bars ago (`bars` from 1). */
export function lag(x: Source, bars = 1): IndicatorSpec<Series> {
  checkWhole('lag', 'bars', bars, 1);
  return seriesSpec({
    name: 'lag',
    sources: [operand(x)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars + 1 },
    make: (wiring) => new Lag(wiring.numbers(0), wiring.out(0), bars),
  });
}

/** `a` where the signal is true, `b` where it is false. NaN where the signal or the chosen value is not ready. */
export function where(signal: SignalSource, a: Term, b: Term): IndicatorSpec<Series> {
  const terms = [a, b].filter((term) => typeof term !== 'number');
  return seriesSpec({
    name: 'where',
    sources: [operand(signal), ...terms.map((term) => operand(term))],
    parameters: [a, b].map((term) => (typeof term === 'number' ? checkTerm('where', term) : '_')),
    needs: { '': 1 },
    make: (wiring) => {
      const first = termOf(wiring, a, 1);
      return new Where(wiring.signals(0), first, termOf(wiring, b, typeof a === 'number' ? 1 : 2), wiring.out(0));
    },
  });
}

/** A column, or a number that is used in each row. */
interface TermColumn {
  readonly column: IndicatorColumn<Float64Array> | null;
  readonly constant: number;
}

function termOf(wiring: Wiring, term: Term, source: number): TermColumn {
  return typeof term === 'number' ? { column: null, constant: term } : { column: wiring.numbers(source), constant: NAN };
}

function pairOf(wiring: Wiring, a: Term, b: Term): [TermColumn, TermColumn] {
  return [termOf(wiring, a, 0), termOf(wiring, b, typeof a === 'number' ? 0 : 1)];
}

function checkTerm(name: string, term: number): number {
  if (Number.isFinite(term)) return term;
  throw new ConfigError(`${name}: expected a series or a finite number, got ${term}`, `correct the number in ${name}(...)`);
}

function binary(name: string, a: Term, b: Term, make: (out: NumberWindow, wiring: Wiring) => Kernel): IndicatorSpec<Series> {
  const terms = [a, b].filter((term) => typeof term !== 'number');
  if (terms.length === 0) throw new ConfigError(`${name}: expected a series, got two numbers`, 'use plain arithmetic for two numbers');
  return seriesSpec({
    name,
    sources: terms.map((term) => operand(term)),
    // The position of a number is part of the key, because sub(x, 1) differs from sub(1, x).
    parameters: terms.length === 2 ? [] : [a, b].map((term) => (typeof term === 'number' ? checkTerm(name, term) : '_')),
    needs: { '': 1 },
    make: (wiring) => make(wiring.out(0), wiring),
  });
}

function unary(name: string, x: Source, of: (x: number) => number): IndicatorSpec<Series> {
  return seriesSpec({
    name,
    sources: [operand(x)],
    needs: { '': 1 },
    make: (wiring) => new Mapped(wiring.numbers(0), wiring.out(0), of),
  });
}

/** Returns the value of a term at a row. */
function at({ column, constant }: TermColumn, row: number): number {
  return column === null ? constant : column.values[row - column.base]!;
}

/** A kernel that computes one series from two terms. */
abstract class OfTwo implements Kernel {
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

/** a + b, or a - b with the sign -1. */
class Sum extends OfTwo {
  fill(fromRow: number, toRow: number): void {
    const { a, b, sign } = this;
    const { values, base } = this.out;
    if (a.column !== null && b.column !== null) {
      const { values: x, base: xBase } = a.column;
      const { values: y, base: yBase } = b.column;
      for (let row = fromRow; row < toRow; row++) values[row - base] = x[row - xBase]! + sign * y[row - yBase]!;
    } else for (let row = fromRow; row < toRow; row++) values[row - base] = at(a, row) + sign * at(b, row);
  }
}

class Product extends OfTwo {
  fill(fromRow: number, toRow: number): void {
    const { a, b } = this;
    const { values, base } = this.out;
    for (let row = fromRow; row < toRow; row++) values[row - base] = finite(at(a, row) * at(b, row));
  }
}

class Quotient extends OfTwo {
  fill(fromRow: number, toRow: number): void {
    const { a, b } = this;
    const { values, base } = this.out;
    if (a.column !== null && b.column !== null) {
      const { values: x, base: xBase } = a.column;
      const { values: y, base: yBase } = b.column;
      for (let row = fromRow; row < toRow; row++) values[row - base] = finite(x[row - xBase]! / y[row - yBase]!);
    } else for (let row = fromRow; row < toRow; row++) values[row - base] = finite(at(a, row) / at(b, row));
  }
}

/** The larger of a and b, or the smaller with the sign -1. */
class Larger extends OfTwo {
  fill(fromRow: number, toRow: number): void {
    const { a, b, sign } = this;
    const { values, base } = this.out;
    for (let row = fromRow; row < toRow; row++) {
      const [x, y] = [at(a, row), at(b, row)];
      values[row - base] = x !== x || y !== y ? NAN : sign * (x - y) >= 0 ? x : y;
    }
  }
}

class Mapped implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #of: (x: number) => number;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, of: (x: number) => number) {
    this.#source = source;
    this.#out = out;
    this.#of = of;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    const of = this.#of;
    for (let row = fromRow; row < toRow; row++) values[row - base] = finite(of(from[row - fromBase]!));
  }
}

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
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) values[row - base] = row < bars ? NAN : from[row - bars - fromBase]!;
  }
}

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
    for (let row = fromRow; row < toRow; row++) {
      const state = states[row - statesBase]!;
      values[row - base] = state === NOT_READY ? NAN : at(state === TRUE ? this.#a : this.#b, row);
    }
  }
}

/** Returns x, or NaN for an infinite x. The difference of a finite number with itself is 0. */
function finite(x: number): number {
  return x - x === 0 ? x : NAN;
}
