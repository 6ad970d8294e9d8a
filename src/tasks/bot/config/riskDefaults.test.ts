// Limits of a live bot that hold where its config does not name them.

import { expect, it } from 'vitest';
import { checkAuditPeriod, withRiskDefaults } from './riskDefaults.ts';

it('an account that is unseen for 30 s takes no new risk, unless the config names another limit', () => {
  expect(withRiskDefaults({ maxOpenOrders: 5 }, 1)).toEqual({ maxOpenOrders: 5, maxAuditAgeMs: 30_000 });
  expect(withRiskDefaults({ maxAuditAgeMs: 60_000 }, 1)).toEqual({ maxAuditAgeMs: 60_000 });
  expect(withRiskDefaults({}, 2)).toEqual({ maxAuditAgeMs: 60_000 });
  expect(withRiskDefaults({}, 60)).toEqual({ maxAuditAgeMs: 1_000_000 });
});

it('audits that are rarer than the default age are a mistake of the config', () => {
  const check =
    (fastMs: number, risk = {}, timeScale = 1) =>
    () =>
      checkAuditPeriod(fastMs, risk, timeScale, 'bot.yaml:9 audit.fastMs');
  expect(check(29_999)).not.toThrow();
  expect(check(30_000)).toThrow('bot.yaml:9 audit.fastMs: expected less than risk.maxAuditAgeMs (30000 by default), got 30000');
  expect(check(30_000, { maxAuditAgeMs: 60_000 })).not.toThrow();
  expect(check(3000, { maxAuditAgeMs: 1 })).not.toThrow();
  expect(check(3000, {}, 30)).not.toThrow();
  expect(check(30_000, {}, 30)).toThrow('got 30000 (times timeScale 30)');
});
