// Tests `isobar parity` of a bot process with cash in two quote assets that was killed with -9: planted causes are named, and the bridge adds up.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { storeBars } from '../../src/adapters/catalog/bars/catalog.ts';
import { loadFeed } from '../../src/adapters/catalog/bars/loadFeed.ts';
import { SYNTHETIC } from '../../src/adapters/catalog/bars/barQuality.ts';
import { catalogStore } from '../../src/adapters/catalog/bars/barStore.ts';
import { generateInto } from '../../src/adapters/catalog/generate/generateInto.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import { demoKey } from '../../src/paperExchange/process/demo.ts';
import { readExchange } from '../../src/paperExchange/process/file/readExchange.ts';
import type { DivergenceReport } from '../../src/tasks/parity/divergences.ts';
import { isDecided, journalOf, netInUsdt } from '../divergence/twoQuoteNet.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { LiveFixture, until } from './liveFixture.ts';

const ENTRY = fileURLToPath(new URL('../../dist/tasks/bot/process/main.js', import.meta.url));
/** How much faster than real time the exchange replays bars and the bot waits. */
const SPEED = 60;
/** Time for which no process of the bot runs, in the time of the exchange, ms: five bars. */
const OUTAGE_MS = 300_000;
/** By how much the catalog revises the closes of BTCUSDT, in USDT. */
const REVISION = 60;
const FROM_MS = Date.UTC(2025, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'isobar-two-assets-'));

let fixture: LiveFixture;
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await fixture.close();
  rmSync(folder, { recursive: true });
});

const STRATEGY = `import { Strategy } from 'isobar';
export default class TwoAssets extends Strategy {
  barCount = 0;
  btc = this.feed('btc');
  eth = this.feed('eth');
  override onBar() {
    const barInCycle = this.barCount++ % 3;
    if (barInCycle === 0) this.buy({ equity: '0.2' }, { feed: this.eth });
    if (barInCycle === 1) this.buy({ quote: '5000' }, { feed: this.btc });
    if (barInCycle === 2) for (const feed of [this.eth, this.btc]) this.exit(feed);
  }
}
`;

/** The fee of the exchange is higher than that of the config, and it has slippage. */
const EXCHANGE = `instruments:
  - { symbol: BTCUSDT, base: BTC, quote: USDT, priceDigits: 2, quantityDigits: 5, takerFee: '0.0015', prices: { catalog: data, interval: 1m, from: 2025-01-01T10:00, match: bars } }
  - { symbol: ETHBTC, base: ETH, quote: BTC, priceDigits: 8, quantityDigits: 5, takerFee: '0.0015', prices: { catalog: data, interval: 1m, from: 2025-01-01T10:00, match: bars } }
accounts:
  - { name: one, uid: 10001, balances: { USDT: '50000', BTC: '1' }, keys: [{ keyFile: key, secretFile: secret, read: true, trade: true, markets: [spot] }] }
fills: { slippage: '0.002', graceMs: 40000 }
`;

const CONFIG = `strategy: ${join(folder, 'twoAssets.ts')}
catalog: ${join(folder, 'data')}
feeds: { btc: { symbol: BTCUSDT, interval: 1m }, eth: { symbol: ETHBTC, interval: 1m } }
cash: { USDT: '50000', BTC: '1' }
convert: { BTC: BTCUSDT }
fees: { maker: '0.001', taker: '0.001' }
bars: { graceMs: 60000, delayMs: 100, spreadMs: 100 }
`;

