// Sums of a moving window that do not drift: whole ticks where the source is a price, compensated floats elsewhere.

import { ConfigError } from '../base/errors.ts';
import type { TickColumn } from '../model/bars.ts';
import type { ScaledColumn, Wiring } from './spec.ts';
import type { Column } from './window.ts';

/**
 * Refuses a window whose weighted sum of ticks could pass 2^53, above which whole numbers are not exact in a double.
 * `weight`: the sum of the weights of one window.
 */
export function checkExactSum(name: string, { column, scale }: ScaledColumn, weight: number): void {
  const { values } = column;
  // Columns of 32-bit ticks are searched only where a window could pass the limit at all.
  const most = values instanceof Int32Array && weight <= 2 ** 22 ? 2 ** 31 : highestOf(values);
  if (weight * Math.max(most, scale) <= 2 ** 53) return;
  throw new ConfigError(
    `${name}: expected window sums below 2^53 ticks, got up to ${weight * Math.max(most, scale)}`,
    'use fewer bars, or import the data with fewer price digits (--round-to-tick)',
  );
}

function highestOf(values: TickColumn): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
  return most;
}

/** Several sources on one scale. */
export interface ScaledColumns {
  readonly columns: readonly Column<TickColumn>[];
  readonly scale: number;
}

/** The sources 0..count-1 in whole ticks when all of them are prices, so that their differences are exact; as they are otherwise. */
export function onOneScale(wiring: Wiring, count: number): ScaledColumns {
  const sources = Array.from({ length: count }, (_, source) => wiring.scaled(source));
  if (sources.every((source) => source.whole)) return { columns: sources.map((source) => source.column), scale: sources[0]!.scale };
  return { columns: sources.map((_, source) => wiring.numbers(source)), scale: 1 };
}

/**
 * A running sum with the rounding error of every step carried along (Knuth's TwoSum): after a million additions and subtractions it is
 * as near as a fresh sum. Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B.
 */
export class CompensatedSum {
  #sum = 0;
  #rest = 0;

  add(x: number): void {
    const sum = this.#sum;
    const next = sum + x;
    const part = next - sum;
    this.#rest += sum - (next - part) + (x - part);
    this.#sum = next;
  }

  get value(): number {
    return this.#sum + this.#rest;
  }

  reset(): void {
    this.#sum = 0;
    this.#rest = 0;
  }
}
