// Tests live bots with cash in two quote assets: orders are paid in their own asset, a replay decides the same, and so does a backtest.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { JournalRecord } from '../../src/adapters/journal/records/records.ts';
import { Decimal } from '../../src/base/number/decimal.ts';
import { lots } from '../../src/base/brand.ts';
import { strategyPlanOf } from '../../src/definition/load/strategies.ts';
import { sma, Strategy } from '../../src/index.ts';
import { instrumentId, type Instrument } from '../../src/model/instrument.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { ConvertedLedger } from '../../src/portfolio/convertedLedger.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import type { LiveOptions } from '../../src/tasks/bot/openLiveBot.ts';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { coarser, spotInstrument, walkBars } from '../engine/backtestFixture.ts';
import { feedPlan, runPlan } from '../fixtures/runPlan.ts';
import { balancesOf } from '../parity/holdings.ts';
import { backtestOf, tablesOf } from '../parity/parity.ts';
import { exchangeOf, liveComparablePlan, writeBot } from '../parity/setUp.ts';
import { openSteppedBot } from '../parity/steppedBot.ts';
import { firstDifference } from '../parity/tables.ts';
import { RowWorld } from '../parity/world.ts';
import { LiveFixture, stopAndClose, until } from './liveFixture.ts';

let fixture: LiveFixture | null = null;
afterEach(async () => {
  await fixture?.close();
  fixture = null;
});

/** Buys and sells both coins in turn, for shares of an equity that counts both assets. */
class BothCoins extends Strategy {
  btc = this.feed('btc');
  eth = this.feed('eth');
  mean = this.use(sma(this.eth.close, 3));
  turns = this.keep({ count: 0 });

  override onBar() {
    if (!this.btc.fresh || !this.eth.fresh || !this.mean.ready) return;
    const isBuying = this.turns.count++ % 2 === 0;
    for (const feed of [this.btc, this.eth]) {
      if (isBuying && this.position(feed).isFlat) this.buy({ equity: '0.05' }, { feed });
      else this.exit(feed);
    }
    this.log('money', { equity: this.equity, btc: this.cashIn('BTC'), usdt: this.cashIn('USDT') });
  }
}

const ETHBTC: Instrument = {
  id: instrumentId('spot', 'ETHBTC'),
  market: 'spot',
  wireName: 'ETHBTC',
  base: 'ETH',
  quote: 'BTC',
  priceDigits: 5,
  quantityDigits: 3,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 1000,
  takerFeePpm: 1000,
};

/** Returns the settings of an exchange with pairs of two quote assets: BTCUSDT and ETHBTC. */
function settingsOfTwoQuotes() {
  const demo = demoSettings(1);
  const { service, prices } = demo;
  const instruments = [...service.instruments.filter(({ wireName }) => wireName !== 'ETHUSDT'), ETHBTC];
  const pricesById = new Map([...prices].filter(([id]) => id !== instrumentId('spot', 'ETHUSDT')));
  pricesById.set(ETHBTC.id, { kind: 'synthetic', price: '0.05', quantity: 30 });
  return { ...demo, service: { ...service, instruments }, prices: pricesById };
}

const CONFIG = `strategy: bothCoins.ts
feeds: { btc: { symbol: BTCUSDT, interval: 1m }, eth: { symbol: ETHBTC, interval: 1m } }
cash: { USDT: '50000', BTC: '0.9' }
convert: { BTC: BTCUSDT }
bars: { graceMs: 30000, delayMs: 100, spreadMs: 100 }
`;
/** Loads the class of this test in place of a strategy file. */
const load: LiveOptions['load'] = async (entry, source) => ({
  plan: strategyPlanOf(entry, { strategy: BothCoins, name: 'BothCoins', hash: 'BothCoins' }, source),
  inputs: [],
  folder: '.',
});

/** Units of the cash of both assets, which have eight decimals. */
const UNITS_PER_COIN = 1e8;

/** Runs the bot until it has this many more fills. Returns the cash of its books by asset. */
async function runUntilFilled(live: LiveFixture, fills: number): Promise<Readonly<Record<string, string>>> {
  const opened = await live.open(live.config(CONFIG), [BothCoins], { load });
  const { bot } = opened;
  writeBotFile(bot.deps.config.data, botFileOf(opened));
  bot.start();
  await until(() => bot.fillCount >= fills, 60_000, 'fills').catch((error: unknown) => {
    throw new Error(`${String(error)}\n${live.lines.join('')}`);
  });
  await stopAndClose(opened);
  const { ledger } = bot.deps.engine;
  if (!(ledger instanceof ConvertedLedger)) throw new Error('expected books of two quote assets');
  ledger.assertReconciled();
  return Object.fromEntries(
    ledger.accounts.map(({ cashAsset, cashTotal }) => [cashAsset, new Decimal(cashTotal).div(UNITS_PER_COIN).toFixed()]),
  );
}

