// Tests the comparison of two runs: any single change is found at its earliest place, and equal runs have no difference.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstDifference, type Row, type Tables } from './tables.ts';

// Random tables. The ranges are small, so that equal rows and equal times occur.
const order = fc.record({ id: fc.nat(9), decidedMs: fc.nat(99), lots: fc.nat(9), ending: fc.constantFrom('filled', 'canceled') });
const fill = fc.record({ timeMs: fc.nat(99), order: fc.nat(9), price: fc.nat(99), lots: fc.nat(9) });
const balance = fc.record({ asset: fc.constantFrom('USDT', 'BTC'), units: fc.nat() });
const tables: fc.Arbitrary<Tables> = fc.record({
  orders: fc
    .array(order, { minLength: 1, maxLength: 6 })
    .map((rows) => rows.toSorted((first, second) => first.decidedMs - second.decidedMs)),
  fills: fc.array(fill, { minLength: 1, maxLength: 6 }).map((rows) => rows.toSorted((first, second) => first.timeMs - second.timeMs)),
  books: fc.array(balance, { minLength: 1, maxLength: 2 }),
  balances: fc.array(balance, { minLength: 1, maxLength: 2 }),
});

it('a run and its copy have no difference', () => {
  fc.assert(
    fc.property(tables, (run) => {
      expect(firstDifference(run, structuredClone(run))).toBeNull();
    }),
  );
});

it('a change of any one value is reported with its place and both values', () => {
  fc.assert(
    fc.property(
      tables,
      fc.constantFrom<(keyof Tables)[]>('orders', 'fills', 'books', 'balances'),
      fc.nat(),
      fc.nat(),
      (run, table, rowDraw, fieldDraw) => {
        const row = rowDraw % run[table].length;
        const original = run[table][row]!;
        const field = Object.keys(original)[fieldDraw % Object.keys(original).length]!;
        const changed: Row = { ...original, [field]: 'changed' };
        const changedRun: Tables = { ...run, [table]: run[table].with(row, changed) };
        expect(firstDifference(run, changedRun)).toEqual({ table, row, field, backtest: original[field], live: 'changed' });
      },
    ),
  );
});

it('a row that only one run has is reported, with null for the other run', () => {
  fc.assert(
    fc.property(tables, fc.constantFrom<(keyof Tables)[]>('orders', 'fills', 'books', 'balances'), (run, table) => {
      const shorter: Tables = { ...run, [table]: run[table].slice(0, -1) };
      const row = run[table].length - 1;
      expect(firstDifference(run, shorter)).toEqual({ table, row, field: null, backtest: run[table][row], live: null });
      expect(firstDifference(shorter, run)).toEqual({ table, row, field: null, backtest: null, live: run[table][row] });
    }),
  );
});

it('of several differences, the earliest is returned', () => {
  // A fill at another price comes before the order that follows from it.
  const run: Tables = {
    orders: [{ id: 1, decidedMs: 10 }, { id: 2, decidedMs: 30 }],
    fills: [{ timeMs: 20, price: 100 }],
    books: [{ asset: 'USDT', units: 1 }],
    balances: [{ asset: 'USDT', units: 1 }],
  }; // prettier-ignore
  const changedRun: Tables = { ...run, orders: [run.orders[0]!, { id: 2, decidedMs: 31 }], fills: [{ timeMs: 20, price: 101 }] };
  expect(firstDifference(run, changedRun)).toMatchObject({ table: 'fills', field: 'price', backtest: 100, live: 101 });
});
