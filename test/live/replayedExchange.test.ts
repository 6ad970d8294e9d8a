// Tests a live bot on a paper exchange that replays bars of the past: its clock is far behind that of the computer and of the catalog.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { generateInto } from '../../src/adapters/catalog/generate/generateInto.ts';
import { demoKey } from '../../src/paperExchange/process/demo.ts';
import { readExchange } from '../../src/paperExchange/process/file/readExchange.ts';
import { Strategy } from '../../src/index.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

const SPEED = 60;
const folder = mkdtempSync(join(tmpdir(), 'isobar-replayed-'));
let fixture: LiveFixture;
afterEach(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true });
});

/** Buys at one bar and sells at the next. NEWUSDT is listed later than the exchange opens. */
class Flip extends Strategy {
  coins = this.feeds('coins');
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

/** Opens an exchange that replays bars of the past. */
async function openReplayed(): Promise<LiveFixture> {
  const data = join(folder, 'data');
  const fromMs = Date.UTC(2025, 0, 1);
  generateInto(data, { symbol: 'OLDUSDT', interval: '1m', fromMs, bars: 2000, seed: 3 });
  generateInto(data, { symbol: 'NEWUSDT', interval: '1m', fromMs: fromMs + 86_400_000, bars: 500, seed: 4 });
  const { apiKey, secret } = demoKey(1);
  for (const [name, text] of Object.entries({ key: apiKey, secret })) writeFileSync(join(folder, name), text, { mode: 0o600 });
  const pair = (base: string) =>
    `  - { symbol: ${base}USDT, base: ${base}, quote: USDT, priceDigits: 2, quantityDigits: 8,
        prices: { catalog: data, interval: 1m, from: 2025-01-01T10:00, match: bars } }\n`;
  const file = join(folder, 'exchange.yaml');
  const keys = '[{ keyFile: key, secretFile: secret, read: true, trade: true, markets: [spot] }]';
  const text = `instruments:\n${pair('OLD')}${pair('NEW')}accounts:\n  - { name: one, uid: 10001, balances: { USDT: '100000' }, keys: ${keys} }\n`;
  writeFileSync(file, text);
  return LiveFixture.open(SPEED, readExchange(file, { profileFile: null, speed: SPEED }));
}

test('a bot in the past books its fills after a restart, and waits for no bar of a symbol that is listed later', async () => {
  fixture = await openReplayed();
  const config = () =>
    fixture.config(`strategy: flip.ts
feeds: { bars: { symbol: OLDUSDT, interval: 1m }, coins: { symbols: [OLDUSDT, NEWUSDT], interval: 1m } }
catalog: ${join(folder, 'data')}
cash: { USDT: '10000' }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`);
  const failWithLog = (error: unknown): never => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  };
  const firstRun = await fixture.open(config(), [Flip]);
  firstRun.bot.start();
  await until(() => firstRun.bot.fills.length >= 2, 60_000, 'two fills').catch(failWithLog);
  await stopAndClose(firstRun);
  const secondRun = await fixture.open(config(), [Flip]);
  secondRun.bot.start();
  await until(() => secondRun.bot.fills.length >= 2, 60_000, 'two more fills').catch(failWithLog);
  expect(secondRun.bot.auditState.result).toBe('ok');
  await stopAndClose(secondRun);
  expect(fixture.broken).toEqual([]);
  expect(fixture.lines.join('')).toContain('NEWUSDT 1m: the exchange has no bars yet; the feed begins with its first bar');
  expect(fixture.lines.filter((line) => line.includes('NEWUSDT') && line.includes('did not come'))).toEqual([]);
}, 600_000);
