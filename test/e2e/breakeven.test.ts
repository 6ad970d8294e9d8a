// Tests isobar breakeven and backtest --break-even: what they print and write, how verify checks it, and which input they reject.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BreakEven } from '../../src/report/metrics/breakEven.ts';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';
import { commandInKeptThread } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
beforeAll(() => {
  fixture.bars('BTCUSDT', '1h', 300);
  fixture.write('run.yaml', definitionOf(`${STRATEGIES}/smaCross.ts`));
});
afterAll(() => fixture.remove());

/** Returns a definition that runs the strategy. */
const definitionOf = (strategy: string): string => `strategy: ${strategy}
params: { fast: 5, slow: 20 }
feeds: { bars: { symbol: BTCUSDT, interval: 1h } }
cash: { USDT: '100000' }
size: { quote: '1000' }
fees: { maker: '0.0001', taker: '0.0002', in: quote }
fills: { slippageTicks: 1, impact: { coefficient: '0.1' } }
`;

const isobar = (...words: readonly string[]) => commandInKeptThread(fixture.folder, words);
/** Runs `isobar breakeven --json`, and returns what it printed. */
const jsonOf = async (...words: readonly string[]): Promise<BreakEven> => {
  const { code, stdout, stderr } = await isobar('breakeven', ...words, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as BreakEven;
};

/** The result for run.yaml, as `--json` prints it. */
let report: BreakEven | null = null;

test('isobar breakeven prints at least one line for each cost within 100 columns, and leaves neither a run nor a trial', async () => {
  const before = readdirSync(fixture.folder);
  const { code, stdout } = await isobar('breakeven', 'run.yaml');
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(lines.flatMap((line) => /^ {2}(\S+) /.exec(line)?.[1] ?? [])).toEqual(['Break-even', 'Fee', 'Slippage', 'Latency', 'Size']);
  expect(lines.find((line) => line.startsWith('  Fee'))).toContain('1 bp maker, 2 bp taker');
  expect(lines.find((line) => line.startsWith('  Slippage'))).toContain('0 bp and 1 ticks');
  expect(readdirSync(fixture.folder)).toEqual(before);
});

test('--json prints only the four costs', async () => {
  const breakEven = (report = await jsonOf('run.yaml'));
  expect(Object.keys(breakEven)).toEqual(['fee', 'slippage', 'latency', 'size']);
  for (const point of Object.values(breakEven)) {
    expect(point.value === null).toBe(point.reason !== null);
    expect([null, 'already-negative', 'never']).toContain(point.reason);
    expect(Number.isInteger(point.crossings) && typeof point.monotone === 'boolean').toBe(true);
    if (point.bracket !== null) expect(point.value).toBe(point.bracket.high);
  }
  expect(breakEven.fee.own).toEqual({ maker: 1, taker: 2 });
  expect(breakEven.size).toMatchObject({ unit: 'x', own: { scale: 1, impact: 0.1 } });
});

test('isobar breakeven accepts a strategy file with its bars as a backtest does', async () => {
  const price = (row: number) => (100 + 30 * Math.sin(row / 40)).toFixed(2);
  const csvRow = (row: number) => [Date.UTC(2024, 0, 1) + row * 3_600_000, price(row), 131, 69, price(row + 1), '50.0001'].join(',');
  const csv = `open_time_ms,open,high,low,close,volume\n${Array.from({ length: 500 }, (_, row) => csvRow(row)).join('\n')}\n`;
  fixture.write('WAVE-1h.csv', csv);
  const words = [
    `${STRATEGIES}/smaCross.ts`,
    '--data',
    'WAVE-1h.csv',
    '--symbol',
    'WAVEUSDT',
    '--cash',
    '1000',
    '--params',
    'fast=2',
    '--params',
    'slow=5',
  ];
  // The gain from trough to peak is larger than any fee in the searched range.
  expect((await jsonOf(...words)).fee).toMatchObject({ value: null, reason: 'never', crossings: 0, bracket: null, range: [0, 1000] });
});

describe('backtest --break-even', () => {
  const summaryOf = (folder: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(fixture.folder, folder, 'summary.json'), 'utf8')) as Record<string, unknown>;
  let folder = '';
  beforeAll(async () => {
    const { stdout } = await isobar('backtest', 'run.yaml', '--break-even', '--quiet');
    folder = `runs/${basename(stdout.trim())}`;
  });

  test('backtest --break-even writes the break-even into summary.json, the report and the table, and does not change the result', async () => {
    const withoutOption = await isobar('backtest', 'run.yaml', '--json', '--quiet', '--out', 'plain');
    const plainSummary = JSON.parse(withoutOption.stdout) as Record<string, unknown>;
    const { breakEven, ...otherFigures } = summaryOf(folder);
    expect(breakEven).toEqual(report ?? (await jsonOf('run.yaml')));
    expect(otherFigures).toEqual(plainSummary);
    expect(readFileSync(join(fixture.folder, folder, 'report.html'), 'utf8')).toContain('aria-label="Break-even"');
    const { stdout } = await isobar('report', folder);
    expect(stdout).toContain('no profit from');
  });

  test('isobar verify computes the break-even again, and finds a change of it', async () => {
    expect((await isobar('verify', folder, '--quiet')).code).toBe(0);
    const file = join(fixture.folder, folder, 'summary.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"crossings": \d+/, '"crossings": 99'));
    const { code, stdout } = await isobar('verify', folder);
    writeFileSync(file, text);
    expect(code).toBe(3);
    expect(stdout).toContain('breakEven.fee.crossings');
  });
});

/** A strategy whose decisions depend on the number of runs before, by a variable of its module. */
const STATEFUL = `import { sma, Strategy } from 'isobar';
let runs = 0;
export default class Stateful extends Strategy {
  turn = runs++;
  printed = console.log('constructed');
  average = this.use(sma(this.bars.close, 5));
  rows = 0;
  override onBar() {
    if (++this.rows % (7 + (this.turn % 5)) === 0) this.position().isFlat ? this.buy() : this.exit();
  }
}
`;
/** A strategy that throws once costs have taken a part of its cash. */
const PICKY = `import { sma, Strategy } from 'isobar';
export default class Picky extends Strategy {
  average = this.use(sma(this.bars.close, 5));
  override onBar() {
    if (this.cash < 99_500 && this.position().isFlat) throw new Error('too dear');
    this.position().isFlat ? this.buy() : this.exit();
  }
}
`;

test('a strategy whose runs share a variable of its module is rejected, because a run beside others differs from a single run', async () => {
  fixture.write('stateful.ts', STATEFUL);
  fixture.write('stateful.yaml', definitionOf('stateful.ts').replace(/^params.*\n/m, ''));
  const { code, stderr } = await isobar('breakeven', 'stateful.yaml');
  // The output of a strategy that runs hundreds of times is discarded.
  expect(stderr).not.toContain('constructed');
  expect(stderr).toMatch(/Stateful with a \w+ of [\d.]+ (bp|ms|x): expected the same result alone and beside other runs/);
  expect(code).toBe(3);
});

test('a strategy that throws with one of the costs names that cost', async () => {
  fixture.write('picky.ts', PICKY);
  fixture.write('picky.yaml', definitionOf('picky.ts').replace(/^params.*\n/m, ''));
  const { code, stderr } = await isobar('breakeven', 'picky.yaml');
  expect(stderr).toMatch(/with a fee of [\d.]+ bp: Picky threw .*too dear/);
  expect(code).toBe(1);
});

test.each([
  [['breakeven'], 'breakeven: expected a run definition or a strategy file, got nothing'],
  [['breakeven', 'none.yaml'], 'none.yaml: no such file'],
  [['breakeven', 'x.ts'], 'x.ts: expected --data FILE with a strategy file'],
  [['breakeven', 'run.yaml', '--cash', '5'], '--cash: expected a strategy file (.ts) with --data, got run.yaml'],
  [['breakeven', 'run.yaml', '--bar-timeout', 'soon'], "--bar-timeout: expected seconds (0 to 86400), got 'soon'"],
])('isobar %j is rejected with exit code 2 and its reason', async (words, message) => {
  const { code, stdout, stderr } = await isobar(...words);
  expect(stderr.split('\n')[0]).toContain(message);
  expect([code, stdout]).toEqual([2, '']);
});

test('market impact without any volume is rejected, and the error names the bars without volume', async () => {
  const rows = Array.from({ length: 50 }, (_, row) => [Date.UTC(2024, 0, 1) + row * 3_600_000, 100, 101, 99, 100, 0].join(','));
  fixture.write('FLAT-1h.csv', `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`);
  const words = [
    `${STRATEGIES}/smaCross.ts`,
    '--data',
    'FLAT-1h.csv',
    '--symbol',
    'FLATUSDT',
    '--cash',
    '1000',
    '--set',
    'fills.impact.coefficient=1',
  ];
  const { code, stderr } = await isobar('breakeven', ...words);
  expect(stderr).toContain('expected bars with volume, got none in FLATUSDT 1h');
  expect(code).toBe(2);
});
