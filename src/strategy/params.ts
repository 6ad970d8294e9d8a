// Declares the parameters of a strategy with default, range, unit and help, and parses the values of a definition.

import { Decimal } from '../base/number/decimal.ts';
import { isPlainDecimal } from '../base/number/decimalText.ts';
import { ConfigError } from '../base/errors.ts';
import { nearestName } from '../base/number/nearestName.ts';

/** Range, unit and help of a parameter. */
export interface About<T> {
  readonly min?: T;
  readonly max?: T;
  readonly unit?: string;
  readonly help?: string;
}

/** One declared parameter. */
export interface ParamSpec<T> extends About<unknown> {
  readonly kind: 'int' | 'float' | 'decimal' | 'flag' | 'choice';
  readonly default: T;
  readonly choices?: readonly string[];
  /** Returns the value of a definition, or the description of a valid one. */
  parse(rawValue: unknown): T | Expectation;
}

/** The description of a valid value, for messages. */
export class Expectation {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The declared parameters of a strategy, by name. */
export type Specs = Readonly<Record<string, ParamSpec<unknown>>>;
/** The values of the declared parameters, with the type of each. */
export type Values<S extends Specs> = { readonly [K in keyof S]: S[K] extends ParamSpec<infer T> ? T : never };

/** Declares a whole number. */
export function int(byDefault: number, about: About<number> = {}): ParamSpec<number> {
  return numeric('int', byDefault, about, 'a whole number', Number.isInteger);
}

/** Declares a number for which double precision is enough, such as a threshold. Use `decimal` for money and quantities. */
export function float(byDefault: number, about: About<number> = {}): ParamSpec<number> {
  return numeric('float', byDefault, about, 'a number', Number.isFinite);
}

/** Declares an exact decimal, such as a quantity or an amount of money. A definition writes it as quoted text. */
export function decimal(byDefault: string, about: About<string> = {}): ParamSpec<Decimal> {
  const expected = new Expectation(`a quoted decimal${rangeText(about)}`);
  const parse = (rawValue: unknown) => {
    if (!(rawValue instanceof Decimal) && (typeof rawValue !== 'string' || !isPlainDecimal(rawValue))) return expected;
    const value = new Decimal(rawValue);
    const isInRange = (about.min === undefined || value.gte(about.min)) && (about.max === undefined || value.lte(about.max));
    return isInRange && value.isFinite() ? value : expected;
  };
  const value = parse(byDefault);
  if (value === expected)
    throw new ConfigError(`a parameter's default ${byDefault} is not ${expected.text}`, 'correct the default or its range');
  return { kind: 'decimal', default: new Decimal(byDefault), ...about, parse };
}

/** Declares a value that is true or false. */
export function flag(byDefault: boolean, about: Pick<About<never>, 'help'> = {}): ParamSpec<boolean> {
  const parse = (rawValue: unknown) => {
    if (typeof rawValue === 'boolean') return rawValue;
    if (rawValue === 'true') return true;
    return rawValue === 'false' ? false : new Expectation('true or false');
  };
  return { kind: 'flag', default: byDefault, ...about, parse };
}

/** Declares a text that is one of `choices`. */
export function choice<const T extends string>(
  choices: readonly T[],
  byDefault: NoInfer<T>,
  about: Pick<About<never>, 'help'> = {},
): ParamSpec<T> {
  const parse = (rawValue: unknown) => choices.find((each) => each === rawValue) ?? new Expectation(`one of ${choices.join(', ')}`);
  return { kind: 'choice', default: byDefault, choices, ...about, parse };
}

/**
 * Returns the values of all declared parameters: the checked value from `rawValue`, or the default. Throws ConfigError for an unknown parameter
 * and for an invalid value. The message begins with `where`, the place in the definition.
 */
export function parseParams(specs: Specs, rawValues: Readonly<Record<string, unknown>>, where: string): Record<string, unknown> {
  for (const name of Object.keys(rawValues)) {
    if (Object.hasOwn(specs, name)) continue;
    const nearest = nearestName(name, Object.keys(specs));
    const declaredNames = Object.keys(specs).join(', ') || 'none';
    throw new ConfigError(
      `${where} params.${name}: no such parameter`,
      nearest ? `did you mean ${nearest}?` : `the declared parameters are: ${declaredNames}`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = Object.hasOwn(rawValues, name) ? spec.parse(rawValues[name]) : spec.default;
    if (value instanceof Expectation) {
      throw new ConfigError(
        `${where} params.${name}: expected ${value.text}, got ${JSON.stringify(rawValues[name])}`,
        spec.help ?? 'correct the value',
      );
    }
    values[name] = value;
  }
  return values;
}

/** Declares a number. `kindText` describes the numbers that `isValid` accepts. */
function numeric(
  kind: 'int' | 'float',
  byDefault: number,
  about: About<number>,
  kindText: string,
  isValid: (value: number) => boolean,
): ParamSpec<number> {
  const { min = -Infinity, max = Infinity } = about;
  const expected = new Expectation(kindText + rangeText(about));
  const parse = (rawValue: unknown) => {
    const value = typeof rawValue === 'string' && rawValue.trim() !== '' ? Number(rawValue) : rawValue;
    return typeof value === 'number' && isValid(value) && value >= min && value <= max ? value : expected;
  };
  if (parse(byDefault) !== byDefault)
    throw new ConfigError(`a parameter's default ${byDefault} is not ${expected.text}`, 'correct the default or its range');
  return { kind, default: byDefault, ...about, parse };
}

/** Returns range and unit as text, such as ` from 2 to 500 (bars)`. */
function rangeText(about: About<number | string>): string {
  const unit = about.unit === undefined ? '' : ` (${about.unit})`;
  if (about.min !== undefined && about.max !== undefined) return ` from ${about.min} to ${about.max}${unit}`;
  if (about.min !== undefined) return ` of at least ${about.min}${unit}`;
  if (about.max !== undefined) return ` of at most ${about.max}${unit}`;
  return unit;
}
