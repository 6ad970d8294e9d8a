// Makes indicators from a function of one row, or of a window of rows. The kernels in this file handle warm-up and NaN.

import { listOf } from '../../base/memory/listOf.ts';
import type { Series } from './series.ts';
import { groupSpec, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source, type Wiring } from './spec.ts';
import { finite, type IndicatorColumn, type NumberWindow } from './window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Returns the value of one row from the values of the sources, in their order. NaN for no value. */
export type RowStep = (inputs: Float64Array) => number;
/** Writes the values of one row to `outputs`, from the values of the sources. The elements of `outputs` are NaN before the call. */
export type GroupStep = (inputs: Float64Array, outputs: Float64Array) => void;

interface SteppedParts {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly parameters?: readonly number[];
}

/** Description of an indicator with one series. */
export interface SeriesParts extends SteppedParts {
  /** Number of rows up to the first value. */
  readonly bars: number;
  /** Returns the function with new state. The kernel calls it again after a row at which a source has no value. */
  readonly start: () => RowStep;
}

/** Returns the spec of an indicator with one series that is computed row by row. */
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
    makeKernel: (wiring) => new Stepped(make, columnsOf(wiring, sources.length), [wiring.out(0)]),
  });
}

/** Description of an indicator with several series. */
export interface GroupParts<Name extends string> extends SteppedParts {
  /** Number of rows up to the first value of each output, in the order in which the function writes them. */
  readonly outputs: Readonly<Record<Name, number>>;
  /** Returns the function with new state. The kernel calls it again after a row at which a source has no value. */
  readonly start: () => GroupStep;
}

/** Returns the spec of an indicator with several series that are computed row by row. */
export function steppedGroup<Name extends string>(parts: GroupParts<Name>): IndicatorSpec<{ readonly [name in Name]: Series }> {
  const { name, sources, parameters, outputs } = parts;
  // The types of Object.keys and Object.fromEntries do not have the keys of the record.
  const names = Object.keys(outputs) as Name[];
  return groupSpec(
    {
      name,
      sources: sources.map(operand),
      parameters: parameters ?? [],
      needs: Object.fromEntries(names.map((outputName) => [`.${outputName}`, outputs[outputName]])),
      makeKernel: (wiring) => {
        const windows = listOf(names, (_, output) => wiring.out(output));
        return new Stepped(() => parts.start(), columnsOf(wiring, sources.length), windows);
      },
    },
    (node) =>
      Object.fromEntries(names.map((outputName, output) => [outputName, node.series(output)])) as { readonly [name in Name]: Series },
  );
}

/** Returns the value at `row` from a window of each column that ends with this row. */
export type WindowStep = (columns: readonly IndicatorColumn<Float64Array>[], row: number) => number;

/** Description of an indicator that is computed from a window of rows. */
export interface WindowParts extends SteppedParts {
  /** Number of rows of the window, including the newest. */
  readonly bars: number;
  /** Returns the value at `row`. The kernel calls it only when every source has a value at all rows of the window. */
  readonly compute: WindowStep;
}

/** Returns the spec of an indicator that is computed from all values of each window. Without state, rounding errors do not accumulate. */
export function windowedSeries({ name, sources, parameters, bars, compute }: WindowParts): IndicatorSpec<Series> {
  return seriesSpec({
    name,
    sources: sources.map(operand),
    parameters: parameters ?? [bars],
    lookBack: bars - 1,
    needs: { '': bars },
    makeKernel: (wiring) => new Windowed(compute, columnsOf(wiring, sources.length), wiring.out(0), bars),
  });
}

/** Returns the values of the first `count` sources. */
function columnsOf(wiring: Wiring, count: number): readonly IndicatorColumn<Float64Array>[] {
  return listOf(Array.from({ length: count }), (_, source) => wiring.numbers(source));
}

/** Calls a function at each row at which all sources have a value. After a row without one, it starts with new state. */
class Stepped implements Kernel {
  readonly #make: () => GroupStep;
  readonly #columns: readonly IndicatorColumn<Float64Array>[];
  readonly #windows: readonly NumberWindow[];
  readonly #inputs: Float64Array;
  readonly #outputs: Float64Array;
  #step: GroupStep;
  /** True while the state of `#step` is new. */
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
      let hasAllValues = true;
      for (let i = 0; i < columns.length; i++) {
        const { values, base } = columns[i]!;
        const value = values[row - base]!;
        inputs[i] = value;
        if (value !== value) hasAllValues = false;
      }
      outputs.fill(NAN);
      if (hasAllValues) {
        this.#step(inputs, outputs);
        this.#isNew = false;
      } else if (!this.#isNew) {
        this.#step = this.#make();
        this.#isNew = true;
      }
      for (let i = 0; i < windows.length; i++) {
        const window = windows[i]!;
        window.values[row - window.base] = finite(outputs[i]!);
      }
    }
  }
}

/** Calls a function at each row whose window has a value of every source at all rows. */
class Windowed implements Kernel {
  readonly #of: WindowStep;
  readonly #columns: readonly IndicatorColumn<Float64Array>[];
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** Number of consecutive rows up to the newest, at most `bars`, at which every source has a value. */
  #completeRows = 0;

  constructor(compute: WindowStep, columns: readonly IndicatorColumn<Float64Array>[], out: NumberWindow, bars: number) {
    this.#of = compute;
    this.#columns = columns;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const columns = this.#columns;
    const { values: out, base } = this.#out;
    for (let row = fromRow; row < toRow; row++) {
      let hasAllValues = true;
      for (let i = 0; i < columns.length; i++) {
        const { values, base: columnBase } = columns[i]!;
        const value = values[row - columnBase]!;
        if (value !== value) hasAllValues = false;
      }
      this.#completeRows = hasAllValues ? Math.min(this.#bars, this.#completeRows + 1) : 0;
      out[row - base] = this.#completeRows === this.#bars ? finite(this.#of(columns, row)) : NAN;
    }
  }
}