/** A bot process. */
interface RunningBot {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly ended: Promise<number | null>;
}
/** Starts the bot. */
function start(): RunningBot {
  const child = spawn(process.execPath, [ENTRY, join(fixture.folder, 'bot.yaml'), '--plain'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: join(fixture.folder, 'state') },
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  return { child, text: () => text, ended: new Promise((resolve) => child.on('exit', (code) => resolve(code))) };
}
const fillCount = (bot: RunningBot): number => bot.text().match(/: (bought|sold) \d/g)?.length ?? 0;
/** Waits until the bot has this many fills. */
async function untilFilled(bot: RunningBot, fills: number): Promise<void> {
  await until(() => fillCount(bot) >= fills, 120_000, `${fills} fills`).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${bot.text()}`);
  });
}

test(
  'a killed bot with cash in two quote assets: parity names fill model, fee, restart and data revision, and its bridge adds up',
  { timeout: 900_000 },
  async () => {
    const catalog = join(folder, 'data');
    for (const [symbol, price, seed] of [
      ['BTCUSDT', 60_000, 3],
      ['ETHBTC', 0.05, 4],
    ] as const)
      // prettier-ignore
      generateInto(catalog, { symbol, interval: '1m', fromMs: FROM_MS, bars: 2000, seed, price });
    const { apiKey, secret } = demoKey(1);
    for (const [name, text] of Object.entries({ key: apiKey, secret })) writeFileSync(join(folder, name), text, { mode: 0o600 });
    writeFileSync(join(folder, 'exchange.yaml'), EXCHANGE);
    writeFileSync(join(folder, 'twoAssets.ts'), STRATEGY);
    fixture = await LiveFixture.open(SPEED, readExchange(join(folder, 'exchange.yaml'), { profileFile: null, speed: SPEED }));
    fixture.config(CONFIG);
    const killedBot = start();
    await untilFilled(killedBot, 5);
    killedBot.child.kill('SIGKILL');
    await killedBot.ended;
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS / SPEED));
    const nextBot = start();
    await untilFilled(nextBot, 5);
    nextBot.child.kill('SIGTERM');
    expect(await nextBot.ended, nextBot.text()).toBe(0);
    expect((await commandIn(fixture.folder, ['replay', 'bot'])).code).toBe(0);

    const key = { market: 'spot', symbol: 'BTCUSDT', interval: '1m' } as const;
    const { bars } = loadFeed(catalogStore(catalog), key);
    const records = journalOf(join(fixture.folder, 'bot'));
    const firstDecided = records.find(isDecided)!;
    const [, firstOpenMs = NaN] = firstDecided.bars!.find(([feed]) => feed === 0)!;
    const net = netInUsdt(records, { USDT: 50_000, BTC: 1 }, bars.close[bars.openMs.indexOf(firstOpenMs) - 1]!);
    const compare = async (): Promise<DivergenceReport> => {
      const { code, stdout, stderr } = await commandIn(fixture.folder, ['parity', 'bot', '--json']);
      expect([code, stderr]).toEqual([3, '']);
      return JSON.parse(stdout) as DivergenceReport;
    };
    const report = await compare();
    expect(report).toMatchObject({ residual: '0', net: { asset: 'USDT', live: net } });
    // A bar that closes while the bot starts comes too late for a decision.
    expect(['late bar', 'fill model']).toContain(report.cause);
    const planted = ['fill model', 'fee', 'restart'];
    const causes = report.bridge.map(({ cause }) => cause);
    expect(causes.filter((cause) => planted.includes(cause))).toEqual(planted);
    expect(causes).not.toContain('strategy not deterministic');
    const sum = (parts: readonly { readonly amount: string }[], backtest = report.net.backtest): string =>
      parts.reduce((total, { amount }) => total.plus(amount), new Decimal(backtest)).toFixed();
    expect(sum(report.bridge)).toBe(net);
    expect(sum([...report.trades, report.funding, report.held])).toBe(net);

    // The catalog revises the closes of the conversion from the first decision on.
    const firstRevised = bars.closeMs.indexOf(firstDecided.atMs!);
    const revisedCloses = bars.close.map((close, row) => (row >= firstRevised ? close + REVISION : close));
    storeBars(catalog, { ...bars, close: revisedCloses }, SYNTHETIC);
    const revised = await compare();
    expect(revised).toMatchObject({ residual: '0', net: { live: net } });
    expect(revised.bridge[0]!.cause).toBe('data revision');
    expect(sum(revised.bridge, revised.net.backtest)).toBe(net);
  },
);
