// Tests the risk rules of a live bot: within its limits it trades, a violated rule halts it, and losses survive a restart.

import { afterEach, expect, test } from 'vitest';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Buys and sells in turn at each bar. */
class Flip extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

/** Returns the config of a bot with these risk limits. */
const configText = (risk: string) => `strategy: flip.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
risk: ${risk}
`;
const WIDE_LIMITS =
  "{ maxAuditAgeMs: 300000, maxClockErrorMs: 5000, maxBarAge: '5', maxUnknown: 3, maxFillsPerMinute: 50, maxRejectsPerMinute: 10, " +
  "maxLossStreak: 50, duplicateMs: 2000, selfTrade: deny, parent: deny, maxConcentration: '1', maxDrawdown: '0.5', maxDailyLoss: '0.4' }";

test('a bot within its limits trades without a halt, and the base of its loss rules survives a restart', async () => {
  fixture = await LiveFixture.open(30);
  const firstBot = await fixture.open(fixture.config(configText(WIDE_LIMITS)), [Flip]);
  firstBot.bot.start();
  await until(() => firstBot.bot.fills.length >= 2, 60_000, 'two fills');
  const { risk } = firstBot.bot.deps.engine;
  expect(risk.halts.causes()).toEqual([]);
  expect(risk.rulesOn()).toContain('STALE_ACCOUNT');
  await stopAndClose(firstBot);
  const secondBot = await fixture.open(fixture.config(configText(WIDE_LIMITS)), [Flip]);
  expect(secondBot.bot.deps.engine.risk.snapshot()).toEqual(risk.snapshot());
  await stopAndClose(secondBot);
});

test('an audit that is older than its limit halts the account', async () => {
  fixture = await LiveFixture.open(30);
  const { bot, ...opened } = await fixture.open(fixture.config(configText('{ maxAuditAgeMs: 1 }')), [Flip]);
  bot.start();
  await until(() => bot.deps.engine.risk.halts.causes().some(({ code }) => code === 'STALE_ACCOUNT'), 60_000, 'the halt');
  await until(() => fixture.lines.some((line) => line.includes('STALE_ACCOUNT')), 60_000, 'its line in the log').catch(() => {});
  expect(bot.deps.engine.risk.halts.stateOf(0, 0)).not.toBe('RUN');
  await stopAndClose({ bot, ...opened });
});

test('the operator can make a limit tighter while the bot trades, and never wider', async () => {
  fixture = await LiveFixture.open(30);
  const opened = await fixture.open(fixture.config(configText("{ maxOrderQty: '1' }")), [Flip]);
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  const tighten = async (value: string) => (await control.tighten({ key: 'maxOrderQty', value, why: 'a test' }, 'me')).done;
  expect([await tighten('2'), await tighten('0.001'), await tighten('0.002'), await tighten('x')]).toEqual([false, true, false, false]);
  opened.bot.start();
  await until(() => fixture.lines.some((line) => line.includes('QTY_MAX')), 60_000, 'a denied order');
  expect(opened.bot.fills).toEqual([]);
  await stopAndClose(opened);
});

/** Buys once, and sells everything as soon as the test says so. */
class ExitsOnDemand extends Strategy {
  static exits = false;
  override onBar() {
    if (this.position().isFlat && !ExitsOnDemand.exits) this.buy({ base: '0.01' });
    else if (ExitsOnDemand.exits) this.exit();
  }
}

test.each(['isobar tighten', 'the config of the next start'])(
  'a limit on one order that becomes tighter than a position, by %s, does not keep the bot in it',
  async (how) => {
    ExitsOnDemand.exits = false;
    fixture = await LiveFixture.open(30);
    const isFlat = ({ bot }: Awaited<ReturnType<LiveFixture['open']>>): boolean => bot.deps.engine.ledger.qty(0, 0) === 0;
    let opened = await fixture.open(fixture.config(configText("{ maxOrderNotional: '5000' }")), [ExitsOnDemand]);
    opened.bot.start();
    await until(() => !isFlat(opened), 60_000, 'a position');
    if (how === 'isobar tighten') {
      const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
      expect(await control.tighten({ key: 'maxOrderNotional', value: '1', why: 'a test' }, 'me')).toMatchObject({ done: true });
    } else {
      await stopAndClose(opened);
      opened = await fixture.open(fixture.config(configText("{ maxOrderNotional: '1' }")), [ExitsOnDemand]);
      opened.bot.start();
    }
    ExitsOnDemand.exits = true;
    await until(() => isFlat(opened) || fixture.lines.some((line) => line.includes('NOTIONAL_MAX')), 60_000, 'the exit');
    expect(isFlat(opened)).toBe(true);
    await stopAndClose(opened);
  },
);
