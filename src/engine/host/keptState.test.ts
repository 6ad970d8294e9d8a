// Tests the state that strategies may keep over restarts.

import { expect, test } from 'vitest';
import { lineOf } from '../../adapters/journal/file/journalLine.ts';
import {
  checkKept,
  isFullyRecorded,
  keptText,
  keptTexts,
  pointProblem,
  type KeptRuns,
  type OpenWork,
  type ResumingRuns,
} from './keptState.ts';
import { Timers } from './timers.ts';

const sharedList = [1];
const circular: Record<string, unknown> = {};
circular['self'] = { circle: circular };

test.each([
  [null, 'keep: expected an object, got null'],
  [5, 'keep: expected an object, got number'],
  [new Map(), 'keep: expected numbers, text, flags, lists or plain objects, got Map'],
  [{ when: new Date(0) }, 'keep.when: expected numbers, text, flags, lists or plain objects, got Date'],
  [{ a: { b: [1, undefined] } }, 'keep.a.b[1]: expected numbers, text, flags, lists or plain objects, got undefined'],
  [{ a: Array.from({ length: 2 }).fill(1n) }, 'keep.a[0]: expected numbers, text, flags, lists or plain objects, got bigint'],
  [{ act: () => 1 }, 'keep.act: expected numbers, text, flags, lists or plain objects, got function'],
  [{ prices: new Float64Array(2) }, 'keep.prices: expected numbers, text, flags, lists or plain objects, got Float64Array'],
  [{ a: sharedList, b: { c: sharedList } }, 'keep.b.c: it is the same list as keep.a, and would be another one after a restart'],
  [circular, 'keep.self.circle: it is the same object as keep, and would be another one after a restart'],
  [{ a: { $number: '1' } }, "keep.a: a member cannot be named '$number'"],
  [JSON.parse('{"__proto__":1}'), "keep: a member cannot be named '__proto__'"],
  [
    {
      a: [
        {
          get twice() {
            return 2;
          },
        },
      ],
    },
    'keep.a[0].twice: expected a value, got a getter or setter',
  ],
  [{ a: { [Symbol('s')]: 1 } }, 'keep.a: a member cannot be named by a symbol (Symbol(s))'],
  [Object.freeze({ a: 1 }), 'keep: the object is frozen, so that it cannot change'],
])('keep() throws for the state %o', (state, message) => {
  expect(() => checkKept('Test', state)).toThrow(`Test: ${message}`);
});

test('states that are longer than a record stop the strategy that keeps most, and those below the limit fit into a record', () => {
  const engineOf = (...sizes: number[]): KeptRuns => {
    const runs = sizes.map((size, index) => ({ index, name: `S${index}`, kept: { text: 'é'.repeat(size) }, hasFailed: false }));
    return { runs: runs as unknown as KeptRuns['runs'], currentStrategy: 0 };
  };
  const states = keptTexts(engineOf(80_000, 86_000));
  const body = { atMs: 1, whole: true, states, draws: [0, 0], due: [], started: [true, true] };
  expect(lineOf(1, 1, 'KEPT', body, 0).text.length).toBeGreaterThan(990_000);
  const tooLong = engineOf(20_000, 90_000, 70_000);
  expect(() => keptTexts(tooLong)).toThrow(/^S1: keep: 5400\d\d characters in the journal; all strategies together may keep 1000000$/);
  expect(tooLong.currentStrategy).toBe(1);
  expect(() => checkKept('Test', { text: '"'.repeat(600_000) })).toThrow('Test: keep: 2400');
});

test('keep() throws for a list with a hole', () => {
  const list = [1, 2, 3];
  Reflect.deleteProperty(list, 1);
  expect(() => keptText('Test', { list })).toThrow('keep.list[1]: expected');
});

test('numbers that JSON lacks are written exactly', () => {
  expect(keptText('Test', { a: NaN, b: -Infinity, c: -0, d: 1e300, e: [null, true, 'x'] })).toBe(
    '{"a":{"$number":"NaN"},"b":{"$number":"-Infinity"},"c":{"$number":"-0"},"d":1e+300,"e":[null,true,"x"]}',
  );
});

const NO_RUNS = { runs: [], timers: new Timers(), currentStrategy: 0, risk: { limits: {} } };
const EMPTY_POINT = { states: [], draws: [], due: [], started: [] };

test('a point is not used if a limit counts what happened before it, or if a field holds a part of the kept state', () => {
  expect(pointProblem({ ...NO_RUNS, risk: { limits: { maxOrderQty: '1' } } }, EMPTY_POINT)).toBeNull();
  expect(pointProblem({ ...NO_RUNS, risk: { limits: { maxLossStreak: 3 } } }, EMPTY_POINT)).toBe(
    'risk.maxLossStreak also counts what happened before it',
  );
  const kept = { levels: { low: [1] } };
  const runOf = (instance: object) => ({ kept, instance, name: 'Test', draws: 0 }) as unknown as ResumingRuns['runs'][number];
  const problemOf = (instance: object) => pointProblem({ ...NO_RUNS, runs: [runOf(instance)] }, { ...EMPTY_POINT, states: ['{}'] });
  expect(problemOf({ state: kept, own: [1] })).toBeNull();
  expect(problemOf({ state: kept, low: kept.levels.low })).toBe("the field 'low' of Test is a part of the kept state");
});

test('a point at which more timers waited than the constructor registers says which these may be', () => {
  const timers = new Timers();
  const point = { states: [], draws: [], due: [1_700_000_000_000], started: [] };
  expect(pointProblem({ ...NO_RUNS, timers }, point)).toBe('timers were registered after construction, or a closeAt waits');
  timers.every(0, 60_000, () => {}, 0);
  expect(pointProblem({ ...NO_RUNS, timers }, point)).toBeNull();
});

test('the journal alone does not restore an engine while stops are set aside for an exit', () => {
  const isRecorded = (count: number): boolean => {
    const orders = { active: () => [], drafts: { waiting: [] } };
    const bracketManager = { hasWaitingStops: false, hasPendingTargets: false };
    const work = { runs: [], currentStrategy: 0, orders, followUps: 0, brackets: { aside: { count } }, bracketManager };
    return isFullyRecorded(work as unknown as OpenWork);
  };
  expect([isRecorded(0), isRecorded(1)]).toEqual([true, false]);
});
