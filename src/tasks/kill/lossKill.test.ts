// Tests the kill at a loss: the figure of the rule decides, and an unknown equity counts as a loss.

import { expect, it } from 'vitest';
import { RiskFixture } from '../../../test/fixtures/riskFixture.ts';
import { LossKill } from './lossKill.ts';

it('the loss kill fires at one and a half times a loss limit, and when the equity is unknown', () => {
  const fixture = new RiskFixture({ maxDailyLoss: '0.02' });
  fixture.risk.begin(100_000, 19_000 * 86_400_000);
  let equity: () => number = () => NaN;
  const kill = new LossKill({ risk: fixture.risk, equityUnits: () => equity() });
  expect(kill.killReason()).toBeNull();
  equity = () => 97_001;
  expect(kill.killReason()).toBeNull();
  equity = () => 97_000;
  expect(kill.killReason()).toContain('DAILY_LOSS: equity of 0.00097 USDT');
  equity = () => NaN;
  expect(kill.killReason()).toContain('the equity is not known');
  equity = () => {
    throw new Error('a figure is missing');
  };
  expect(kill.killReason()).toContain('the equity is not known');
});
