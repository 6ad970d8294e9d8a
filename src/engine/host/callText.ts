// A call of a strategy as text, with the values that the engine can read from its arguments. Calls with the same text lead to the same
// decisions.

import { Decimal } from '../../base/number/decimal.ts';
import type { Feed } from '../../strategy/types.ts';
import type { StrategyRun } from './strategyRun.ts';
import { isSeries } from './views.ts';

/** Fields nested deeper than this are not read. The engine reads three levels: options, a leg, its amount. */
const MAX_DEPTH = 6;
/** An argument with more fields is named by its type. Weights of thousands of symbols have fewer. */
const MAX_FIELDS = 50_000;

/** Returns a call as text, such as `ThisStrategy: buy({"base":"1"})`. */
export function callText(run: StrategyRun, name: string, args: readonly unknown[]): string {
  // The engine reads what an order says. The fields of a log line it only prints, and they may hold anything.
  const textOf = name === 'log' ? jsonText : readText;
  return `${run.name}: ${name}(${args
    .filter((arg) => arg !== undefined)
    .map((arg) => textOf(arg))
    .join(', ')})`;
}

/** Returns an argument as JSON text. */
function jsonText(argument: unknown): string {
  try {
    return JSON.stringify(argument, (_, value: unknown) => shortValue(value)) ?? String(argument);
  } catch {
    return `a value of type ${typeof argument}`;
  }
}

/** Returns an argument as JSON text of all that the engine can read of it. */
function readText(argument: unknown): string {
  try {
    return jsonText(new PlainCopy().of(argument, 0));
  } catch (error) {
    return `a value of type ${typeof argument}: ${String(error)}`;
  }
}

/** Returns a short form of a value without an own form in JSON, such as a feed; any other value as it is. */
function shortValue(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'function') return String(value);
  // JSON has no form of its own for these numbers.
  if (typeof value === 'number') return Number.isFinite(value) ? value : `the number ${value}`;
  if (typeof value !== 'object' || value === null) return value;
  // The contents of a feed depend on when it is read. An indicator in the options of an order means its current value.
  if (isFeed(value)) return `feed ${value.instrument.id} ${value.interval}`;
  return isSeries(value) ? `series ${value.value}` : value;
}

/**
 * Copies arguments to plain data. A copy of a class instance also has the values of its getters, because the engine reads them like fields. JSON
 * would leave them out and call a method `toJSON` instead.
 */
class PlainCopy {
  private fields = 0;

  /** Returns a plain copy of an argument. `depth`: number of objects that contain it. Throws RangeError for too many fields. */
  of(argument: unknown, depth: number): unknown {
    if (argument instanceof Decimal) return argument.toString();
    const value = shortValue(argument);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === MAX_DEPTH) return 'an object below the fields that are read';
    if (Array.isArray(value)) return value.map((item) => this.of(item, depth + 1));
    const names = namesOf(value);
    this.fields += names.length;
    if (this.fields > MAX_FIELDS) throw new RangeError(`more than ${MAX_FIELDS} fields`);
    const copy = Object.fromEntries(names.map((name) => [name, this.of((value as Readonly<Record<string, unknown>>)[name], depth + 1)]));
    const primitive = primitiveOf(value);
    return primitive === undefined ? copy : { ...copy, 'as a value': primitive };
  }
}

const isFeed = (value: object): value is Feed => 'instrument' in value && 'bar' in value;

/** Returns the names of the fields of an object and of the getters that it inherits. Of an object of a class, methods do not count. */
function namesOf(value: object): readonly string[] {
  if (isPlain(value)) return Object.getOwnPropertyNames(value);
  const names = new Set<string>();
  for (
    let owner: object | null = value;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object | null
  ) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (typeof descriptor.value !== 'function') names.add(name);
  }
  return [...names];
}

/** True for an object that is of no class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the number or text to which an object converts by a method of its own, such as a date; undefined: it has no such method. */
function primitiveOf(value: object): number | string | undefined {
  const { valueOf, toString } = value as { readonly valueOf?: unknown; readonly toString?: unknown };
  const hasOwnConversion =
    Symbol.toPrimitive in value ||
    (valueOf !== undefined && valueOf !== Object.prototype.valueOf) ||
    (toString !== undefined && toString !== Object.prototype.toString);
  if (!hasOwnConversion) return undefined;
  const converted: unknown = value;
  const number = Number(converted);
  return Number.isNaN(number) ? String(converted) : number;
}
