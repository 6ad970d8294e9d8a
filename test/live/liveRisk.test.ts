// Risk rules of a live bot against the paper exchange: those that are kept let it trade, one that is broken halts it, losses are remembered.

import { afterEach, expect, test } from 'vitest';
import { LiveControl } from '../../src/tasks/bot/botControls.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopped, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

class Flip extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

const flip = (risk: string) => `strategy: flip.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
risk: ${risk}
`;
const KEPT =
  "{ maxAuditAgeMs: 300000, maxClockErrorMs: 5000, maxBarAge: '5', maxUnknown: 3, maxFillsPerMinute: 50, maxRejectsPerMinute: 10, " +
  "maxLossStreak: 50, duplicateMs: 2000, selfTrade: deny, parent: deny, maxConcentration: '1', maxDrawdown: '0.5', maxDailyLoss: '0.4' }";

test('a bot trades within its limits, and the base of a loss rule outlives the process', async () => {
  fixture = await LiveFixture.open(30);
  const first = await fixture.open(fixture.config(flip(KEPT)), [Flip]);
  first.bot.start();
  await until(() => first.bot.fills.length >= 2, 60_000, 'two fills');
  const { risk } = first.bot.deps.engine;
  expect(risk.halts.causes()).toEqual([]);
  expect(risk.rulesOn()).toContain('STALE_ACCOUNT');
  await stopped(first);
  const second = await fixture.open(fixture.config(flip(KEPT)), [Flip]);
  expect(second.bot.deps.engine.risk.snapshot()).toEqual(risk.snapshot());
  await stopped(second);
});

test('an audit that is too old for its limit halts the account, and the next order is refused with its code', async () => {
  fixture = await LiveFixture.open(30);
  const { bot, ...opened } = await fixture.open(fixture.config(flip('{ maxAuditAgeMs: 1 }')), [Flip]);
  bot.start();
  await until(() => bot.deps.engine.risk.halts.causes().some(({ code }) => code === 'STALE_ACCOUNT'), 60_000, 'the halt');
  await until(() => fixture.lines.some((line) => line.includes('STALE_ACCOUNT')), 60_000, 'its line in the log').catch(() => {});
  expect(bot.deps.engine.risk.halts.stateOf(0, 0)).not.toBe('RUN');
  await stopped({ bot, ...opened });
});

test('a person makes a limit tighter while it trades, and never wider', async () => {
  fixture = await LiveFixture.open(30);
  const opened = await fixture.open(fixture.config(flip("{ maxOrderQty: '1' }")), [Flip]);
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  const tighten = async (value: string) => (await control.tighten({ key: 'maxOrderQty', value, why: 'a test' }, 'me')).done;
  expect([await tighten('2'), await tighten('0.001'), await tighten('0.002'), await tighten('x')]).toEqual([false, true, false, false]);
  opened.bot.start();
  await until(() => fixture.lines.some((line) => line.includes('QTY_MAX')), 60_000, 'a refusal');
  expect(opened.bot.fills).toEqual([]);
  await stopped(opened);
});
