// Custom indicators: a user's function that gets one value at a time.

import { ConfigError, StrategyError } from '../base/errors.ts';
import type { Series } from './graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel, type Source } from './graph/spec.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

export interface CustomOptions {
  /** Number of values that the function needs. Until then the series is not ready, whatever the function returns. Default 1. */
  readonly warmupBars?: number;
  /**
   * Declares that the function reads and writes nothing outside `make`. The run then computes the indicator in blocks, ahead of the
   * strategy. It checks the declaration: a run whose calls depend on the block size ends with an error. Without the declaration, the run
   * goes row by row.
   */
  readonly pure?: boolean;
}

/**
 * A custom indicator: `custom(source, () => { let s = 0; return x => (s += x); }, { pure: true })`. `make` is called once for each run of
 * the series. It returns a function that gets the values of the source in order, one at a time, and returns the value of the indicator (NaN
 * when it has none). The function gets no values while the source is not ready.
 * The third argument: options, or `warmupBars` alone.
 */
export function custom(source: Source, make: () => (x: number) => number, options: number | CustomOptions = {}): IndicatorSpec<Series> {
  const { warmupBars = 1, pure = false } = typeof options === 'number' ? { warmupBars: options } : options;
  checkWhole('custom', 'warmupBars', warmupBars, 1);
  if (typeof pure !== 'boolean')
    throw new ConfigError(`custom: pure: expected true or false, got ${String(pure)}`, 'write { pure: true }, or leave it out');
  const input = operand(source);
  const name = `custom#${input.home.numberOf(make)}`;
  return seriesSpec({
    name,
    sources: [input],
    parameters: [...(warmupBars === 1 ? [] : [warmupBars]), ...(pure ? ['pure'] : [])],
    custom: { isPure: pure, place: new Error('custom') },
    needs: { '': warmupBars },
    make: (wiring) => new Custom(name, make(), wiring.numbers(0), wiring.out(0), warmupBars),
  });
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
