// Signals: boolean series that compare series or combine other signals.

import { ConfigError } from '../base/errors.ts';
import { listOf } from '../base/memory/listOf.ts';
import { Crossing } from './crossing.ts';
import type { Signal } from './graph/series.ts';
import {
  onOneFeed,
  operand,
  signalSpec,
  type Design,
  type SpecOwner,
  type IndicatorSpec,
  type Kernel,
  type Operand,
  type SignalSource,
  type Source,
  type Wiring,
} from './graph/spec.ts';
import { comparable, type Comparable } from './sums.ts';
import { FALSE, NOT_READY, TRUE, type IndicatorColumn, type NumberWindow, type SignalWindow } from './graph/window.ts';

/** True when a > b and one bar ago a <= b, and both were ready at both bars. `b` can be a constant. */
export function crossedUp(a: Source, b: Source | number): IndicatorSpec<Signal> {
  return crossing('crossedUp', a, b);
}

/** True when a < b and one bar ago a >= b, and both were ready at both bars. `b` can be a constant. */
export function crossedDown(a: Source, b: Source | number): IndicatorSpec<Signal> {
  return crossing('crossedDown', a, b);
}

/** True when a > b. `b` can be a constant. */
export function above(a: Source, b: Source | number): IndicatorSpec<Signal> {
  return signalSpec({
    name: 'above',
    sources: pair('above', a, b),
    needs: { '': 1 },
    makeKernel: (wiring) => new SeriesComparison(comparable(wiring, 0, 1), wiring.outSignal(0)),
  });
}

/** True when a < b. `b` can be a constant. */
export function below(a: Source, b: Source | number): IndicatorSpec<Signal> {
  return signalSpec({
    name: 'below',
    sources: pair('below', a, b),
    needs: { '': 1 },
    makeKernel: (wiring) => new SeriesComparison(comparable(wiring, 1, 0), wiring.outSignal(0)),
  });
}

/** True when all signals are true. Not ready when one of them is not. */
export function and(...sources: readonly SignalSource[]): IndicatorSpec<Signal> {
  return combineSignals('and', sources);
}

/** True when at least one signal is true. Not ready when one of them is not. */
export function or(...sources: readonly SignalSource[]): IndicatorSpec<Signal> {
  return combineSignals('or', sources);
}

/** True when the signal is ready and false. */
export function not(source: SignalSource): IndicatorSpec<Signal> {
  return signalSpec({
    name: 'not',
    sources: [operand(source)],
    needs: { '': 1 },
    makeKernel: (wiring) => new Negation(wiring.signals(0), wiring.outSignal(0)),
  });
}

/**
 * Returns the signal of one direction of a crossing. Both directions are outputs of one node, for both orders of the series, so the series
 * are compared once.
 */
function crossing(name: 'crossedUp' | 'crossedDown', a: Source, b: Source | number): IndicatorSpec<Signal> {
  const sources = onOneFeed(pair(name, a, b));
  const keys = sources.map((source) => source.key);
  const [first, second] = keys[0]! <= keys[1]! ? [0, 1] : [1, 0];
  const isUp = (name === 'crossedUp') === (first === 0);
  return signalSpec({
    name,
    sources,
    shared: { key: `crossing(${keys[first]}, ${keys[second]})`, output: isUp ? '.up' : '.down' },
    needs: { '.up': 2, '.down': 2 },
    makeKernel: (wiring) => new Crossing(comparable(wiring, first, second), wiring.outSignal(0), wiring.outSignal(1)),
  });
}

/** Returns the spec of a signal that combines other signals. Throws ConfigError for no signals. */
function combineSignals(name: 'and' | 'or', sources: readonly SignalSource[]): IndicatorSpec<Signal> {
  if (sources.length === 0) throw new ConfigError(`${name}(): expected one signal or more, got none`, `for example ${name}(a, b)`);
  return signalSpec({
    name,
    sources: sources.map(operand),
    needs: { '': 1 },
    makeKernel: (wiring) =>
      new Combination(
        name,
        listOf(sources, (_, source) => wiring.signals(source)),
        wiring.outSignal(0),
      ),
  });
}

/** Returns the operands of a comparison. */
function pair(name: string, a: Source, b: Source | number): readonly Operand[] {
  const first = operand(a);
  return [first, typeof b === 'number' ? constant(name, first.home, b) : operand(b)];
}

/** Returns a number as a series, so that kernels only handle series. */
function constant(name: string, home: SpecOwner, value: number): Operand {
  if (!Number.isFinite(value))
    throw new ConfigError(`${name}: expected a finite number, got ${value}`, 'compare with a series or a number');
  const key = String(value);
  const outputs = [{ suffix: '', warmupBars: 1 }];
  const make = (wiring: Wiring) => new Constant(value, wiring.out(0));
  const design: Design = { sources: [], lookBack: 0, kind: 'series', outputs, usesTechnical: false, makeKernel: make };
  return { kind: 'spec', home, key, warmupBars: 1, resolve: (registry) => registry.node(design, key).series(0) };
}

/** Writes one number into all rows. */
class Constant implements Kernel {
  readonly #value: number;
  readonly #out: NumberWindow;

  constructor(value: number, out: NumberWindow) {
    this.#value = value;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    this.#out.values.fill(this.#value, fromRow - this.#out.base, toRow - this.#out.base);
  }
}

/** Compares two series in each row. */
class SeriesComparison implements Kernel {
  readonly #operands: Comparable;
  readonly #out: SignalWindow;

  /** The signal is true when the first operand is greater. */
  constructor(operands: Comparable, out: SignalWindow) {
    this.#operands = operands;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const { aTimes, bTimes } = this.#operands; // factors that bring a and b to one scale
    const { values: a, base: aBase } = this.#operands.a;
    const { values: b, base: bBase } = this.#operands.b;
    const { values, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      const scaledA = a[row - aBase]! * aTimes;
      const scaledB = b[row - bBase]! * bTimes;
      // Comparisons as numbers need no branch, which no processor would predict.
      values[row - base] = NOT_READY - Number(scaledA > scaledB) * (NOT_READY - TRUE) - Number(scaledA <= scaledB) * (NOT_READY - FALSE);
    }
  }
}

/** Combines signals by `and` or `or`. */
class Combination implements Kernel {
  readonly #needsAll: boolean;
  readonly #inputs: readonly IndicatorColumn<Uint8Array>[];
  readonly #out: SignalWindow;

  constructor(name: 'and' | 'or', inputs: readonly IndicatorColumn<Uint8Array>[], out: SignalWindow) {
    this.#needsAll = name === 'and';
    this.#inputs = inputs;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#out;
    const needsAll = this.#needsAll;
    values.fill(needsAll ? TRUE : FALSE, fromRow - base, toRow - base);
    for (const { values: input, base: inputBase } of this.#inputs) {
      for (let row = fromRow; row < toRow; row++) {
        const combinedValue = values[row - base]!;
        const next = input[row - inputBase]!;
        values[row - base] = (combinedValue | next) >= NOT_READY ? NOT_READY : needsAll ? combinedValue & next : combinedValue | next;
      }
    }
  }
}

/** Negates a signal. */
class Negation implements Kernel {
  readonly #input: IndicatorColumn<Uint8Array>;
  readonly #out: SignalWindow;

  constructor(input: IndicatorColumn<Uint8Array>, out: SignalWindow) {
    this.#input = input;
    this.#out = out;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: inputValues, base: inputBase } = this.#input;
    const { values, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      const state = inputValues[row - inputBase]!;
      values[row - base] = state === NOT_READY ? NOT_READY : 1 - state;
    }
  }
}
