// Custom indicators: functions of the user that get one value at a time.

import { ConfigError, StrategyError } from '../base/errors.ts';
import type { Series } from './graph/series.ts';
import { checkWhole, groupSpec, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source, type Wiring } from './graph/spec.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Options of a custom indicator. */
export interface CustomOptions {
  /** Number of values that the function needs. Until then the series is not ready, even if the function returns numbers. Default 1. */
  readonly warmupBars?: number;
  /**
   * Declares that the function reads and writes only variables of `make`. The run then computes the indicator in blocks, ahead of the
   * strategy. The run checks the declaration: it ends with an error if calls depend on the block size. Without the declaration, the run steps
   * row by row.
   */
  readonly pure?: boolean;
}

/** Options of a custom indicator with several outputs. */
export interface CustomGroupOptions<Name extends string> extends CustomOptions {
  /** Names of the outputs. The function returns an object with a number for each output. */
  readonly outputs: readonly Name[];
}

/** A user's function. It gets the values of the sources in one row, in the order of the sources. */
type OneOutput = (...values: number[]) => number;
type ManyOutputs<Name extends string> = (...values: number[]) => Readonly<Record<Name, number>>;

/**
 * Returns a custom indicator: `custom(source, () => { let s = 0; return x => (s += x); }, { pure: true })`. `make` is called once for each
 * run of the series. It returns a function. The function gets the values of the source in order, one at a time. It returns the value of the
 * indicator, or NaN when no value exists. The function gets no values while the source is not ready. With several sources,
 * `custom([feed.high, feed.low], ...)`, the function gets one argument for each source. Sources of other feeds are read as of the rows of
 * the first one. With `outputs: ['upper', 'lower']`, the function returns an object with these numbers, and the indicator has these series.
 * The last argument is an object of options, or only `warmupBars`.
 */
export function custom(source: Source, make: () => (x: number) => number, options?: number | CustomOptions): IndicatorSpec<Series>;
export function custom<Name extends string>(
  sources: Source | readonly Source[],
  make: () => ManyOutputs<Name>,
  options: CustomGroupOptions<Name>,
): IndicatorSpec<{ readonly [name in Name]: Series }>;
export function custom(sources: readonly Source[], make: () => OneOutput, options?: number | CustomOptions): IndicatorSpec<Series>;
export function custom<Name extends string>(
  source: Source | readonly Source[],
  make: () => OneOutput | ManyOutputs<Name>,
  options: number | CustomOptions | CustomGroupOptions<Name> = {},
): IndicatorSpec<Series> | IndicatorSpec<{ readonly [name in Name]: Series }> {
  const { warmupBars = 1, pure = false } = typeof options === 'number' ? { warmupBars: options } : options;
  checkWhole('custom', 'warmupBars', warmupBars, 1);
  if (typeof pure !== 'boolean')
    throw new ConfigError(`custom: pure: expected true or false, got ${String(pure)}`, 'write { pure: true }, or remove pure');
  const inputs = (isList(source) ? source : [source]).map(operand);
  const [first] = inputs;
  if (first === undefined)
    throw new ConfigError('custom: expected at least one source, got an empty list', 'give the series that the function reads');
  const outputs = typeof options === 'object' && 'outputs' in options ? checkOutputs(options.outputs) : null;
  const name = `custom#${first.home.numberOf(make)}`;
  const parts = {
    name,
    sources: inputs,
    parameters: [...(warmupBars === 1 ? [] : [warmupBars]), ...(pure ? ['pure'] : []), ...(outputs ?? [])],
    custom: { isPure: pure, place: new Error('custom') },
  };
  if (outputs === null && inputs.length === 1) {
    return seriesSpec({
      ...parts,
      needs: { '': warmupBars },
      makeKernel: (wiring) => new Custom(name, make() as OneOutput, wiring.numbers(0), wiring.out(0), warmupBars),
    });
  }
  const kernel = (wiring: Wiring) => {
    const columns = inputs.map((_, index) => wiring.numbers(index));
    const windows = (outputs ?? ['']).map((_, index) => wiring.out(index));
    return new CustomGroup({ name, next: make(), columns, outputs, windows, warmup: warmupBars });
  };
  if (outputs === null) return seriesSpec({ ...parts, needs: { '': warmupBars }, makeKernel: kernel });
  const needs = Object.fromEntries(outputs.map((output) => [`.${output}`, warmupBars]));
  return groupSpec(
    { ...parts, needs, makeKernel: kernel },
    (node) => Object.fromEntries(outputs.map((output, index) => [output, node.series(index)])) as { readonly [name in Name]: Series },
  );
}

