// Tests the text of a strategy's call: it shows every value that the engine can read, and nothing else.

import { describe, expect, test } from 'vitest';
import { Decimal } from '../../base/number/decimal.ts';
import { callText } from './callText.ts';
import type { StrategyRun } from './strategyRun.ts';

const textOf = (name: string, ...args: readonly unknown[]): string => callText({ name: 'A' } as StrategyRun, name, args);

class GetterSize {
  readonly #share: number;
  constructor(share: number) {
    this.#share = share;
  }
  get equity(): number {
    return this.#share;
  }
  toJSON(): string {
    return 'a size';
  }
}

describe('the text of a call', () => {
  test.each([
    ['a plain size', { equity: '0.5' }, 'A: buy({"equity":"0.5"})'],
    ['a decimal', { base: new Decimal('0.50') }, 'A: buy({"base":"0.5"})'],
    ['a getter of a class, whose toJSON is not asked', new GetterSize(0.9), 'A: buy({"equity":0.9})'],
    ['a value that is not a number', { equity: NaN }, 'A: buy({"equity":"the number NaN"})'],
    ['a list of levels', [{ price: 1 }, { price: 2 }], 'A: buy([{"price":1},{"price":2}])'],
    ['an object that converts to a number', { base: { valueOf: (): number => 3 } }, /"as a value":3/],
    [
      'an object that converts to a text',
      {
        base: new (class {
          toString = () => '0.7';
        })(),
      },
      /"as a value":0.7/,
    ],
  ])('the text of a call shows %s', (_, size, text) => {
    if (typeof text === 'string') expect(textOf('buy', size)).toBe(text);
    else expect(textOf('buy', size)).toMatch(text);
  });

  test('the text of a call with linked objects is short', () => {
    const linked: Record<string, unknown> = { equity: 1 };
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) linked[name] = linked;
    expect(textOf('buy', linked).length).toBeLessThan(200);
  });

  test('the fields of a log line are those of JSON', () => {
    expect(textOf('log', 'note', { at: new GetterSize(1) })).toBe('A: log("note", {"at":"a size"})');
  });
});
