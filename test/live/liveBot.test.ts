// Tests a live bot on the paper exchange over HTTP: it trades on closed bars, stops, and continues where it stopped.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sma, Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Buys at one bar and sells at the next. */
class Flip extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

/** Needs more bars than the exchange has, so that its warm-up is incomplete. */
class NeedsLongWarmUp extends Flip {
  slow = this.use(sma(this.bars.close, 400));
}

/** Buys and sells in turn at each bar. */
class FlipContracts extends Strategy {
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '50' });
    else this.exit();
  }
}

/** Trades spot and futures together. */
class SpotAndFutures extends Strategy {
  spot = this.feed('spot');
  perp = this.feed('perp');
  override onBar() {
    if (!this.spot.fresh || !this.perp.fresh) return;
    if (this.position(this.spot).isFlat) this.buy({ base: '0.01' }, { feed: this.spot });
    if (this.position(this.perp).isFlat) this.sell({ base: '50' }, { feed: this.perp });
  }
}

/** Throws at its first bar. */
class ThrowsAtFirstBar extends Strategy {
  override onBar() {
    throw new Error('it is broken');
  }
}

/** Buys at its first bar, and holds. */
class BuysOnce extends Strategy {
  override onBar() {
    if (this.position().isFlat && this.openOrders().length === 0) this.buy({ base: '0.01' });
  }
}

/** Never trades. */
class Idle extends Strategy {
  override onBar() {}
}

