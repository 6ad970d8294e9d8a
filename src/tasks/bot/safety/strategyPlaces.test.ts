// Tests that a strategy with orders in the journal keeps its place in the config.

import { expect, test } from 'vitest';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { checkStrategyPlaces, placeFacts, shareChanges } from './strategyPlaces.ts';

/** A strategy: its name, its parameter and its share. */
type Spec = readonly [name: string, fast?: number, share?: string];

const planOf = (specs: readonly Spec[]): Pick<RunPlan, 'strategies'> =>
  ({
    strategies: specs.map(([name, fast = 1, share = '0.5']) => ({
      // The record has all parameters, the plan those of the config.
      record: { name, params: { fast, size: '0.1' } },
      params: { fast },
      hash: `hash of ${name}`,
      share,
    })),
  }) as unknown as Pick<RunPlan, 'strategies'>;

/** Returns the CONFIG record of a start. `isOld`: of a version that recorded no names. */
function configOf(specs: readonly Spec[], isOld = false): Pick<RecordOf<'CONFIG'>, 'limits'> {
  const plan = planOf(specs);
  const code = plan.strategies.flatMap(({ hash, params }, index) => [
    [`strategy.${index}`, hash],
    [`params.${index}`, JSON.stringify(params)],
  ]);
  return { limits: { ...Object.fromEntries(code), ...(isOld ? {} : placeFacts(plan)) } };
}

/** Returns the records of orders of these places. */
const ordersOf = (places: readonly number[]): readonly JournalRecord[] =>
  places.map((strategy) => ({ k: 'INTENT', strategy }) as unknown as JournalRecord);

const check = (before: readonly Spec[], after: readonly Spec[], withOrders: readonly number[], isOld = false): void =>
  checkStrategyPlaces(configOf(before, isOld), ordersOf(withOrders), planOf(after), 'bot');

test('a strategy with orders must not move to another place, or be removed', () => {
  expect(() => check([['A'], ['B']], [['B'], ['A']], [1])).toThrow(
    'strategy: the journal has orders or halts of B as number 2 of the strategies, got A there: they would be those of another strategy',
  );
  expect(() => check([['A'], ['B']], [['B']], [1])).toThrow('orders or halts of B as number 2 of the strategies, got none there');
  expect(() => check([['A'], ['B']], [['B']], [0])).toThrow('orders or halts of A as number 1 of the strategies, got B there');
  expect(() => check([['A']], [['B'], ['A']], [0])).toThrow('orders or halts of A as number 1');
  expect(() =>
    check(
      [
        ['A', 1],
        ['B', 1],
      ],
      [
        ['B', 2],
        ['A', 2],
      ],
      [0],
    ),
  ).toThrow('orders or halts of A as number 1');
});

test('a strategy that was halted keeps its place, too', () => {
  const halt = { k: 'HALT', scope: 'strategy 0' } as unknown as JournalRecord;
  expect(() => checkStrategyPlaces(configOf([['A'], ['B']]), [halt], planOf([['B']]), 'bot')).toThrow('orders or halts of A as number 1');
});

test('two strategies of one class are distinguished by their parameters', () => {
  expect(() =>
    check(
      [
        ['A', 1],
        ['A', 2],
      ],
      [
        ['A', 2],
        ['A', 1],
      ],
      [0],
    ),
  ).toThrow('orders or halts of A as number 1');
  check(
    [
      ['A', 1],
      ['A', 2],
    ],
    [
      ['A', 3],
      ['A', 2],
    ],
    [0, 1],
  );
});

test('a strategy may be renamed, be given other parameters, be added at the end, and be removed or moved if it has no orders', () => {
  check([['A'], ['B']], [['A'], ['C', 2]], [0, 1]);
  check([['A']], [['A'], ['B']], [0]);
  check([['A'], ['B']], [['A']], [0]);
  check([['A'], ['B']], [['B'], ['A']], []);
});

test('strategies of a journal without names are distinguished by their code', () => {
  expect(() => check([['A'], ['B']], [['B'], ['A']], [1], true)).toThrow('orders or halts of a strategy as number 2');
  check([['A'], ['B']], [['A'], ['C']], [0, 1], true);
});

test('a share that has changed is named', () => {
  expect(
    shareChanges(
      configOf([['A'], ['B']]),
      planOf([
        ['A', 1, '0.1'],
        ['B', 1, '0.50'],
      ]),
    ),
  ).toEqual(['the share of A is 0.1, and was 0.5']);
});

test('a journal without shares has no changed share', () => {
  expect(shareChanges(configOf([['A']], true), planOf([['A', 1, '0.1']]))).toEqual([]);
});

test('no strategy takes the place of one with orders that an earlier start has removed', () => {
  expect(() => check([['A']], [['A'], ['C']], [0, 1])).toThrow('orders or halts of a strategy as number 2 of the strategies, got C there');
  expect(() => check([['A']], [['A']], [0, 1])).not.toThrow();
});

test('a strategy that an earlier start has removed may take its own place again', () => {
  const records = [{ k: 'CONFIG', ...configOf([['A'], ['B']]) } as unknown as JournalRecord, ...ordersOf([0, 1])];
  const start = (after: readonly Spec[]) => () => checkStrategyPlaces(configOf([['A']]), records, planOf(after), 'bot');
  expect(start([['A'], ['B']])).not.toThrow();
  expect(start([['A'], ['C']])).toThrow('orders or halts of B as number 2 of the strategies, got C there');
});
