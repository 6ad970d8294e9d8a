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

/** How much faster than real time the exchange replays bars and the bot waits. */
const SPEED = 60;
const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'isobar-replayed-'));
let fixture: LiveFixture;
afterEach(async () => {
  await fixture.close();
  rmSync(folder, { recursive: true });
});

/** Buys at one bar and sells at the next. Its second feed has NEWUSDT, which is listed after the exchange opens. */
class AlternatingTrader extends Strategy {
  coins = this.feeds('coins');
  override onBar() {
    if (this.position().isFlat) this.buy({ base: '0.01' });
    else this.exit();
  }
}

/** Opens an exchange that replays bars of January 2025: OLDUSDT from the start, NEWUSDT from the second day on. */
async function openReplayingExchange(): Promise<LiveFixture> {
  const catalogFolder = join(folder, 'data');
  const fromMs = Date.UTC(2025, 0, 1);
  generateInto(catalogFolder, { symbol: 'OLDUSDT', interval: '1m', fromMs, bars: 2000, seed: 3 });
  generateInto(catalogFolder, { symbol: 'NEWUSDT', interval: '1m', fromMs: fromMs + DAY_MS, bars: 500, seed: 4 });
  const { apiKey, secret } = demoKey(1);
  writeFileSync(join(folder, 'key'), apiKey, { mode: 0o600 });
  writeFileSync(join(folder, 'secret'), secret, { mode: 0o600 });
  const instrumentYaml = (base: string) =>
    `  - { symbol: ${base}USDT, base: ${base}, quote: USDT, priceDigits: 2, quantityDigits: 8,
        prices: { catalog: data, interval: 1m, from: 2025-01-01T10:00, match: bars } }\n`;
  const file = join(folder, 'exchange.yaml');
  const keys = '[{ keyFile: key, secretFile: secret, read: true, trade: true, markets: [spot] }]';
  const accountYaml = `  - { name: one, uid: 10001, balances: { USDT: '100000' }, keys: ${keys} }\n`;
  writeFileSync(file, `instruments:\n${instrumentYaml('OLD')}${instrumentYaml('NEW')}accounts:\n${accountYaml}`);
  return LiveFixture.open(SPEED, readExchange(file, { profileFile: null, speed: SPEED }));
}

test('on an exchange of old bars, a restarted bot books fills and does not wait for bars of an unlisted symbol', async () => {
  fixture = await openReplayingExchange();
  const config = () =>
    fixture.config(`strategy: alternatingTrader.ts
feeds: { bars: { symbol: OLDUSDT, interval: 1m }, coins: { symbols: [OLDUSDT, NEWUSDT], interval: 1m } }
catalog: ${join(folder, 'data')}
cash: { USDT: '10000' }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`);
  const failWithLog = (error: unknown): never => {
    throw new Error(`${String(error)}\n${fixture.lines.join('')}`);
  };
  const firstRun = await fixture.open(config(), [AlternatingTrader]);
  firstRun.bot.start();
  await until(() => firstRun.bot.fills.length >= 2, 60_000, 'two fills').catch(failWithLog);
  await stopAndClose(firstRun);
  const secondRun = await fixture.open(config(), [AlternatingTrader]);
  secondRun.bot.start();
  await until(() => secondRun.bot.fills.length >= 2, 60_000, 'two more fills').catch(failWithLog);
  expect(secondRun.bot.auditState.result).toBe('ok');
  await stopAndClose(secondRun);
  expect(fixture.broken).toEqual([]);
  expect(fixture.lines.join('')).toContain('NEWUSDT 1m: the exchange has no bars yet; the feed begins with its first bar');
  expect(fixture.lines.filter((line) => line.includes('NEWUSDT') && line.includes('did not come'))).toEqual([]);
}, 600_000);
