// Tests the halts of each scope: which orders they stop, and how they end.

import { describe, expect, test } from 'vitest';
import { RiskFixture } from '../../../test/fixtures/riskFixture.ts';
import type { HaltState, Scope } from './halts.ts';

const SCOPES: readonly Scope[] = [
  { kind: 'account' },
  { kind: 'market', market: 'spot' },
  { kind: 'symbol', instrument: 0 },
  { kind: 'strategy', strategy: 0 },
];

describe.each(SCOPES)('$kind', (scope) => {
  const fixtureWithHalt = (state: HaltState) => {
    const fixture = new RiskFixture();
    fixture.hold(50);
    fixture.risk.halts.raise(scope, state, 'OPERATOR', 'by hand', 5);
    return fixture;
  };
  test('HALT_NEW stops new risk, and passes an order only if it reduces the position after any fills of open orders', () => {
    const fixture = fixtureWithHalt('HALT_NEW');
    expect(fixture.code({ lots: 5 })).toBe('OPERATOR');
    expect(fixture.risk.detail()).toBe(`HALT_NEW on the ${scope.kind}: by hand`);
    expect(fixture.code({ lots: 30, side: 'sell' })).toBeNull();
    expect(fixture.code({ lots: 21, side: 'sell' })).toBe('OPERATOR');
    expect(fixture.code({ lots: 20, side: 'sell' })).toBeNull();
  });
  test.each(['CANCEL_ONLY', 'KILLED'] as const)('%s stops every order', (state) => {
    expect(fixtureWithHalt(state).code({ lots: 5, side: 'sell' })).toBe('OPERATOR');
  });
  test('a halt of one scope does not affect the others', () => {
    const fixture = fixtureWithHalt('KILLED');
    const orderElsewhere = { lots: 5, strategy: 1, instrumentIndex: 1 };
    expect(fixture.code(orderElsewhere)).toBe(scope.kind === 'symbol' || scope.kind === 'strategy' ? null : 'OPERATOR');
  });
  test('a halt ends when its cause is cleared', () => {
    const fixture = fixtureWithHalt('KILLED');
    expect(fixture.risk.resume(scope, 'OTHER', 'me', 6)).toBe(false);
    expect(fixture.risk.resume(scope, 'OPERATOR', 'me', 6)).toBe(true);
    expect(fixture.code({ lots: 5 })).toBeNull();
    expect(fixture.risk.halts.changes().map(({ isRaised, timeMs, why }) => [isRaised, timeMs, why])).toEqual([
      [true, 5, 'by hand'],
      [false, 6, 'cleared by me'],
    ]);
  });
});

test('the halt board reports each change and stores the newest 1,000', () => {
  const { halts } = new RiskFixture().risk;
  const reported: number[] = [];
  halts.onChange = ({ timeMs }) => void reported.push(timeMs);
  for (let round = 0; round < 600; round++) {
    halts.raise({ kind: 'account' }, 'HALT_NEW', 'OPERATOR', 'by hand', 2 * round);
    halts.clear({ kind: 'account' }, 'OPERATOR', 'me', 2 * round + 1);
  }
  expect([reported.length, halts.changes().length, halts.changes()[0]!.timeMs, halts.hasAny]).toEqual([1200, 1000, 200, false]);
});

test('the oldest of the most severe causes gives the code, and clearing a cause leaves the others', () => {
  const fixture = new RiskFixture();
  const { halts } = fixture.risk;
  const account: Scope = { kind: 'account' };
  halts.raise(account, 'HALT_NEW', 'GAP', 'a gap', 1);
  halts.raise({ kind: 'symbol', instrument: 0 }, 'KILLED', 'B', 'late', 9);
  halts.raise({ kind: 'strategy', strategy: 0 }, 'KILLED', 'C', 'early', 8);
  const codes = () => [
    fixture.code({ lots: 5 }),
    fixture.code({ lots: 5, strategy: 1 }),
    fixture.code({ lots: 5, strategy: 1, instrumentIndex: 1 }),
  ];
  expect(codes()).toEqual(['C', 'B', 'GAP']);
  halts.clear({ kind: 'strategy', strategy: 0 }, 'C', 'over', 10);
  expect(codes()).toEqual(['B', 'B', 'GAP']);
  halts.clear({ kind: 'symbol', instrument: 0 }, 'B', 'over', 11);
  expect(codes()).toEqual(['GAP', 'GAP', 'GAP']);
  halts.clear(account, 'GAP', 'over', 12);
  expect(codes()).toEqual([null, null, null]);
});

test('a cause that is raised again stays one cause, and may become more severe', () => {
  const fixture = new RiskFixture();
  fixture.risk.haltInstrument(0, 'UNKNOWN', 1);
  fixture.risk.haltInstrument(0, 'UNKNOWN', 2);
  fixture.risk.halts.raise({ kind: 'symbol', instrument: 0 }, 'CANCEL_ONLY', 'UNKNOWN', 'worse', 3);
  expect(fixture.risk.halts.causes()).toMatchObject([{ state: 'CANCEL_ONLY', sinceMs: 1 }]);
  expect(fixture.code({ lots: 5 })).toBe('UNKNOWN');
  fixture.risk.clearInstrumentHalt(0, 'UNKNOWN', 4);
  fixture.risk.clearInstrumentHalt(0, 'UNKNOWN', 5);
  expect(fixture.risk.halts.hasAny).toBe(false);
  expect(fixture.risk.halts.changes()).toHaveLength(3);
});

test('a halt stops a market only if it covers the market or the account', () => {
  const fixture = new RiskFixture();
  fixture.risk.halts.raise({ kind: 'market', market: 'futures' }, 'KILLED', 'OPERATOR', 'by hand', 5);
  expect([fixture.code({ lots: 5 }), fixture.risk.halts.stateOf(0, 0)]).toEqual([null, 'RUN']);
  fixture.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'OPERATOR', 'by hand', 6);
  expect([fixture.code({ lots: 5 }), fixture.risk.halts.stateOf(0, 0)]).toEqual(['OPERATOR', 'HALT_NEW']);
});

test('a reason contains the earlier ones until the operator clears the cause', () => {
  const { risk } = new RiskFixture();
  const { halts } = risk;
  const account: Scope = { kind: 'account' };
  const raise = (reason: string): string | undefined => {
    halts.raise(account, 'HALT_NEW', 'POST_TRADE', halts.withEarlier(account, 'POST_TRADE', reason), 5, true);
    return halts.causes()[0]?.why;
  };
  expect(raise('order 1: filled after its end')).toBe('order 1: filled after its end');
  expect(raise('order 11: filled after its end')).toBe('order 11: filled after its end; before: order 1: filled after its end');
  expect(raise('order 1: filled after its end')).toBe('order 11: filled after its end; before: order 1: filled after its end');
  for (let id = 100; id < 2000; id++) raise(`order ${id}: filled after its end`);
  expect(halts.causes()[0]!.why).toHaveLength(10_000);
  risk.resume(account, 'POST_TRADE', 'me', 6);
  expect(raise('order 2000: filled after its end')).toBe('order 2000: filled after its end');
});
