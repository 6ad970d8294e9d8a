// Tests a live bot in two-way mode, which holds a contract long and short at once: what is shown of it, and that a kill closes both sides.

import { afterEach, expect, test } from 'vitest';
import { LiveControl } from '../../src/tasks/bot/botControls.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, until } from './liveFixture.ts';

let fixture: LiveFixture;
afterEach(async () => fixture.close());

/** Opens the side that it does not hold yet. */
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
  const heldLots = (): readonly number[] => venue.wallets.openPositions(0).map(({ lots }) => lots);
  bot.start();
  await until(() => heldLots().length === 2 && bot.fills.length >= 2, 60_000, 'both positions').catch((error: unknown) => {
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
  expect(heldLots()).toEqual([]);
  await opened.close();
});
