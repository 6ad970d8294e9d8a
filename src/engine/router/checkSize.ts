// Checks the size and options that a strategy passes. Plain JavaScript checks no types, and would ignore a misspelled key.

import { StrategyError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Size } from '../../strategy/types.ts';

/** The calls of a strategy that take a size. */
export type SizedCall = 'buy' | 'sell' | 'target';

const SIZE_UNITS: Readonly<Record<string, true>> = { base: true, quote: true, equity: true } satisfies Record<keyof Size, true>;
const SIZE_EXAMPLES = "{ equity: '0.5' }, { quote: '100' } or { base: '0.01' }";

/** Throws StrategyError if the size is not an object or has an unknown key. `name`: of the strategy. `options`: the keys of order options. */
export function checkSize(name: string, call: SizedCall, size: unknown, options: Readonly<Record<string, true>>): void {
  if (typeof size !== 'object' || size === null) throw sizeError(name, call, size);
  for (const key in size) if (SIZE_UNITS[key] !== true) throw unitError(name, call, key, options);
}

/** Returns the error for a size without a unit, or for a value that is not a size. */
export function sizeError(name: string, call: SizedCall, size: unknown): StrategyError {
  const orNone = call === 'target' ? '' : ", or none: the size of the run's definition is then used";
  return new StrategyError(`${name}: this.${call}(${sizeLiteral(size)}): expected a size`, `give one such as ${SIZE_EXAMPLES}${orNone}`);
}

/** Returns the error for options that are not an object. */
export function optionsError(name: string, call: SizedCall, options: unknown): StrategyError {
  return new StrategyError(
    `${name}: this.${call}(size, ${sizeLiteral(options)}), whose options are not an object`,
    'give options such as { stopLoss: 95 }, or none',
  );
}

/** Returns the error for a size in an unknown unit. */
function unitError(name: string, call: SizedCall, key: string, options: Readonly<Record<string, true>>): StrategyError {
  const message = `${name}: this.${call} with ${key} in its size, which is not a unit of a size`;
  const isOption = call !== 'target' && options[key] === true;
  if (isOption) return new StrategyError(message, `${key} is an option: this.${call}(size, { ${key}: ... })`);
  const nearestUnit = nearestName(key, Object.keys(SIZE_UNITS));
  return new StrategyError(message, nearestUnit === null ? `sizes are ${SIZE_EXAMPLES}` : `did you mean ${nearestUnit}?`);
}

/** Returns the value as the author of a strategy would write it; for an object only its keys. */
function sizeLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? '{}' : `{ ${keys.join(', ')} }`;
}
