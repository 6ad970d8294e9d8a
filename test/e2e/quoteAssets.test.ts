// Tests runs with cash in two quote assets from the command line: backtest, verify, prove, sweep, report, and rejected definitions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { generateInto } from '../../src/adapters/catalog/generate/generateInto.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { CliFixture } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

/** Trades ETHBTC and SOLUSDT: holds each while it is above its mean. */
const STRATEGY = `import { int, sma, Strategy } from 'isobar';

export default class AboveMean extends Strategy.with({ bars: int(20, { min: 2 }) }) {
  eth = this.feed('eth');
  sol = this.feed('sol');
  ethMean = this.use(sma(this.eth.close, this.params.bars));
  solMean = this.use(sma(this.sol.close, this.params.bars));
  override onBar() {
    for (const [feed, mean] of [[this.eth, this.ethMean], [this.sol, this.solMean]] as const) {
      const isFlat = this.position(feed).isFlat;
      if (isFlat && feed.bar.close > mean.value) this.buy({ equity: '0.2' }, { feed, stopLoss: feed.bar.close * 0.98 });
      else if (!isFlat && feed.bar.close < mean.value) this.exit(feed);
    }
  }
}
`;
const FEEDS = 'btc: { symbol: BTCUSDT, interval: 1h }, eth: { symbol: ETHBTC, interval: 1h }, sol: { symbol: SOLUSDT, interval: 1h }';

/** Returns the text of a definition with these lines. */
const definition = (lines: readonly string[], feeds = FEEDS) => ['strategy: two.ts', `feeds: { ${feeds} }`, ...lines, ''].join('\n');
const CASH = "cash: { USDT: '100000', BTC: '1' }";
const CONVERT = 'convert: { BTC: BTCUSDT }';

/** The symbols with bars, and the price at which each begins. */
const SYMBOLS = [
  { symbol: 'BTCUSDT', price: 60_000 },
  { symbol: 'ETHBTC', price: 0.05 },
  { symbol: 'SOLUSDT', price: 150 },
  { symbol: 'ETHUSDT', price: 3000 },
] as const;
/** Closes of BTCUSDT, by which amounts in BTC are converted. */
let bitcoinCloses: ReturnType<typeof closesOf> = [];
const fixture = new CliFixture();
const isobar = (...args: readonly string[]) => commandIn(fixture.folder, args);
beforeAll(() => {
  for (const [index, { symbol, price }] of SYMBOLS.entries()) {
    const options = { symbol, interval: '1h', fromMs: Date.UTC(2024, 0, 1), bars: 1500, seed: 3 + index, price } as const;
    generateInto(join(fixture.folder, 'data'), options);
    if (symbol === 'BTCUSDT') bitcoinCloses = closesOf(synthesizeBars(options));
  }
  fixture.write('two.ts', STRATEGY);
  fixture.write('two.yaml', definition([CASH, CONVERT, "risk: { maxOrderNotional: '50000', maxDailyLoss: '0.5' }"]));
});
afterAll(() => fixture.remove());

/** The tested members of a summary. */
interface TestedSummary {
  readonly run: {
    readonly endEquity: string;
    readonly reportingAsset: string;
    readonly cash: readonly { readonly asset: string; readonly start: string; readonly end: string }[];
  };
  readonly metrics: Readonly<Record<string, number>>;
  readonly trades: { readonly closedPnl: string; readonly openPnl: string; readonly heldPnl: string; readonly trades: number };
  readonly orders: { readonly volume: string; readonly fees: string };
}
/** Returns the rows of a CSV file, each by column name. */
const rowsOf = (path: string): Record<string, string>[] => {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const columnNames = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, column) => [columnNames[column]!, cell])));
};