/** Returns true for a list. Array.isArray alone does not narrow the type of a readonly list. */
function isList(source: Source | readonly Source[]): source is readonly Source[] {
  return Array.isArray(source);
}

/** Returns the names of outputs. Throws ConfigError for an empty list, a repeated name or a name with other characters. */
function checkOutputs<Name extends string>(outputs: readonly Name[]): readonly Name[] {
  const isValid = outputs.length > 0 && new Set(outputs).size === outputs.length && outputs.every((name) => /^[A-Za-z]\w*$/.test(name));
  if (isValid) return outputs;
  throw new ConfigError(
    `custom: outputs: expected different names of letters and digits, got ${outputs.join(', ') || 'an empty list'}`,
    "for example outputs: ['upper', 'lower']",
  );
}

/** Inputs and outputs of a custom indicator. */
interface CustomParts {
  readonly name: string;
  readonly next: (...values: number[]) => unknown;
  readonly columns: readonly IndicatorColumn<Float64Array>[];
  /** Null for a single number. */
  readonly outputs: readonly string[] | null;
  readonly windows: readonly NumberWindow[];
  readonly warmup: number;
}

/** The kernel for several sources or several outputs. */
class CustomGroup implements Kernel {
  readonly #parts: CustomParts;
  #valueCount = 0;

  constructor(parts: CustomParts) {
    this.#parts = parts;
  }

  fill(fromRow: number, toRow: number): void {
    const { columns, windows } = this.#parts;
    for (let row = fromRow; row < toRow; row++) {
      const values = columns.map((column) => column.values[row - column.base]!);
      for (const window of windows) window.values[row - window.base] = NAN;
      if (values.some((value) => value !== value)) continue;
      this.#step(row, values);
    }
  }

  /**
   * Calls the author's function with the values of one row, and writes its outputs once the warm-up has ended. Throws StrategyError for an
   * output that is not a number.
   */
  #step(row: number, values: readonly number[]): void {
    const { name, next, outputs, windows, warmup } = this.#parts;
    const result = next(...values);
    if (this.#valueCount < warmup) this.#valueCount++;
    windows.forEach((window, index) => {
      const output = outputs === null ? result : fieldOf(result, outputs[index]!);
      if (typeof output !== 'number') throw outputs === null ? notNumber(name, output) : notOutput(name, outputs[index]!, output);
      if (this.#valueCount >= warmup) window.values[row - window.base] = output;
    });
  }
}

/** Returns a field of an object. Undefined if the value is not an object. */
function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns the error for an output that is not a number. */
function notOutput(name: string, output: string, value: unknown): StrategyError {
  return new StrategyError(
    `${name}: its function returned ${String(value)} for ${output}: expected a number`,
    'return an object with a number, or NaN, for each of the outputs',
  );
}

/** The kernel for one source and one output. */
class Custom implements Kernel {
  readonly #name: string;
  readonly #next: (x: number) => number;
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #warmup: number;
  #valueCount = 0;

  constructor(name: string, next: (x: number) => number, source: IndicatorColumn<Float64Array>, out: NumberWindow, warmup: number) {
    this.#name = name;
    this.#next = next;
    this.#source = source;
    this.#out = out;
    this.#warmup = warmup;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const next = this.#next;
    const warmup = this.#warmup;
    for (let row = fromRow; row < toRow; row++) {
      const value = sourceValues[row - sourceBase]!;
      let result = NAN;
      if (value === value) {
        result = next(value);
        if (typeof result !== 'number') throw notNumber(this.#name, result);
        if (this.#valueCount < warmup) this.#valueCount++;
        if (this.#valueCount < warmup) result = NAN;
      }
      values[row - base] = result;
    }
  }
}

/** Returns the error for a result that is not a number. */
function notNumber(name: string, value: unknown): StrategyError {
  return new StrategyError(
    `${name}: its function returned ${String(value)}: expected a number`,
    'return a number, or NaN when no value exists',
  );
}