/** Config of a spot bot on BTCUSDT. */
const FLIP = `strategy: flip.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;

test('a bot that is restarted has the same cash, position and orders, and continues to trade', async () => {
  fixture = await LiveFixture.open(60);
  const firstBot = await fixture.open(fixture.config(FLIP), [Flip]);
  firstBot.bot.start();
  await until(() => firstBot.bot.fills.length >= 3, 60_000, 'three fills').catch(fixture.failWithLog);
  await stopAndClose(firstBot);
  const engineBefore = firstBot.bot.deps.engine;
  const secondBot = await fixture.open(fixture.config(FLIP), [Flip]);
  const engineAfter = secondBot.bot.deps.engine;
  expect(engineAfter.ledger.cash(0)).toBe(engineBefore.ledger.cash(0));
  expect(engineAfter.ledger.lots(0, 0)).toBe(engineBefore.ledger.lots(0, 0));
  expect(engineAfter.orders.active().map(({ id }) => id)).toEqual(engineBefore.orders.active().map(({ id }) => id));
  secondBot.bot.start();
  await until(() => secondBot.bot.fills.length >= 2, 60_000, 'two more fills').catch(fixture.failWithLog);
  expect(secondBot.bot.auditState.result).toBe('ok');
  await stopAndClose(secondBot);
  expect(fixture.broken).toEqual([]);
});

test('a second bot with the same data folder is rejected', async () => {
  fixture = await LiveFixture.open(60);
  const firstBot = await fixture.open(fixture.config(FLIP), [Flip]);
  await expect(fixture.open(fixture.config(FLIP), [Flip])).rejects.toThrow('has the journal already');
  await stopAndClose(firstBot);
});

test('a bot whose capital differs from its journal does not start', async () => {
  fixture = await LiveFixture.open(60);
  await stopAndClose(await fixture.open(fixture.config(FLIP), [Flip]));
  await expect(fixture.open(fixture.config(FLIP.replace('10000', '9000')), [Flip])).rejects.toThrow('cash: the journal in');
});

test('a strategy that has traded keeps its place and what it has used of the capital, also when changes are accepted', async () => {
  fixture = await LiveFixture.open(60);
  const configOf = (strategies: string) => fixture.config(FLIP.replace('flip.ts', strategies));
  const first = await fixture.open(configOf('[buys.ts, idle.ts]'), [BuysOnce, Idle]);
  first.bot.start();
  await until(() => first.bot.fills.length >= 1, 60_000, 'a fill').catch(fixture.failWithLog);
  await stopAndClose(first);
  const accepted = { acceptChanges: true };
  const place = 'the journal has orders or halts of BuysOnce as number 1 of the strategies, got Idle there';
  await expect(fixture.open(configOf('[idle.ts, buys.ts]'), [Idle, BuysOnce], accepted)).rejects.toThrow(place);
  await expect(fixture.open(configOf('[idle.ts]'), [Idle], accepted)).rejects.toThrow(place);
  const sharesOf = (share: string, rest: string) => configOf(`[{ file: buys.ts, share: '${share}' }, { file: idle.ts, share: '${rest}' }]`);
  const used = /^strategy\.0\.share: with 0\.01 of the capital BuysOnce has -\d+\.\d+ USDT on spot/;
  await expect(fixture.open(sharesOf('0.01', '0.99'), [BuysOnce, Idle], accepted)).rejects.toThrow(used);
  await expect(fixture.open(sharesOf('0.4', '0.6'), [BuysOnce, Idle])).rejects.toThrow('the share of BuysOnce is 0.4, and was 0.5');
  await stopAndClose(await fixture.open(sharesOf('0.4', '0.6'), [BuysOnce, Idle], accepted));
});

test('a start with another interval of a feed is rejected with both intervals, and begins a new lifetime with acceptChanges', async () => {
  fixture = await LiveFixture.open(60);
  const firstBot = await fixture.open(fixture.config(FLIP), [Flip]);
  await stopAndClose(firstBot);
  const config = fixture.config(FLIP.replace('interval: 1m', 'interval: 5m'));
  await expect(fixture.open(config, [Flip])).rejects.toThrow(
    'expected the feeds of earlier starts (bars: spot BTCUSDT 1m), got bars: spot BTCUSDT 5m',
  );
  const nextBot = await fixture.open(config, [Flip], { acceptChanges: true });
  expect(nextBot.plan.feeds.map(({ bars }) => bars.interval)).toEqual(['5m']);
  await stopAndClose(nextBot);
}, 120_000);

test('a bot whose strategies get more than the account holds does not start', async () => {
  fixture = await LiveFixture.open(60);
  const opening = fixture.open(fixture.config(FLIP.replace('10000', '100001')), [Flip]);
  await expect(opening).rejects.toThrow('cash.USDT: the strategies are given 100001, the spot account holds 100000');
});

test('a symbol that the exchange does not list is reported with its place in the config', async () => {
  fixture = await LiveFixture.open(60);
  const opening = fixture.open(fixture.config(FLIP.replace('BTCUSDT', 'BTCUSD')), [Flip]);
  await expect(opening).rejects.toThrow(/bot\.yaml:\d+ feeds\.bars: the spot market of the exchange has no BTCUSD$/);
});

test('a strategy whose warm-up is not covered does not start, and the log names the missing bars', async () => {
  fixture = await LiveFixture.open(60);
  const opened = await fixture.open(fixture.config(FLIP), [NeedsLongWarmUp]);
  opened.bot.start();
  await until(() => opened.bot.deps.engine.feeds[0]!.bars.length > 301, 60_000, 'a bar').catch(fixture.failWithLog);
  expect(fixture.lines.join('')).toMatch(
    /NeedsLongWarmUp: does not start: NeedsLongWarmUp needs 400 bars of BTCUSDT 1m before it can begin; 1\d\d are missing, from /,
  );
  expect(opened.bot.deps.engine.runs[0]!.hasStarted).toBe(false);
  await stopAndClose(opened);
});

test('a bot on futures opens and closes positions in contracts, and its books agree with the exchange', async () => {
  fixture = await LiveFixture.open(60);
  const config = `strategy: flip.ts
market: futures
feeds: { bars: { symbol: E-BTC-USDT, interval: 1m } }
cash: { USDT: '10000' }
futures: { leverage: 3 }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;
  const opened = await fixture.open(fixture.config(config), [FlipContracts]);
  const { bot } = opened;
  bot.start();
  await until(() => bot.fills.length >= 2, 60_000, 'two fills').catch(fixture.failWithLog);
  await stopAndClose(opened);
  expect(bot.auditState.result).toBe('ok');
  expect(fixture.broken).toEqual([]);
  // The log counts contracts of 0.0001 BTC, not coins.
  expect(fixture.lines.join('')).toMatch(/buy \d+ contracts? of E-BTC-USDT[^]*bought \d+ contracts? at/);
});

