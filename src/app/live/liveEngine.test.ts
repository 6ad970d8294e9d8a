// Limits of a live bot that hold where its config does not name them.

import { expect, it } from 'vitest';
import { withDefaults } from './liveEngine.ts';

it('an account that is unseen for 30 s takes no new risk, unless the config names another limit', () => {
  expect(withDefaults({ maxOpenOrders: 5 }, 1)).toEqual({ maxOpenOrders: 5, maxAuditAgeMs: 30_000 });
  expect(withDefaults({ maxAuditAgeMs: 60_000 }, 1)).toEqual({ maxAuditAgeMs: 60_000 });
  expect(withDefaults({}, 2)).toEqual({ maxAuditAgeMs: 60_000 });
  expect(withDefaults({}, 60)).toEqual({ maxAuditAgeMs: 1_000_000 });
});
