// Checks the size and options that a strategy passes. Plain JavaScript checks no types, and a misspelled key would be ignored silently.

import { StrategyError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Size } from '../../strategy/types.ts';

export type SizedCall = 'buy' | 'sell' | 'target';

const UNITS: Readonly<Record<string, true>> = { base: true, quote: true, equity: true } satisfies Record<keyof Size, true>;
const EXAMPLES = "{ equity: '0.5' }, { quote: '100' } or { base: '0.01' }";

/** Throws StrategyError if the size is not an object or has an unknown key. `name`: the strategy. `options`: the valid option keys. */
export function checkSize(name: string, call: SizedCall, size: unknown, options: Readonly<Record<string, true>>): void {
  if (typeof size !== 'object' || size === null) throw noSize(name, call, size);
  for (const key in size) if (UNITS[key] !== true) throw noUnit(name, call, key, options);
}

/** Returns the error for a size without a unit, or for a value that is not a size. */
export function noSize(name: string, call: SizedCall, size: unknown): StrategyError {
  const otherwise = call === 'target' ? '' : ", or leave it out: that of the run's definition holds then";
  return new StrategyError(`${name}: this.${call}(${sizeLiteral(size)}), which is no size`, `give one such as ${EXAMPLES}${otherwise}`);
}

export function noOptions(name: string, call: SizedCall, options: unknown): StrategyError {
  return new StrategyError(
    `${name}: this.${call}(size, ${sizeLiteral(options)}), whose options are no object`,
    'give options such as { stopLoss: 95 }, or leave them out',
  );
}

function noUnit(name: string, call: SizedCall, key: string, options: Readonly<Record<string, true>>): StrategyError {
  const near = nearestName(key, Object.keys(UNITS));
  const place = call === 'target' || options[key] !== true ? null : `${key} is an option: this.${call}(size, { ${key}: ... })`;
  return new StrategyError(
    `${name}: this.${call} with ${key} in its size, which is no unit of a size`,
    place ?? (near === null ? `sizes are ${EXAMPLES}` : `did you mean ${near}?`),
  );
}

/** Returns the value as a strategy's author would write it; for an object its keys. */
function sizeLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? '{}' : `{ ${keys.join(', ')} }`;
}