test('a bot with cash in two quote assets pays each order in its own asset, over two starts, and a replay decides the same', async () => {
  fixture = await LiveFixture.open(60, settingsOfTwoQuotes());
  await runUntilFilled(fixture, 6);
  const cash = await runUntilFilled(fixture, 6);
  expect(fixture.lines.filter((line) => /MISMATCH|FEE_COIN|STRAY|MARGIN/.test(line))).toEqual([]);
  const dataFolder = join(fixture.folder, 'bot');
  const records = readdirSync(join(dataFolder, 'journal'))
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) =>
      readFileSync(join(dataFolder, 'journal', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as JournalRecord);
  // The cash of each asset, from the trades of the journal alone.
  const expected: Record<string, Decimal> = { USDT: new Decimal(50_000), BTC: new Decimal('0.9') };
  const symbols = new Set<string>();
  for (const record of records) {
    if (record.k !== 'FILL') continue;
    const quote = record.symbol === ETHBTC.id ? 'BTC' : 'USDT';
    const notional = new Decimal(record.notional);
    const paid = (record.side === 'buy' ? notional : notional.neg()).plus(record.feeCoin === quote ? record.fee : 0);
    expected[quote] = expected[quote]!.minus(paid);
    symbols.add(record.symbol);
  }
  expect(symbols).toEqual(new Set([instrumentId('spot', 'BTCUSDT'), ETHBTC.id]));
  expect(cash).toEqual({ USDT: expected['USDT']!.toFixed(), BTC: expected['BTC']!.toFixed() });
  expect((await replayFolder(dataFolder, { config: null, load })).difference).toBeNull();
});

/** Trades each symbol by its average. */
class Crosses extends Strategy {
  coinFeeds = ['btc', 'eth', 'sol'].map((name) => this.feed(name));
  means = this.coinFeeds.map((feed) => this.use(sma(feed.close, 5)));
  override onBar() {
    this.coinFeeds.forEach((feed, index) => {
      const isFlat = this.position(feed).isFlat;
      const isAbove = feed.bar.close > this.means[index]!.value;
      if (isFlat && isAbove && this.openOrders(feed).length === 0)
        this.buy({ equity: '0.1' }, index === 1 ? { feed, limit: feed.bar.close } : { feed, stopLoss: feed.bar.close * 0.99 });
      else if (!isFlat && !isAbove) this.exit(feed);
    });
  }
}

test('a bot with cash in two quote assets has the orders, fills and balances of its backtest', async () => {
  const btc = spotInstrument('BTC', { baseDigits: 8, quantityDigits: 5 });
  const sol = spotInstrument('SOL', { baseDigits: 8 });
  const prices = [{ instrument: btc, start: 6_000_000, step: 30_000 }, { instrument: ETHBTC, start: 5000, step: 30 }, { instrument: sol, start: 15_000, step: 100 }]; // prettier-ignore
  const feeds = ['btc', 'eth', 'sol'].map((name, index) => ({
    ...feedPlan(name, coarser(walkBars({ ...prices[index]!, rows: 600, seed: 7 + index }), '5m')),
    firstRow: 20,
  }));
  const fromMs = feeds[0]!.bars.openMs[20]!;
  const cash = { USDT: '50000', BTC: '1' };
  const plan = liveComparablePlan(runPlan([Crosses], feeds, { cash, convert: { BTC: btc.id }, size: { equity: '0.1' }, fromMs }));
  const backtest = await backtestOf(plan);
  const world = await RowWorld.open(exchangeOf(plan));
  try {
    const definition = {
      strategy: 'crosses.ts',
      feeds: Object.fromEntries(plan.feeds.map(({ name, bars }) => [name, { symbol: bars.instrument.wireName, interval: '5m' }])),
      cash,
      convert: { BTC: 'BTCUSDT' },
      size: plan.size,
    };
    const opened = await openSteppedBot(writeBot(world.folder, plan, definition, world.exchange.url), world.time, {
      notify: () => {},
      load: async (entry, source) => ({
        plan: strategyPlanOf(entry, { strategy: Crosses, name: 'Crosses', hash: 'Crosses' }, source),
        inputs: [],
        folder: '.',
      }),
      broken: (why) => {
        throw new Error(`the bot broke: ${why}`);
      },
      capacityRows: 200,
    });
    try {
      const driver = await world.startTrading(opened, plan);
      while (await driver.driveNextRows());
      const { engine } = opened.bot.deps;
      expect(backtest.fills.length).toBeGreaterThan(20);
      expect(firstDifference(backtest, tablesOf(engine, balancesOf(world.exchange.service, engine)))).toBeNull();
    } finally {
      await world.stop(opened);
    }
  } finally {
    await world.close();
  }
}, 300_000);