describe('a run with cash in two quote assets', () => {
  /** The run folder. The first test makes it, and the others read it. */
  let folder = '';

  it('a run with two quote assets has its figures in the reporting asset, and lists the cash of each asset', async () => {
    const { code, stdout, stderr } = await isobar('backtest', 'two.yaml');
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/ {2}Cash +100\s000\.00 to [\d\s.]+ USDT, 1\.00000000 to \d\.\d{8} BTC\n/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    folder = `runs/${fixture.runs()[0]!}`;
    const summary = JSON.parse(readFileSync(join(fixture.folder, folder, 'summary.json'), 'utf8')) as TestedSummary;
    expect(summary.run).toMatchObject({
      reportingAsset: 'USDT',
      cash: [
        { asset: 'USDT', start: '100000' },
        { asset: 'BTC', start: '1', convertedBy: 'spot:BTCUSDT' },
      ],
    });
    const { closedPnl, openPnl, heldPnl, trades } = summary.trades;
    expect(trades).toBeGreaterThan(50);
    expect(new Decimal(closedPnl).plus(openPnl).plus(heldPnl).toFixed()).toBe(new Decimal(String(summary.metrics['netProfit'])).toFixed());
  });

  it('volume, fees and results of trades equal a recount in decimals, which converts each fill at the last close before it', () => {
    const summary = JSON.parse(readFileSync(join(fixture.folder, folder, 'summary.json'), 'utf8')) as TestedSummary;
    const fills = rowsOf(join(fixture.folder, folder, 'fills.csv'));
    let volume = new Decimal(0);
    let fees = new Decimal(0);
    const rateAt = (ms: number) => bitcoinCloses.findLast(({ closeMs }) => closeMs <= ms)!.close;
    const inUsdt = (money: Decimal, { instrument, time_ms: ms }: Record<string, string>) =>
      instrument === 'spot:ETHBTC' ? money.times(rateAt(Number(ms))).toDecimalPlaces(8, Decimal.ROUND_HALF_UP) : money;
    for (const fill of fills) {
      volume = volume.plus(inUsdt(new Decimal(fill['notional']!), fill));
      const fee = new Decimal(fill['fee']!);
      const isInCoins = fill['fee_asset'] !== 'USDT' && fill['fee_asset'] !== 'BTC';
      // A fee in coins counts at the price of its fill.
      const feeInUsdt = isInCoins ? inUsdt(fee.times(fill['price']!), fill).toDecimalPlaces(8, Decimal.ROUND_HALF_UP) : inUsdt(fee, fill);
      fees = fees.plus(feeInUsdt);
    }
    expect(new Set(fills.map(({ instrument }) => instrument))).toEqual(new Set(['spot:ETHBTC', 'spot:SOLUSDT']));
    expect(new Decimal(summary.orders.volume).toFixed()).toBe(volume.toFixed());
    // The fee of each fill is rounded, so the sum may differ by at most one unit a fill.
    const maxFeeError = new Decimal(fills.length).times('1e-8');
    expect(new Decimal(summary.orders.fees).minus(fees).abs().lte(maxFeeError)).toBe(true);
    // A trade of only two fills. Its result is what the exit received minus what the entry paid, each converted at its own time.
    const trade = rowsOf(join(fixture.folder, folder, 'trades.csv')).find(
      ({ instrument, fills: count }) => instrument === 'spot:ETHBTC' && count === '2',
    )!;
    const fillAt = (timeText: string) => fills.find(({ instrument, time_ms: ms }) => instrument === 'spot:ETHBTC' && ms === timeText)!;
    const entry = fillAt(trade['entry_ms']!);
    const exit = fillAt(trade['exit_ms']!);
    const received = inUsdt(new Decimal(exit['notional']!), exit).minus(inUsdt(new Decimal(exit['fee']!), exit));
    const paid = inUsdt(new Decimal(entry['notional']!), entry);
    // A sale leaves dust, a remainder below one lot. Its value is not part of this trade's result.
    const maxDustUsdt = 5;
    expect(received.minus(paid).minus(trade['pnl']!).abs().toNumber()).toBeLessThan(maxDustUsdt);
    expect(Number(trade['entry_price'])).toBeLessThan(1);
  });

  it('`verify` and `prove` accept a run with two quote assets', async () => {
    const verified = await isobar('verify', folder);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^ {2}identical\n/)]);
    const proved = await isobar('prove', 'two.yaml', '--json', '--times', '5', '--quiet');
    expect(proved.code, proved.stderr).toBe(0);
    expect(JSON.parse(proved.stdout)).toMatchObject({ verdict: 'proved' });
  });

  it('a sweep with two quote assets has the figures of single runs', async () => {
    const swept = await isobar('sweep', 'two.yaml', '--grid', 'bars=10..30:10', '--workers', '1', '--json');
    expect(swept.code, swept.stderr).toBe(0);
    const { best } = JSON.parse(swept.stdout) as { best: { params: { bars: number }; figures: Record<string, number> }[] };
    expect(best).toHaveLength(3);
    for (const { params, figures } of best) {
      const { stdout } = await isobar('backtest', 'two.yaml', '--set', `params.bars=${params.bars}`, '--json');
      const { metrics, trades } = JSON.parse(stdout) as TestedSummary;
      expect([metrics['sharpe'], metrics['maxDrawdown'], trades.trades]).toEqual([
        figures['sharpe'],
        figures['maxDrawdown'],
        figures['trades'],
      ]);
      expect((trades as unknown as Record<string, number>)['profitFactor']).toBe(figures['profitFactor']);
    }
  });

  it('the report of a run with two quote assets has the cash of each', () => {
    const page = readFileSync(join(fixture.folder, folder, 'report.html'), 'utf8');
    expect(page).toContain('Cash in BTC');
    expect(page).toContain('"convertedBy":');
  });
});

