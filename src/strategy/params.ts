// Declared parameters of a strategy: default, range, unit and help, and the parser that checks the values of a definition.

import { Decimal, isPlainDecimal } from '../base/number/decimal.ts';
import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/number/nearestName.ts';

export interface About<T> {
  readonly min?: T;
  readonly max?: T;
  readonly unit?: string;
  readonly help?: string;
}

/** One declared parameter. `parse` turns the text of a definition into the value, or returns what was expected. */
export interface ParamSpec<T> extends About<unknown> {
  readonly kind: 'int' | 'float' | 'decimal' | 'flag' | 'choice';
  readonly default: T;
  readonly choices?: readonly string[];
  parse(given: unknown): T | Expected;
}
/** What a parameter should have been, in words. */
export class Expected {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Specs = Readonly<Record<string, ParamSpec<unknown>>>;
export type Values<S extends Specs> = { readonly [K in keyof S]: S[K] extends ParamSpec<infer T> ? T : never };

/** Declares a whole number. */
export function int(byDefault: number, about: About<number> = {}): ParamSpec<number> {
  return numeric('int', byDefault, about, 'a whole number', Number.isInteger);
}

/** Declares a number that need not be exact: a threshold, a multiple. Money and quantities are `decimal`. */
export function float(byDefault: number, about: About<number> = {}): ParamSpec<number> {
  return numeric('float', byDefault, about, 'a number', Number.isFinite);
}

/** Declares an exact decimal, written as quoted text: a quantity, an amount of money. */
export function decimal(byDefault: string, about: About<string> = {}): ParamSpec<Decimal> {
  const expected = new Expected(`a quoted decimal${rangeText(about)}`);
  const parse = (given: unknown) => {
    if (!(given instanceof Decimal) && (typeof given !== 'string' || !isPlainDecimal(given))) return expected;
    const value = new Decimal(given);
    const fits = (about.min === undefined || value.gte(about.min)) && (about.max === undefined || value.lte(about.max));
    return fits && value.isFinite() ? value : expected;
  };
  const value = parse(byDefault);
  if (value === expected)
    throw new ConfigError(`a parameter's default ${byDefault} is not ${expected.text}`, 'correct the default or its range');
  return { kind: 'decimal', default: new Decimal(byDefault), ...about, parse };
}

export function flag(byDefault: boolean, about: Pick<About<never>, 'help'> = {}): ParamSpec<boolean> {
  const parse = (given: unknown) =>
    typeof given === 'boolean' ? given : given === 'true' ? true : given === 'false' ? false : new Expected('true or false');
  return { kind: 'flag', default: byDefault, ...about, parse };
}

export function choice<const T extends string>(
  choices: readonly T[],
  byDefault: NoInfer<T>,
  about: Pick<About<never>, 'help'> = {},
): ParamSpec<T> {
  const parse = (given: unknown) => choices.find((one) => one === given) ?? new Expected(`one of ${choices.join(', ')}`);
  return { kind: 'choice', default: byDefault, choices, ...about, parse };
}

/**
 * Returns the values of declared parameters: given ones checked, others by default. Throws ConfigError naming `where`, the parameter, what
 * was expected and the nearest declared name.
 */
export function parseParams(specs: Specs, given: Readonly<Record<string, unknown>>, where: string): Record<string, unknown> {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(specs, name)) continue;
    const near = nearestName(name, Object.keys(specs));
    const known = Object.keys(specs).join(', ') || 'none';
    throw new ConfigError(
      `${where} params.${name}: no such parameter`,
      near ? `did you mean ${near}?` : `the declared parameters are: ${known}`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = Object.hasOwn(given, name) ? spec.parse(given[name]) : spec.default;
    if (value instanceof Expected) {
      throw new ConfigError(
        `${where} params.${name}: expected ${value.text}, got ${JSON.stringify(given[name])}`,
        spec.help ?? 'correct the value',
      );
    }
    values[name] = value;
  }
  return values;
}

function numeric(
  kind: 'int' | 'float',
  byDefault: number,
  about: About<number>,
  what: string,
  valid: (value: number) => boolean,
): ParamSpec<number> {
  const { min = -Infinity, max = Infinity } = about;
  const expected = new Expected(what + rangeText(about));
  const parse = (given: unknown) => {
    const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
    return typeof value === 'number' && valid(value) && value >= min && value <= max ? value : expected;
  };
  if (parse(byDefault) !== byDefault)
    throw new ConfigError(`a parameter's default ${byDefault} is not ${expected.text}`, 'correct the default or its range');
  return { kind, default: byDefault, ...about, parse };
}

function rangeText(about: About<number | string>): string {
  const unit = about.unit === undefined ? '' : ` (${about.unit})`;
  if (about.min !== undefined && about.max !== undefined) return ` from ${about.min} to ${about.max}${unit}`;
  if (about.min !== undefined) return ` of at least ${about.min}${unit}`;
  if (about.max !== undefined) return ` of at most ${about.max}${unit}`;
  return unit;
}
