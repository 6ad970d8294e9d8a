// Tests a live bot in two-way mode, which holds a contract long and short at once: its view, audits by side, adoption, and a kill of both sides.

import { afterEach, expect, test } from 'vitest';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Holds the contract long and short: opens each side that it does not hold yet. */
class Hedge extends Strategy {
  override onBar() {
    const { long, short } = this.position();
    if (long.isZero()) this.buy({ base: '300' }, { tag: 'long' });
    if (short.isZero()) this.sell({ base: '300' }, { tag: 'short' });
  }
}

const CONFIG = `strategy: hedge.ts
market: futures
feeds: { bars: { symbol: E-BTC-USDT, interval: 1m } }
cash: { USDT: '10000' }
futures: { leverage: 3, positions: twoWay }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;

test('the view of a bot in two-way mode has both sides of a contract, and a kill closes both', async () => {
  fixture = await LiveFixture.open(60);
  const opened = await fixture.open(fixture.config(CONFIG), [Hedge]);
  const { bot } = opened;
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  const { venue } = fixture.exchange.service.sides.futures!;
  const lotsAtExchange = (): readonly number[] => venue.wallets.openPositions(0).map(({ lots }) => lots);
  bot.start();
  await until(() => lotsAtExchange().length === 2 && bot.fills.length >= 2, 60_000, 'both positions').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  });
  expect(control.view().positions).toMatchObject([
    { strategy: 'Hedge', side: 'long', qty: '300', base: 'contracts' },
    { strategy: 'Hedge', side: 'short', qty: '300', base: 'contracts' },
  ]);
  expect(Number(control.view().positions[1]!.entryPrice)).toBeGreaterThan(0);
  expect(await control.kill({ flatten: true, why: 'a test' }, 'me')).toMatchObject({ done: true });
  await until(() => control.view().kill?.phase === 'done', 60_000, 'the end of the kill');
  expect(control.view().kill?.residuals).toEqual([]);
  expect(lotsAtExchange()).toEqual([]);
  await opened.close();
});

test('after a change of both sides by hand, the view names each side until the operator resumes, also after a restart', async () => {
  fixture = await LiveFixture.open(60);
  const start = async () => {
    const opened = await fixture.open(fixture.config(CONFIG), [Hedge]);
    opened.bot.start();
    return { opened, control: new LiveControl({ ...opened, loopDelayP99Ms: () => null }) };
  };
  const firstRun = await start();
  const { venue } = fixture.exchange.service.sides.futures!;
  const lotsAtExchange = (): readonly number[] => venue.wallets.openPositions(0).map(({ lots }) => lots);
  await until(() => lotsAtExchange().length === 2 && firstRun.opened.bot.fills.length >= 2, 60_000, 'both positions');
  const auditedMs = (): number => firstRun.opened.bot.auditState.fastMs ?? 0;
  const lastAuditMs = auditedMs();
  await until(
    () => auditedMs() > lastAuditMs + 30_000 && firstRun.opened.bot.auditState.result === 'ok',
    60_000,
    'audits of both positions',
  );
  // A change by hand that no list of trades shows.
  for (const position of venue.wallets.openPositions(0)) Object.assign(position, { lots: position.lots - 100 });
  expect(lotsAtExchange()).toEqual([200, 200]);
  const messages = ({ control }: typeof firstRun): string =>
    control
      .view()
      .foreignOrders.map(({ message }) => message)
      .join('; ');
  const differenceText =
    'E-BTC-USDT: the long position is 200 lots, its trades make 300; E-BTC-USDT: the short position is 200 lots, its trades make 300';
  await until(() => messages(firstRun).includes(differenceText), 60_000, 'the difference');
  firstRun.opened.bot.driver.stop();
  await firstRun.opened.close();

  const secondRun = await start();
  await until(() => messages(secondRun).includes(differenceText), 60_000, 'the difference after a restart');
  expect(secondRun.opened.bot.deps.engine.risk.halts.causes().map(({ code }) => code)).toContain('MISMATCH');
  expect(await secondRun.control.resume({ scope: 'account', code: 'MISMATCH', why: 'closed by hand' }, 'me')).toMatchObject({ done: true });
  await until(() => secondRun.opened.bot.auditState.result === 'ok', 60_000, 'an audit that passes');
  expect(messages(secondRun)).toBe('');
  await stopAndClose(secondRun.opened);
});

test('of two manual closes, the adopted one closes the position in the books, and the ignored one is a position of the account', async () => {
  fixture = await LiveFixture.open(60);
  const opened = await fixture.open(fixture.config(CONFIG), [Hedge]);
  const { bot } = opened;
  const control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  bot.start();
  await until(() => bot.fills.length >= 2 && control.view().positions.length === 2, 60_000, 'both positions');
  /** Closes 100 contracts by hand, with a limit beyond the last price. Returns the venue order id. */
  const closeManually = async (side: 'BUY' | 'SELL'): Promise<string> => {
    const limitTicks = bot.deps.engine.lastTicks(0) * (side === 'BUY' ? 1.05 : 0.95);
    const price = (limitTicks / 10).toFixed(1);
    const outcome = await callAsPromise(
      bot.deps.exchange.ungated,
      'futures.createOrder',
      { contractName: 'E-BTC-USDT', side, type: 'LIMIT', open: 'CLOSE', positionType: 1, volume: '100', price },
      { timeoutMs: 60_000 },
    );
    if (outcome.kind !== 'acked') throw new Error(JSON.stringify(outcome));
    return outcome.value.orderId;
  };
  const adoptedId = await closeManually('SELL');
  const ignoredId = await closeManually('BUY');
  const isForeign = (venueId: string): boolean => control.view().foreignOrders.some(({ id }) => id === venueId);
  await until(() => isForeign(adoptedId) && isForeign(ignoredId), 60_000, 'both foreign orders');
  expect(await control.decide({ what: 'adopt', id: adoptedId, strategy: 'Hedge', why: 'mine' }, 'me')).toMatchObject({ done: true });
  expect(await control.decide({ what: 'ignore', id: ignoredId, why: 'not mine' }, 'me')).toMatchObject({ done: true });
  await until(() => bot.auditState.result === 'ok' && control.view().positions.length === 3, 60_000, 'an audit that passes');
  expect(control.view().positions).toMatchObject([
    { strategy: 'Hedge', side: 'long', qty: '200' },
    { strategy: 'Hedge', side: 'short', qty: '300' },
    { strategy: 'account', side: 'short', qty: '-100' },
  ]);
  await stopAndClose(opened);
});

test('a bot whose journal has a contract in net mode does not start in two-way mode: its fills would count on both sides', async () => {
  fixture = await LiveFixture.open(60);
  const netConfig = CONFIG.replace(', positions: twoWay', '');
  const opened = await fixture.open(fixture.config(netConfig), [Hedge]);
  opened.bot.start();
  await until(() => opened.bot.fills.length > 0, 60_000, 'a fill');
  await stopAndClose(opened);
  await expect(fixture.open(fixture.config(CONFIG), [Hedge])).rejects.toThrow(
    /futures\.positions: the journal in .* has E-BTC-USDT with net, the config has twoWay/,
  );
  await stopAndClose(await fixture.open(fixture.config(netConfig), [Hedge]));
});
