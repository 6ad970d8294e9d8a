import { describe, expect, test } from 'vitest';
import { Desk } from '../../../test/fixtures/riskDesk.ts';
import type { HaltState, Scope } from './halts.ts';

const SCOPES: readonly Scope[] = [
  { kind: 'account' },
  { kind: 'market', market: 'spot' },
  { kind: 'symbol', instrument: 0 },
  { kind: 'strategy', strategy: 0 },
];

describe.each(SCOPES)('$kind', (scope) => {
  const halted = (state: HaltState) => {
    const desk = new Desk();
    desk.hold(50);
    desk.risk.halts.raise(scope, state, 'OPERATOR', 'by hand', 5);
    return desk;
  };
  test('HALT_NEW stops new risk and lets reductions pass, as far as they are that under every history', () => {
    const desk = halted('HALT_NEW');
    expect(desk.code({ lots: 5 })).toBe('OPERATOR');
    expect(desk.risk.detail()).toBe(`HALT_NEW on the ${scope.kind}: by hand`);
    expect(desk.code({ lots: 30, side: 'sell' })).toBeNull();
    expect(desk.code({ lots: 21, side: 'sell' })).toBe('OPERATOR');
    expect(desk.code({ lots: 20, side: 'sell' })).toBeNull();
  });
  test.each(['CANCEL_ONLY', 'KILLED'] as const)('%s stops every order', (state) => {
    expect(halted(state).code({ lots: 5, side: 'sell' })).toBe('OPERATOR');
  });
  test('others are not touched by it', () => {
    const desk = halted('KILLED');
    const elsewhere = { lots: 5, strategy: 1, instrumentIndex: 1 };
    expect(desk.code(elsewhere)).toBe(scope.kind === 'symbol' || scope.kind === 'strategy' ? null : 'OPERATOR');
  });
  test('ends when its cause is cleared', () => {
    const desk = halted('KILLED');
    expect(desk.risk.resume(scope, 'OTHER', 'me', 6)).toBe(false);
    expect(desk.risk.resume(scope, 'OPERATOR', 'me', 6)).toBe(true);
    expect(desk.code({ lots: 5 })).toBeNull();
    expect(desk.risk.halts.changes().map(({ isRaised, timeMs, why }) => [isRaised, timeMs, why])).toEqual([
      [true, 5, 'by hand'],
      [false, 6, 'cleared by me'],
    ]);
  });
});

test('a board that tells each change keeps the newest thousand', () => {
  const { halts } = new Desk().risk;
  const told: number[] = [];
  halts.onChange = ({ timeMs }) => void told.push(timeMs);
  for (let at = 0; at < 600; at++) {
    halts.raise({ kind: 'account' }, 'HALT_NEW', 'OPERATOR', 'by hand', 2 * at);
    halts.clear({ kind: 'account' }, 'OPERATOR', 'me', 2 * at + 1);
  }
  expect([told.length, halts.changes().length, halts.changes()[0]!.timeMs, halts.any]).toEqual([1200, 1000, 200, false]);
});

test('the most severe of several causes holds, its oldest gives the code, and clearing one clears no other', () => {
  const desk = new Desk();
  const { halts } = desk.risk;
  const account: Scope = { kind: 'account' };
  halts.raise(account, 'HALT_NEW', 'GAP', 'a gap', 1);
  halts.raise({ kind: 'symbol', instrument: 0 }, 'KILLED', 'B', 'late', 9);
  halts.raise({ kind: 'strategy', strategy: 0 }, 'KILLED', 'C', 'early', 8);
  const codes = () => [
    desk.code({ lots: 5 }),
    desk.code({ lots: 5, strategy: 1 }),
    desk.code({ lots: 5, strategy: 1, instrumentIndex: 1 }),
  ];
  expect(codes()).toEqual(['C', 'B', 'GAP']);
  halts.clear({ kind: 'strategy', strategy: 0 }, 'C', 'over', 10);
  expect(codes()).toEqual(['B', 'B', 'GAP']);
  halts.clear({ kind: 'symbol', instrument: 0 }, 'B', 'over', 11);
  expect(codes()).toEqual(['GAP', 'GAP', 'GAP']);
  halts.clear(account, 'GAP', 'over', 12);
  expect(codes()).toEqual([null, null, null]);
});

test('a cause that is raised again is one cause; it may become more severe', () => {
  const desk = new Desk();
  desk.risk.freeze(0, 'UNKNOWN', 1);
  desk.risk.freeze(0, 'UNKNOWN', 2);
  desk.risk.halts.raise({ kind: 'symbol', instrument: 0 }, 'CANCEL_ONLY', 'UNKNOWN', 'worse', 3);
  expect(desk.risk.halts.causes()).toMatchObject([{ state: 'CANCEL_ONLY', sinceMs: 1 }]);
  expect(desk.code({ lots: 5 })).toBe('UNKNOWN');
  desk.risk.thaw(0, 'UNKNOWN', 4);
  desk.risk.thaw(0, 'UNKNOWN', 5);
  expect(desk.risk.halts.any).toBe(false);
  expect(desk.risk.halts.changes()).toHaveLength(3);
});

test('a halt of one market is none of the other, and the account halts both', () => {
  const desk = new Desk();
  desk.risk.halts.raise({ kind: 'market', market: 'futures' }, 'KILLED', 'OPERATOR', 'by hand', 5);
  expect([desk.code({ lots: 5 }), desk.risk.halts.stateOf(0, 0)]).toEqual([null, 'RUN']);
  desk.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'OPERATOR', 'by hand', 6);
  expect([desk.code({ lots: 5 }), desk.risk.halts.stateOf(0, 0)]).toEqual(['OPERATOR', 'HALT_NEW']);
});