test('a strategy that throws is stopped alone, and the other strategies continue', async () => {
  fixture = await LiveFixture.open(60);
  const bothStrategies = FLIP.replace('strategy: flip.ts', 'strategy: [flip.ts, broken.ts]');
  const opened = await fixture.open(fixture.config(bothStrategies), [Flip, ThrowsAtFirstBar]);
  const { bot } = opened;
  bot.start();
  await until(() => bot.fills.length >= 2, 60_000, 'two fills').catch(fixture.failWithLog);
  const { engine } = bot.deps;
  expect(engine.risk.halts.causes()).toMatchObject([{ scope: { kind: 'strategy' }, code: 'STRATEGY' }]);
  expect(engine.runs).toMatchObject([{ hasStarted: true }, { hasStarted: false }]);
  await stopAndClose(opened);
});

test('one bot trades spot and futures on two accounts, and both books agree', async () => {
  fixture = await LiveFixture.open(60);
  const config = `strategy: pair.ts
feeds:
  spot: { market: spot, symbol: BTCUSDT, interval: 1m }
  perp: { market: futures, symbol: E-BTC-USDT, interval: 1m }
cash: { spot: { USDT: '6000' }, futures: { USDT: '4000' } }
futures: { leverage: 3 }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;
  const opened = await fixture.open(fixture.config(config), [SpotAndFutures]);
  const { bot } = opened;
  bot.start();
  const hasTraded = (instrument: string) => bot.fills.some((fill) => fill.instrument === instrument);
  await until(() => hasTraded('spot:BTCUSDT') && hasTraded('futures:E-BTC-USDT'), 60_000, 'a fill on each').catch(fixture.failWithLog);
  await until(() => bot.auditState.result === 'ok', 5000, 'a clean audit').catch(fixture.failWithLog);
  await stopAndClose(opened);
  expect(fixture.broken).toEqual([]);
});

test('a bot that starts without the journal of its earlier trades takes no new risk until the operator resumes', async () => {
  fixture = await LiveFixture.open(60);
  const config = fixture.config(FLIP);
  const firstBot = await fixture.open(config, [Flip]);
  firstBot.bot.start();
  await until(() => firstBot.bot.fillCount > 0, 40_000, 'a fill').catch(fixture.failWithLog);
  await stopAndClose(firstBot);
  rmSync(join(config.data, 'journal'), { recursive: true });
  const secondBot = await fixture.open(config, [Flip]);
  const causes = () => secondBot.bot.deps.engine.risk.halts.causes();
  expect(causes()).toMatchObject([{ code: 'NO_JOURNAL', state: 'HALT_NEW', why: expect.stringContaining('BTCUSDT') }]);
  // The log names the halt at once, and does not say that the bot trades.
  expect(fixture.lines.at(-1)).toContain('HALT_NEW of account stands: the data folder has no journal');
  const firstTextCount = fixture.lines.filter((line) => line.includes('two audits were clean')).length;
  secondBot.bot.start();
  const startTexts = () => fixture.lines.filter((line) => line.includes('two audits were clean')).slice(firstTextCount);
  await until(() => startTexts().length > 0, 40_000, 'two clean audits').catch(fixture.failWithLog);
  expect(startTexts()[0]).toContain('two audits were clean: HALT_NEW of account stands (NO_JOURNAL, the data folder');
  await stopAndClose(secondBot);
  // The halt stays over a restart, and the operator clears it.
  const thirdBot = await fixture.open(config, [Flip]);
  const { halts } = thirdBot.bot.deps.engine.risk;
  expect(halts.causes().map(({ code }) => code)).toEqual(['NO_JOURNAL']);
  thirdBot.bot.driver.step(
    () => void thirdBot.bot.deps.engine.risk.resume({ kind: 'account' }, 'NO_JOURNAL', 'me: looked', thirdBot.bot.deps.venueMs()),
  );
  expect(halts.causes()).toEqual([]);
  await stopAndClose(thirdBot);
});
