// Tests parameters: defaults, ranges, units, and messages that suggest the nearest valid name.

import { describe, expect, it } from 'vitest';
import { Decimal } from '../base/number/decimal.ts';
import { ConfigError } from '../base/errors.ts';
import { choice, decimal, flag, float, int, parseParams } from './params.ts';

const SPECS = {
  fast: int(10, { min: 2, max: 500, unit: 'bars', help: 'length of the fast average' }),
  share: float(0.2, { max: 1, unit: 'of equity' }),
  qty: decimal('0.1', { min: '0.001', unit: 'base' }),
  long: flag(true),
  mode: choice(['trend', 'range'], 'trend'),
};
const parse = (values: Record<string, unknown>) => parseParams(SPECS, values, 'backtests/a.yaml:3');

describe('parseParams', () => {
  it('parseParams returns the defaults of parameters without a value', () => {
    expect(parse({})).toEqual({ fast: 10, share: 0.2, qty: new Decimal('0.1'), long: true, mode: 'trend' });
  });

  it.each<[string, unknown, unknown]>([
    ['fast', 20, 20],
    ['fast', '20', 20],
    ['fast', 2, 2],
    ['fast', 500, 500],
    ['share', '0.5', 0.5],
    ['share', -3, -3],
    ['qty', '2.50', new Decimal('2.5')],
    ['qty', new Decimal(3), new Decimal(3)],
    ['qty', '0.001', new Decimal('0.001')],
    ['long', false, false],
    ['long', 'false', false],
    ['mode', 'range', 'range'],
  ])('parseParams accepts %s: %o', (name, values, value) => {
    expect(parse({ [name]: values })[name]).toEqual(value);
  });

  it.each<[string, unknown, string]>([
    ['fast', 1, 'expected a whole number from 2 to 500 (bars), got 1'],
    ['fast', 501, 'from 2 to 500 (bars), got 501'],
    ['fast', 10.5, 'expected a whole number'],
    ['fast', 'ten', 'got "ten"'],
    ['fast', '', 'got ""'],
    ['fast', null, 'got null'],
    ['fast', NaN, 'expected a whole number'],
    ['share', 1.01, 'expected a number of at most 1 (of equity), got 1.01'],
    ['share', Infinity, 'expected a number'],
    ['qty', 0.5, 'expected a quoted decimal of at least 0.001 (base), got 0.5'],
    ['qty', '0.0009', 'of at least 0.001'],
    ['qty', '1e3', 'expected a quoted decimal'],
    ['qty', new Decimal('0.0001'), 'of at least 0.001'],
    ['qty', new Decimal(NaN), 'expected a quoted decimal'],
    ['long', 'yes', 'expected true or false, got "yes"'],
    ['mode', 'trends', 'expected one of trend, range, got "trends"'],
  ])('parseParams rejects %s: %o', (name, values, message) => {
    expect(() => parse({ [name]: values })).toThrow(ConfigError);
    expect(() => parse({ [name]: values })).toThrow(`backtests/a.yaml:3 params.${name}: `);
    expect(() => parse({ [name]: values })).toThrow(message);
  });

  it('the remedy for an unknown parameter is the nearest one, or the list of all', () => {
    const remedyOf = (values: Record<string, unknown>) => {
      try {
        parse(values);
      } catch (error) {
        return error instanceof ConfigError ? [error.message, error.remedy] : [];
      }
      return [];
    };
    expect(remedyOf({ fats: 1 })).toEqual(['backtests/a.yaml:3 params.fats: no such parameter', 'did you mean fast?']);
    expect(remedyOf({ colour: 1 })[1]).toBe('the declared parameters are: fast, share, qty, long, mode');
    expect(remedyOf({ fast: 1 })[1]).toBe('length of the fast average');
  });

  it('parseParams rejects names that every object has, such as toString', () => {
    expect(() => parse({ toString: 1 })).toThrow('params.toString: no such parameter');
    expect(() => parse({ constructor: 1 })).toThrow('no such parameter');
  });

  it('the declaration of a parameter rejects a default outside of its range', () => {
    expect(() => int(1, { min: 2 })).toThrow(ConfigError);
    expect(() => int(1.5)).toThrow('is not a whole number');
    expect(() => decimal('0', { min: '0.1' })).toThrow(ConfigError);
  });
});
