// Custom indicators: a user's function that gets one value at a time.

import { ConfigError, StrategyError } from '../base/errors.ts';
import type { Series } from './graph/series.ts';
import { checkWhole, groupSpec, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source, type Wiring } from './graph/spec.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

export interface CustomOptions {
  /** Number of values that the function needs. Before that, the series is not ready, even if the function returns numbers. Default 1. */
  readonly warmupBars?: number;
  /**
   * Declares that the function reads and writes nothing outside `make`. The run then computes the indicator in blocks, ahead of the
   * strategy. The run checks this: if calls depend on the block size, the run ends with an error. Without the declaration, the run steps row
   * by row.
   */
  readonly pure?: boolean;
}

/** Options of a custom indicator with several outputs. */
export interface CustomGroupOptions<Name extends string> extends CustomOptions {
  /** Names of the outputs. The function returns an object with a number for each output. */
  readonly outputs: readonly Name[];
}

/** A function of one row: the values of the sources, in their order. */
type OneOutput = (...values: number[]) => number;
type ManyOutputs<Name extends string> = (...values: number[]) => Readonly<Record<Name, number>>;

/**
 * A custom indicator: `custom(source, () => { let s = 0; return x => (s += x); }, { pure: true })`. `make` is called once for each run of
 * the series. It returns a function that gets the values of the source in order, one at a time, and returns the value of the indicator (NaN
 * when it has none). The function gets no values while the source is not ready.
 * With several sources, `custom([feed.high, feed.low], ...)`, the function gets one argument for each source. Sources of other feeds are read as of
 * the rows of the first one. With `outputs: ['upper', 'lower']`, the function returns an object with these numbers, and the indicator has these
 * series. The last argument is an object of options, or only `warmupBars`.
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
      make: (wiring) => new Custom(name, make() as OneOutput, wiring.numbers(0), wiring.out(0), warmupBars),
    });
  }
  const kernel = (wiring: Wiring) => {
    const columns = inputs.map((_, at) => wiring.numbers(at));
    const windows = (outputs ?? ['']).map((_, at) => wiring.out(at));
    return new CustomGroup({ name, next: make(), columns, outputs, windows, warmup: warmupBars });
  };
  if (outputs === null) return seriesSpec({ ...parts, needs: { '': warmupBars }, make: kernel });
  const needs = Object.fromEntries(outputs.map((output) => [`.${output}`, warmupBars]));
  return groupSpec(
    { ...parts, needs, make: kernel },
    (node) => Object.fromEntries(outputs.map((output, at) => [output, node.series(at)])) as { readonly [name in Name]: Series },
  );
}

/** Returns true for a list. Array.isArray alone does not narrow the type of a readonly list. */
function isList(source: Source | readonly Source[]): source is readonly Source[] {
  return Array.isArray(source);
}

function checkOutputs<Name extends string>(outputs: readonly Name[]): readonly Name[] {
  const isValid = outputs.length > 0 && new Set(outputs).size === outputs.length && outputs.every((name) => /^[A-Za-z]\w*$/.test(name));
  if (isValid) return outputs;
  throw new ConfigError(
    `custom: outputs: expected different names of letters and digits, got ${outputs.join(', ') || 'an empty list'}`,
    "for example outputs: ['upper', 'lower']",
  );
}

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
  #fed = 0;

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

  #step(row: number, values: readonly number[]): void {
    const { name, next, outputs, windows, warmup } = this.#parts;
    const result = next(...values);
    if (this.#fed < warmup) this.#fed++;
    windows.forEach((window, at) => {
      const y: unknown =
        outputs === null ? result : typeof result === 'object' && result !== null ? Reflect.get(result, outputs[at]!) : undefined;
      if (typeof y !== 'number') throw outputs === null ? notNumber(name, y) : notOutput(name, outputs[at]!, y);
      if (this.#fed >= warmup) window.values[row - window.base] = y;
    });
  }
}

function notOutput(name: string, output: string, value: unknown): StrategyError {
  return new StrategyError(
    `${name}: its function returned ${String(value)} for ${output}: expected a number`,
    'return an object with a number, or NaN, for each of the outputs',
  );
}

class Custom implements Kernel {
  readonly #name: string;
  readonly #next: (x: number) => number;
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #warmup: number;
  #fed = 0;

  constructor(name: string, next: (x: number) => number, source: IndicatorColumn<Float64Array>, out: NumberWindow, warmup: number) {
    this.#name = name;
    this.#next = next;
    this.#source = source;
    this.#out = out;
    this.#warmup = warmup;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: from, base: fromBase } = this.#source;
    const { values, base } = this.#out;
    const next = this.#next;
    const warmup = this.#warmup;
    for (let row = fromRow; row < toRow; row++) {
      const x = from[row - fromBase]!;
      let y = NAN;
      if (x === x) {
        y = next(x);
        if (typeof y !== 'number') throw notNumber(this.#name, y);
        if (this.#fed < warmup) this.#fed++;
        if (this.#fed < warmup) y = NAN;
      }
      values[row - base] = y;
    }
  }
}

function notNumber(name: string, value: unknown): StrategyError {
  return new StrategyError(
    `${name}: its function returned ${String(value)}: expected a number`,
    'return a number, or NaN when no value exists',
  );
}