/** Returns the close and the close time of each bar. */
function closesOf({ closeMs, close }: BarColumns): { readonly closeMs: number; readonly close: number }[] {
  return Array.from(close, (price, row) => ({ closeMs: closeMs[row]!, close: price }));
}

describe('invalid definitions with several quote assets', () => {
  /** Runs a backtest of a definition with these lines, which must fail. Returns the error message. */
  const errorOf = async (lines: readonly string[], feeds?: string): Promise<string> => {
    fixture.write('bad.yaml', definition(lines, feeds));
    const { code, stderr } = await isobar('backtest', 'bad.yaml', '--quiet');
    expect(code, stderr).toBe(2);
    return stderr;
  };
  it.each([
    [
      'no conversion',
      [CASH],
      undefined,
      'feeds: expected instruments with one quote asset, got BTCUSDT in USDT, ETHBTC in BTC, SOLUSDT in USDT',
      'convert: { BTC: BTCUSDT }',
    ],
    [
      'a conversion without a feed',
      [CASH, 'convert: { BTC: BTCUSDC }'],
      undefined,
      'convert.BTC: no feed of the run has the symbol BTCUSDC',
      'add one',
    ],
    [
      'a conversion of another asset',
      [CASH, 'convert: { BTC: SOLUSDT }'],
      undefined,
      'convert.BTC: expected a symbol that trades BTC, got SOLUSDT',
      'name a symbol',
    ],
    [
      'the inverse conversion',
      [CASH, 'convert: { USDT: BTCUSDT }'],
      undefined,
      'convert.USDT: expected a symbol that trades USDT, got BTCUSDT',
      'make USDT the reporting asset',
    ],
    [
      'an asset in which nothing is quoted',
      [CASH, 'convert: { BTC: BTCUSDT, SOL: SOLUSDT }'],
      undefined,
      'convert.SOL: no feed of the run is quoted in SOL',
      'leave the conversion out',
    ],
    [
      'a coin of two symbols',
      [CASH, CONVERT],
      `${FEEDS}, eth2: { symbol: ETHUSDT, interval: 1h }`,
      'ETHBTC and ETHUSDT both trade ETH',
      'through one symbol',
    ],
    [
      'other digits',
      [CASH, CONVERT, 'instruments: { ETHBTC: { quotePrecision: 9 } }'],
      undefined,
      'ETHBTC: expected a quotePrecision of 8, which all quote assets of a run share, got 9',
      'instruments: { ETHBTC: { quotePrecision: 8 } }',
    ],
    [
      'no cash',
      ["cash: { SOL: '1' }", CONVERT],
      undefined,
      "cash: expected some USDT or BTC, in which orders are paid, got SOL: '1'",
      'write cash',
    ],
    [
      'a conversion that leaves the run',
      [CASH, CONVERT],
      FEEDS.replace('BTCUSDT, interval: 1h', 'BTCUSDT, interval: 1h, listed: { BTCUSDT: { to: 2024-02-01 } }'),
      'convert.BTC: BTCUSDT leaves the run at 2024-02-01',
      'name a symbol that stays',
    ],
    [
      'a conversion that begins later',
      [CASH, CONVERT],
      FEEDS.replace('BTCUSDT, interval: 1h', 'BTCUSDT, interval: 1h, listed: { BTCUSDT: { from: 2024-02-01 } }'),
      'convert.BTC: BTCUSDT begins at 2024-02-01',
      'begin the run later with from',
    ],
    [
      'a fee model',
      [CASH, CONVERT, 'models: { fees: fee.ts }'],
      undefined,
      'models.fees: expected no fee model beside convert',
      'write the rates under fees',
    ],
  ] as const)('a definition is rejected, with a remedy: %s', async (_, lines, feeds, message, remedy) => {
    fixture.write('fee.ts', "import { feeModel } from 'isobar';\nexport default feeModel(() => 0);\n");
    const stderr = await errorOf(lines, feeds);
    expect(stderr).toContain(message);
    expect(stderr).toContain(remedy);
  });
});
