// Makes indicators from a function of one row, or of one window of rows. The kernels here handle warm-up, NaN and windows.

import { listOf } from '../../base/memory/listOf.ts';
import type { Series } from './series.ts';
import { groupSpec, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source, type Wiring } from './spec.ts';
import type { IndicatorColumn, NumberWindow } from './window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns the value of one row from the values of the sources, in their order. NaN: no value. */
export type RowStep = (inputs: Float64Array) => number;
/** Like `RowStep`, but writes several values to `outputs`, whose elements are NaN before. */
export type GroupStep = (inputs: Float64Array, outputs: Float64Array) => void;

interface SteppedParts {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly parameters?: readonly number[];
}

export interface SeriesParts extends SteppedParts {
  /** Number of rows up to the first value. */
  readonly bars: number;
  /** Returns the function with new state. Called again after a row at which a source has no value. */
  readonly start: () => RowStep;
}

/** Returns the spec of an indicator with one series that goes row by row. */
export function steppedSeries({ name, sources, parameters, bars, start }: SeriesParts): IndicatorSpec<Series> {
  const make = (): GroupStep => {
    const step = start();
    return (inputs, outputs) => {
      outputs[0] = step(inputs);
    };
  };
  return seriesSpec({
    name,
    sources: sources.map(operand),
    parameters: parameters ?? [],
    needs: { '': bars },
    make: (wiring) => new Stepped(make, columnsOf(wiring, sources.length), [wiring.out(0)]),
  });
}

export interface GroupParts<Name extends string> extends SteppedParts {
  /** Number of rows up to the first value of each output, in the order in which the function writes them. */
  readonly outputs: Readonly<Record<Name, number>>;
  readonly start: () => GroupStep;
}

/** Returns the spec of an indicator with several series that goes row by row. */
export function steppedGroup<Name extends string>(parts: GroupParts<Name>): IndicatorSpec<{ readonly [name in Name]: Series }> {
  const { name, sources, parameters, outputs } = parts;
  // TypeScript loses the keys of a record in Object.keys and Object.fromEntries.
  const names = Object.keys(outputs) as Name[];
  return groupSpec(
    {
      name,
      sources: sources.map(operand),
      parameters: parameters ?? [],
      needs: Object.fromEntries(names.map((of) => [`.${of}`, outputs[of]])),
      make: (wiring) => {
        const windows = listOf(names, (_, output) => wiring.out(output));
        return new Stepped(() => parts.start(), columnsOf(wiring, sources.length), windows);
      },
    },
    (node) => Object.fromEntries(names.map((of, output) => [of, node.series(output)])) as { readonly [name in Name]: Series },
  );
}

/** Returns the value at `row` from a window of each column that ends with this row. */
export type WindowStep = (columns: readonly IndicatorColumn<Float64Array>[], row: number) => number;

export interface WindowParts extends SteppedParts {
  /** Number of rows of the window, including the newest. */
  readonly bars: number;
  /** Returns the value at `row`. Called only when every source has a value in the whole window. */
  readonly of: WindowStep;
}

/** Returns the spec of an indicator that is computed from all values of each window. It has no state, so rounding errors do not add up. */
export function windowedSeries({ name, sources, parameters, bars, of }: WindowParts): IndicatorSpec<Series> {
  return seriesSpec({
    name,
    sources: sources.map(operand),
    parameters: parameters ?? [bars],
    lookBack: bars - 1,
    needs: { '': bars },
    make: (wiring) => new Windowed(of, columnsOf(wiring, sources.length), wiring.out(0), bars),
  });
}

function columnsOf(wiring: Wiring, count: number): readonly IndicatorColumn<Float64Array>[] {
  return listOf(Array.from({ length: count }), (_, source) => wiring.numbers(source));
}

class Stepped implements Kernel {
  readonly #make: () => GroupStep;
  readonly #columns: readonly IndicatorColumn<Float64Array>[];
  readonly #windows: readonly NumberWindow[];
  readonly #inputs: Float64Array;
  readonly #outputs: Float64Array;
  #step: GroupStep;
  #isNew = true;

  constructor(make: () => GroupStep, columns: readonly IndicatorColumn<Float64Array>[], windows: readonly NumberWindow[]) {
    this.#make = make;
    this.#columns = columns;
    this.#windows = windows;
    this.#inputs = new Float64Array(columns.length);
    this.#outputs = new Float64Array(windows.length);
    this.#step = make();
  }

  fill(fromRow: number, toRow: number): void {
    const columns = this.#columns;
    const windows = this.#windows;
    const inputs = this.#inputs;
    const outputs = this.#outputs;
    for (let row = fromRow; row < toRow; row++) {
      let isWhole = true;
      for (let i = 0; i < columns.length; i++) {
        const { values, base } = columns[i]!;
        const x = values[row - base]!;
        inputs[i] = x;
        if (x !== x) isWhole = false;
      }
      outputs.fill(NAN);
      if (isWhole) {
        this.#step(inputs, outputs);
        this.#isNew = false;
      } else if (!this.#isNew) {
        this.#step = this.#make();
        this.#isNew = true;
      }
      for (let i = 0; i < windows.length; i++) {
        const window = windows[i]!;
        const y = outputs[i]!;
        // The difference of a finite number with itself is 0, so an infinite y becomes NaN.
        window.values[row - window.base] = y - y === 0 ? y : NAN;
      }
    }
  }
}

class Windowed implements Kernel {
  readonly #of: WindowStep;
  readonly #columns: readonly IndicatorColumn<Float64Array>[];
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** Number of consecutive rows up to now, at most `bars`, at which every source has a value. */
  #whole = 0;

  constructor(of: WindowStep, columns: readonly IndicatorColumn<Float64Array>[], out: NumberWindow, bars: number) {
    this.#of = of;
    this.#columns = columns;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const columns = this.#columns;
    const { values: out, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      let isWhole = true;
      for (let i = 0; i < columns.length; i++) {
        const { values, base: from } = columns[i]!;
        const x = values[row - from]!;
        if (x !== x) isWhole = false;
      }
      this.#whole = isWhole ? Math.min(this.#bars, this.#whole + 1) : 0;
      const y = this.#whole === this.#bars ? this.#of(columns, row) : NAN;
      out[row - base] = y - y === 0 ? y : NAN;
    }
  }
}
