// Tests `isobar/run`: a class, a file and a definition give the same result from bars of any kind, and invalid options are rejected.

import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { crossedDown, crossedUp, int, sma, Strategy } from 'isobar';
import { backtest, generateBars, readBars, type BacktestOptions, type Bars, type CodeOptions } from 'isobar/run';
import { generateInto } from '../../src/adapters/catalog/generate/generateInto.ts';
import type { Definition } from '../../src/definition/text/schema.ts';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-code-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = join(folder, 'data');
const generated = { symbol: 'TESTUSDT', interval: '1m', bars: 3000, seed: 3 } as const;
generateInto(catalog, { ...generated, fromMs: Date.UTC(2024, 0, 1) });
const data = generateBars(generated);
const csv = join(folder, 'TESTUSDT-1m.csv');
const { openMs, open, high, low, close, volume } = data;
const rows = Array.from(openMs, (ms, row) => [ms, open[row], high[row], low[row], close[row], volume[row]].join(','));
writeFileSync(csv, `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`);

/** Long while the fast average is above the slow one. */
class Cross extends Strategy.with({ fast: int(5, { min: 2 }), slow: int(20) }) {
  fast = this.use(sma(this.bars.close, this.params.fast));
  slow = this.use(sma(this.bars.close, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => {
    if (this.position().isFlat) this.buy();
  });
  down = this.when(crossedDown(this.fast, this.slow), () => {
    this.exit();
  });
}

const feeds: Definition['feeds'] = { bars: { symbol: 'TESTUSDT', interval: '1m' } };
const definition = join(folder, 'x.yaml');
writeFileSync(
  definition,
  `strategy: ${STRATEGIES}/smaCross.ts\nparams: { fast: 5, slow: 20 }\nfeeds: { bars: { symbol: TESTUSDT, interval: 1m } }\ncash: '10000'\n`,
);

test('a run of a few hours sees the days before it, and contains no whole day', async () => {
  const visibleRows: number[][] = [];
  class ReadsDays extends Strategy {
    day = this.feed('day');
    mean = this.use(sma(this.day.close, 2));
    override onBar() {
      if (this.bars.fresh) visibleRows.push([this.nowMs, this.mean.value]);
    }
  }
  const minutes = generateBars({ ...generated, bars: 5 * 1440 });
  /** Returns the close of a day, counted from 1. */
  const closeOfDay = (day: number) => minutes.close[day * 1440 - 1]!;
  const both = { ...feeds, day: { symbol: 'TESTUSDT', interval: '1d' } } as const;
  const span = { from: '2024-01-04T22:00', to: '2024-01-05T03:00' };
  await backtest({ strategy: ReadsDays, data: [minutes], feeds: both, cash: '10000', ...span });
  expect(visibleRows).toHaveLength(300);
  const midnight = Date.UTC(2024, 0, 5);
  for (const [ms, mean] of visibleRows) {
    const lastClosedDay = ms! < midnight ? 3 : 4;
    expect(mean).toBeCloseTo((closeOfDay(lastClosedDay - 1) + closeOfDay(lastClosedDay)) / 2, 6);
  }
});

describe('the ways to request one run', () => {
  const file = { strategy: `${STRATEGIES}/smaCross.ts`, params: { fast: 5, slow: 20 }, cash: '10000' };
  const columns = { openMs: [...openMs], open: [...open], high: [...high], low: [...low], close: [...close], volume: [...volume] };
  const plain: Bars = { symbol: 'TESTUSDT', interval: '1m', synthetic: true, ...columns };
  const ways: readonly [string, BacktestOptions][] = [
    ['a class over the catalog', { strategy: Cross, feeds, catalog, cash: { USDT: '10000' } }],
    ['a class, cash by amount', { strategy: Cross, feeds, catalog, cash: '10000' }],
    ['a path over a file', { ...file, data: csv }],
    ['a class over a file', { strategy: Cross, data: csv, cash: '10000' }],
    ['a class over typed arrays', { strategy: Cross, data, cash: '10000' }],
    ['a class over plain arrays', { strategy: Cross, data: plain, cash: '10000' }],
    ['named feeds over bars in memory', { strategy: Cross, data: [data], feeds, cash: '10000' }],
    ['one fee for both', { strategy: Cross, data, cash: '10000', fees: '0.001' }],
    ['a definition file', { definition, set: [`catalog=${catalog}`] }],
  ];
  test.each(ways)('a run of %s gives the same result hash', async (_, options) => {
    const expected = await backtest({ strategy: Cross, data, cash: '10000' });
    const { resultHash, summary } = await backtest(options);
    expect(expected.fills.length).toBeGreaterThan(10);
    expect(resultHash).toBe(expected.resultHash);
    expect(summary.metrics).toEqual(expected.metrics);
  });

  test('a run from code gives the same result hash as the command', async () => {
    const fixture = new CliFixture();
    try {
      const { stdout } = await fixture.run(
        'backtest',
        `${STRATEGIES}/smaCross.ts`,
        '--data',
        csv,
        '--cash',
        '10000',
        '--params',
        'fast=5',
        '--params',
        'slow=20',
        '--json',
      );
      const { summary } = await backtest({ ...file, data: csv });
      // JSON has no minus zero.
      const { proof, ...figuresOfCode } = JSON.parse(JSON.stringify(summary)) as typeof summary;
      const { proof: sampled, ...figuresOfCommand } = JSON.parse(stdout) as typeof summary;
      expect(figuresOfCode).toEqual(figuresOfCommand);
      expect(sampled).toMatchObject({ verdict: 'proved', from: 'sample', why: null });
      // A process that runs other code has no proof sample, and says so.
      const why = expect.stringContaining('shares its process') as string;
      expect(proof).toMatchObject({ verdict: 'not-proved', from: 'sample', proofs: [], bars: 0, why });
      expect(proof!.data).toBe(sampled!.data);
    } finally {
      fixture.remove();
    }
  });

  test('bars that are read once have the hash of the file in the manifest', async () => {
    const read = await readBars(csv);
    const direct = await backtest({ strategy: Cross, data: csv, cash: '10000' });
    const again = await backtest({ strategy: Cross, data: read, cash: '10000' });
    expect(again.record.instruments).toEqual(direct.record.instruments);
    expect(again.summary.dataQuality).toEqual(direct.summary.dataQuality);
    expect(direct.summary.dataQuality.synthetic).toBe(false);
  });

  test('coarser feeds and ranges are cut from bars in memory as from the catalog', async () => {
    const hour: CodeOptions = {
      strategy: Cross,
      feeds: { bars: { symbol: 'TESTUSDT', interval: '1h' } },
      from: '2024-01-01T10:00',
      to: '2024-01-02T20:30',
      cash: '10000',
    };
    const fromMemory = await backtest({ ...hour, data });
    const fromCatalog = await backtest({ ...hour, catalog });
    expect(fromMemory.resultHash).toBe(fromCatalog.resultHash);
    expect(fromMemory.summary).toEqual(fromCatalog.summary);
    expect(fromMemory.summary.run.warmupRows).toBe(10);
  });
});

test('options name every key of a definition', () => {
  expectTypeOf<keyof Definition>().toExtend<keyof CodeOptions>();
});

test('the columns of a result equal the rows of the run folder', async () => {
  const result = await backtest({ strategy: Cross, data, cash: '10000', size: { base: '0.01' } });
  const written = await result.write(join(folder, 'runs'));
  for (const [name, table] of [
    ['orders', result.orders],
    ['fills', result.fills],
    ['trades', result.trades],
  ] as const) {
    const numbers = (cell: string | undefined) => (cell === '' ? NaN : Number(cell));
    const [header = '', ...lines] = readFileSync(join(written, `${name}.csv`), 'utf8')
      .trimEnd()
      .split('\n');
    const columns = new Map<string, ArrayLike<unknown>>(
      Object.entries(table).flatMap(([key, value]) => (typeof value === 'number' ? [] : [[key, value]])),
    );
    const names = header.split(',').map((column) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
    expect([name, table.length]).toEqual([name, lines.length]);
    // The file leaves out two columns: fee_in follows from fee_asset, and trade is the row number.
    expect([...columns.keys()].toSorted()).toEqual(names.filter((column) => column !== 'feeIn' && column !== 'trade').toSorted());
    lines.forEach((rowText, row) => {
      const cells = rowText.split(',');
      names.forEach((column, columnIndex) => {
        const value = columns.get(column)?.[row];
        if (value !== undefined)
          expect(value, `${name}.${column}[${row}]`).toBe(typeof value === 'string' ? cells[columnIndex] : numbers(cells[columnIndex]));
      });
    });
  }
  const { equity, record, summary } = result;
  expect([equity.length, equity.equity.at(-1)]).toEqual([record.equity.length, Number(summary.run.endEquity)]);
  expect(result.fills).toBe(result.fills);
});

test('report and folder are written on demand, and the manifest says that only code can repeat the run', async () => {
  const result = await backtest({ strategy: Cross, data, cash: '10000', name: 'mine' });
  const path = join(folder, 'new/folder/report.html');
  expect(await result.report(path)).toBe(path);
  expect(readFileSync(path, 'utf8')).toContain('the strategy Cross');
  const written = await result.write(join(folder, 'runs'));
  expect(existsSync(join(written, 'report.html'))).toBe(true);
  const manifest: unknown = JSON.parse(readFileSync(join(written, 'manifest.json'), 'utf8'));
  const inCode = ['the strategy Cross', 'the bars of TESTUSDT 1m'];
  expect(manifest).toMatchObject({ name: 'mine', resultHash: result.resultHash, origin: { recipe: null, inCode } });
  expect(readFileSync(join(written, 'definition.yaml'), 'utf8')).toContain('# in code: the strategy Cross\n');
  const fromFile = await backtest({ strategy: `${STRATEGIES}/smaCross.ts`, data: csv, cash: '10000' });
  const manifestOfFile: unknown = JSON.parse(readFileSync(join(await fromFile.write(join(folder, 'runs')), 'manifest.json'), 'utf8'));
  expect(manifestOfFile).toMatchObject({ origin: { recipe: `isobar data import ${csv}`, inCode: [] } });
  const spaced = join(folder, 'my bars-1m.csv');
  copyFileSync(csv, spaced);
  const named = await backtest({ strategy: `${STRATEGIES}/smaCross.ts`, data: spaced, symbol: 'TESTUSDT', cash: '10000' });
  const third = readFileSync(join(await named.write(join(folder, 'runs')), 'definition.yaml'), 'utf8');
  expect(third).toContain(`# isobar data import '${spaced}' --symbol TESTUSDT\n`);
  await expect(result.report(join(csv, 'x.html'))).rejects.toThrow('expected a folder, got a file');
  await expect(result.write(csv)).rejects.toThrow(`write ${csv}: expected a folder, got a file`);
  const [report, writeRun] = [result.report, result.write] as ((path?: string) => Promise<string>)[];
  await expect(report!()).rejects.toThrow('report: expected a path, got nothing');
  await expect(writeRun!('')).rejects.toThrow('write: expected a path, got an empty text');
});

test('a printed result is the table of the command, and undefined figures are null with a reason', async () => {
  const result = await backtest({ strategy: Cross, data: generateBars({ bars: 20 }), cash: '10000' });
  expect([inspect(result), JSON.stringify(result)]).toEqual([String(result), JSON.stringify(result.summary)]);
  expect(String(result)).toContain('Cross  SYNUSDT 1h');
  expect([result.metrics.dsr, result.metrics.reasons.dsr]).toEqual([null, 'no-trials']);
  expect([result.summary.trades.winRate, result.summary.trades.reasons['winRate']]).toEqual([null, 'no-trades']);
});

describe('invalid options', () => {
  const validOptions: CodeOptions = { strategy: Cross, data, cash: '10000' };
  class NoStrategy {
    readonly params = {};
  }
  class Late extends Strategy {
    // oxlint-disable-next-line typescript/no-misused-promises -- the mistake that this test is about
    override async onBar() {}
  }
  const withChange = (change: object): BacktestOptions => ({ ...validOptions, ...change });
  test.each([
    ['an unknown parameter', withChange({ params: { fats: 1 } }), 'backtest options params.fats: no such parameter'],
    ['a parameter of every object', withChange({ params: { constructor: 1 } }), 'backtest options params.constructor: no such parameter'],
    [
      'a parameter out of its range',
      withChange({ params: { fast: 1 } }),
      'backtest options params.fast: expected a whole number of at least 2, got 1',
    ],
    [
      'a number for an amount',
      withChange({ cash: 10_000 }),
      "backtest options cash: expected starting balances, such as '10000' or { USDT: '10000' }, got 10000",
    ],
    [
      'a number for a balance',
      withChange({ cash: { USDT: 1 } }),
      'backtest options cash.USDT: expected a quoted decimal (amount of the asset), got 1',
    ],
    [
      'a function for a file',
      withChange({ models: { slippage: () => 0.1 } }),
      'models.slippage: expected the path of a file, got a function',
    ],
    ['a class in a list', withChange({ strategy: [Cross] }), 'backtest options strategy.0: expected'],
    [
      'a number of another kind',
      withChange({ seed: 5n }),
      'backtest options seed: expected a whole number (seed, 0 to 2147483647), got a bigint',
    ],
    ['a fee above 1', withChange({ fees: '1.5' }), 'backtest options fees.maker: expected a quoted decimal (fraction below 1'],
    ['an unknown key', withChange({ sed: 1 }), 'backtest options sed: unknown key sed, the nearest valid one is seed'],
    ['a file that is not there', withChange({ data: 'no.csv' }), 'no.csv: cannot be read'],
    ['no bars', withChange({ data: [] }), 'backtest options: expected bars, got none'],
    [
      'two sets without feeds',
      withChange({ data: [data, { ...data, symbol: 'BUSDT' }] }),
      'expected feeds beside several sets of bars (TESTUSDT 1m, BUSDT 1m)',
    ],
    [
      'a feed that data lacks',
      withChange({ feeds: { bars: { symbol: 'TESTUSD', interval: '1m' } } }),
      'unknown symbol TESTUSD, the nearest in data is TESTUSDT',
    ],
    [
      'a class that is not a strategy',
      withChange({ strategy: NoStrategy }),
      'NoStrategy: expected a class that extends Strategy, got NoStrategy, which does not',
    ],
    ['an asynchronous callback', withChange({ strategy: Late }), 'Late: expected a synchronous onBar'],
  ])('%s is rejected, and the error names the option', async (_, options, message) => {
    await expect(backtest(options)).rejects.toThrow(message);
  });
});

test('options that would have no effect beside a definition, and unknown options, are rejected', async () => {
  const backtestOf = (options: unknown) => backtest(options as BacktestOptions);
  await expect(backtestOf({ definition, cash: '5' })).rejects.toThrow('backtest options cash: expected not to be given with definition');
  await expect(backtestOf({ definition, cash: '5' })).rejects.toMatchObject({
    name: 'ConfigError',
    remedy: expect.stringContaining("set: ['cash=...']"),
  });
  await expect(backtestOf({ definition: 5 })).rejects.toThrow('options definition: expected the path of a run definition, got a number');
  await expect(backtestOf({ definition, set: 'fees=3' })).rejects.toThrow('backtest options set: expected a list of texts, got "fees=3"');
  await expect(backtestOf({ strategy: Cross, data, cash: '5', toString: 1 })).rejects.toThrow(
    'backtest options toString: unknown key toString',
  );
  await expect(backtestOf({ strategy: Cross, data, cash: '5', symbol: 'BTCUSDT' })).rejects.toThrow(
    'backtest options symbol: expected a file in data beside it, got none',
  );
  await expect(backtestOf({ strategy: Cross, data: 5, cash: '5' })).rejects.toThrow(
    'expected the path of a file, or bars in columns, got 5',
  );
  await expect(backtestOf({ strategy: Cross, data: { ...data, symbol: 'btcusdt' }, cash: '5' })).rejects.toMatchObject({
    message: 'symbol: expected capital letters, digits, - and _ (BTCUSDT), got "btcusdt"',
    remedy: 'docs/from-code.md shows what bars are',
  });
  await expect(backtestOf(undefined)).rejects.toThrow('backtest options: expected an object, got nothing');
  await expect(backtestOf('x.yaml')).rejects.toThrow('backtest options: expected an object, got a string');
});

test('an order of an infinite size is denied, and its run folder is written', async () => {
  class BuysInfinity extends Strategy {
    override onBar() {
      if (this.position().isFlat) this.buy({ base: 1 / 0 }, { tag: 'infinite' });
    }
  }
  const result = await backtest({ strategy: BuysInfinity, data, cash: '1000' });
  expect(result.summary.orders.refusedByRiskByCode).toEqual({ BAD_INPUT: result.orders.length });
  const [, row] = readFileSync(join(await result.write(join(folder, 'runs')), 'orders.csv'), 'utf8').split('\n');
  expect(row).toMatch(/^1,0,spot:TESTUSDT,buy,market,denied,0,,,,/);
});

test('a text in the place of a feed is reported as such, and not as a missing name', async () => {
  class PassesText extends Strategy {
    override onBar() {
      this.position('bars' as never);
    }
  }
  await expect(backtest({ strategy: PassesText, data, cash: '1' })).rejects.toThrow(/^PassesText: expected a feed of this strategy/);
});

test('a strategy that throws is a StrategyError that names the bar, with its own error as the cause', async () => {
  class Throws extends Strategy {
    override onBar() {
      throw new RangeError('mine');
    }
  }
  const error: unknown = await backtest({ strategy: Throws, data, cash: '1' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: 'StrategyError',
    message: expect.stringContaining('2024-01-01 00:01 UTC'),
    cause: { message: 'mine' },
  });
});

test('an account that outgrows exact money gets a remedy, not an internal error', async () => {
  class Doubles extends Strategy {
    override onBar() {
      if (this.position().isFlat) this.buy();
      else if (this.bars.close.value > 150) this.exit();
    }
  }
  const prices = [100, 100, 100, 200, 200, 200];
  const times = prices.map((_, row) => Date.UTC(2024, 0, 1) + row * 60_000);
  const columns = { openMs: times, open: prices, high: prices, low: prices, close: prices, volume: prices };
  const bars: Bars = { symbol: 'AUSDT', interval: '1m', ...columns };
  const run = (precision: number) =>
    backtest({ strategy: Doubles, data: bars, cash: '80000000', instruments: { AUSDT: { quotePrecision: precision, basePrecision: 6 } } });
  await expect(run(8)).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining('the account has outgrown exact money'),
    remedy: expect.stringContaining('quotePrecision'),
  });
  expect((await run(4)).metrics.totalReturn).toBeGreaterThan(0.9);
});
