// Tests the explanation of an order: the same first denial as the check, figures for every rule, and no change of state.

import { expect, test } from 'vitest';
import { RiskFixture, USDT } from '../../test/fixtures/riskFixture.ts';
import type { DraftTerms } from '../../test/fixtures/drafts.ts';
import { seededRng } from '../base/number/rng.ts';
import { denialFiguresOf } from './figures.ts';
import type { RiskLimits } from './limits/limits.ts';
import { PAIRED_RULES } from './rules.ts';

const ALL_LIMITS: RiskLimits = {
  maxOrderQty: '0.08',
  maxOrderNotional: '70',
  maxPositionQty: '0.1',
  maxPositionNotional: '95',
  maxGrossNotional: '120',
  maxLeverage: '1.1',
  maxConcentration: '0.9',
  maxOpenOrders: 3,
  maxOpenOrdersTotal: 5,
  priceBand: '0.1',
  maxOrdersPerMinute: 12,
  duplicateMs: 500,
  selfTrade: 'deny',
  parent: 'deny',
  restricted: '23:00-23:30',
};

test('the explanation of a random order has the first denial of the check and figures for each rule, and changes nothing', () => {
  const codes = new Map<string | null, number>();
  for (let seed = 1; seed <= 40; seed++) {
    const rng = seededRng(seed);
    // Each run has a random part of the limits, because with all of them the first rules would hide the others.
    const limits = Object.fromEntries(Object.entries(ALL_LIMITS).filter(() => rng.next() < 0.35)) as RiskLimits;
    const explained = new RiskFixture(limits);
    const unexplained = new RiskFixture(limits);
    for (let step = 0; step < 40; step++) {
      const terms: DraftTerms = {
        side: rng.next() < 0.7 ? 'buy' : 'sell',
        ...(rng.next() < 0.2 ? { quoteUnits: Math.floor(rng.next() * 90 * USDT), lots: 0, side: 'buy' as const } : { lots: Math.floor(rng.next() * 100) }),
        limit: rng.next() < 0.4 ? 0 : 850 + Math.floor(rng.next() * 300),
        strategy: rng.next() < 0.5 ? 0 : 1,
        instrumentIndex: rng.next() < 0.5 ? 0 : 1,
        reduceOnly: rng.next() < 0.1,
      }; // prettier-ignore
      const order = { ...terms, limit: terms.quoteUnits === undefined ? terms.limit! : 0 };
      for (const fixture of [explained, unexplained]) fixture.nowMs += 1000;
      const verdicts = explained.risk.explain(explained.draft(order), explained.nowMs, explained.marks[order.instrumentIndex!]!);
      const firstDenial = verdicts.find(({ verdict }) => verdict === 'denied')?.code ?? null;
      const code = explained.code(order);
      expect(firstDenial, `seed ${seed}, step ${step}, ${JSON.stringify(order)}`).toBe(code);
      expect(unexplained.code(order), `seed ${seed}, step ${step}`).toBe(code);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      for (const { code: rule, asked: askedFigure, limit, verdict, detail } of verdicts) {
        expect(askedFigure, `seed ${seed}, step ${step}, ${rule}`).not.toBe('');
        expect(limit, `seed ${seed}, step ${step}, ${rule}`).not.toBe('');
        if (verdict === 'denied' && rule !== 'BAD_INPUT') expect(detail, rule).not.toBe('');
      }
    }
  }
  expect(codes.size).toBeGreaterThan(10);
});

test('every rule on orders has figures for the explanation', () => {
  const fixture = new RiskFixture();
  const order = fixture.draft({ lots: 5 });
  const state = Reflect.get(fixture.risk, 'state') as Parameters<typeof denialFiguresOf>[2];
  const missing = PAIRED_RULES.flatMap((rule) => {
    if (rule.kind !== 'order') return [];
    try {
      return denialFiguresOf(rule.code, order, state) === null ? [rule.code] : [];
    } catch {
      // A limit that is not set has no figure.
      return [];
    }
  });
  expect(missing).toEqual([]);
});
