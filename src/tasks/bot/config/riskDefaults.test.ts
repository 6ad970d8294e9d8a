// Tests the limits that a live bot has when its config does not name them.

import { expect, it } from 'vitest';
import { checkAuditPeriod, withRiskDefaults } from './riskDefaults.ts';

it('the default limit on the age of the last audit is 30 s, and the config may name another', () => {
  expect(withRiskDefaults({ maxOpenOrders: 5 }, 1)).toEqual({ maxOpenOrders: 5, maxAuditAgeMs: 30_000 });
  expect(withRiskDefaults({ maxAuditAgeMs: 60_000 }, 1)).toEqual({ maxAuditAgeMs: 60_000 });
  expect(withRiskDefaults({}, 2)).toEqual({ maxAuditAgeMs: 60_000 });
  expect(withRiskDefaults({}, 60)).toEqual({ maxAuditAgeMs: 1_000_000 });
});

it('an audit period at or above the default age limit is rejected', () => {
  const checkPeriod =
    (fastMs: number, risk = {}, timeScale = 1) =>
    () =>
      checkAuditPeriod(fastMs, risk, timeScale, 'bot.yaml:9 audit.fastMs');
  expect(checkPeriod(29_999)).not.toThrow();
  expect(checkPeriod(30_000)).toThrow('bot.yaml:9 audit.fastMs: expected less than risk.maxAuditAgeMs (30000 by default), got 30000');
  expect(checkPeriod(30_000, { maxAuditAgeMs: 60_000 })).not.toThrow();
  expect(checkPeriod(3000, { maxAuditAgeMs: 1 })).not.toThrow();
  expect(checkPeriod(3000, {}, 30)).not.toThrow();
  expect(checkPeriod(30_000, {}, 30)).toThrow('got 30000 (times timeScale 30)');
});
