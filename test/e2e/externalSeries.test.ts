// Tests an external series from end to end: imported, listed, read in a backtest, a sweep and from code, proved, explained and verified.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backtest } from '../../dist/run.js';
import type { StrategyVerdict } from '../../src/model/run/proof.ts';
import { CliFixture } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
const START_MS = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;

const STRATEGY = `import { Strategy, crossedDown, crossedUp, int, sma } from 'isobar';

export default class OpenInterest extends Strategy.with({ slow: int(30, { min: 5, max: 100 }) }) {
  oi = this.series('openInterest');
  fast = this.use(sma(this.oi, 5));
  slow = this.use(sma(this.oi, this.params.slow));
  up = this.when(crossedUp(this.fast, this.slow), () => void (this.oi.ageMs < 1_800_000 && this.buy()));
  down = this.when(crossedDown(this.fast, this.slow), () => this.exit());
}
`;
const DEFINITION = `strategy: oi.ts
feeds: { bars: { symbol: TESTUSDT, interval: 1m } }
series: { openInterest: {} }
cash: { USDT: '10000' }
`;

/** Returns a file of open interest with revisions. */
function openInterestCsv(): string {
  const lines = ['t;k;oi'];
  for (let row = 0; row < 400; row++) {
    const timeMs = START_MS + row * 5 * MINUTE_MS;
    const iso = (ms: number): string => new Date(ms).toISOString();
    const value = Math.round(1000 + 200 * Math.sin(row / 7) + ((row * 37) % 41));
    lines.push(`${iso(timeMs)};${iso(timeMs + 5 * MINUTE_MS)};${value},5`);
    if (row % 10 === 0) lines.push(`${iso(timeMs)};${iso(timeMs + 7 * MINUTE_MS)};${value - 40},25`);
  }
  return lines.join('\n');
}

const isobar = (...words: readonly string[]) => commandIn(fixture.folder, words);

beforeAll(async () => {
  fixture.bars('TESTUSDT', '1m', 2000);
  fixture.write('oi.csv', openInterestCsv());
  fixture.write('oi.ts', STRATEGY);
  fixture.write('oi.yaml', DEFINITION);
  const { code, stdout, stderr } = await isobar(
    'data',
    'import',
    'oi.csv',
    '--as',
    'series',
    '--name',
    'openInterest',
    '--time',
    't',
    '--known-at',
    'k',
  );
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain('440 rows, 440 new, 40 revisions, 0 gaps');
});
afterAll(() => fixture.remove());

test('isobar data list and check show an external series', async () => {
  expect((await isobar('data', 'list')).stdout).toMatch(/openInterest +440 .* 40 +5\Wmin +0/);
  const listed = JSON.parse((await isobar('data', 'list', '--json')).stdout) as object[];
  expect(listed).toContainEqual(expect.objectContaining({ series: 'openInterest', symbol: null, rows: 440, revisions: 40 }));
  const checked = await isobar('data', 'check');
  expect(checked.code).toBe(0);
  expect(checked.stdout).toMatch(/openInterest .* ok +[0-9a-f]{10}/);
});

describe('a run on an external series', () => {
  test('a run trades on an external series, is verified, and has the same result from code', async () => {
    const { code, stderr } = await fixture.run('backtest', 'oi.yaml');
    expect(stderr).toContain('series openInterest: the first value was known at 2024-01-01 00:05 UTC, after the start of the run');
    expect(stderr).not.toContain('the last value');
    expect(code).toBe(0);
    const [name = ''] = fixture.runs();
    const run = join(fixture.folder, 'runs', name);
    const summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as { resultHash: string };
    expect(readFileSync(join(run, 'orders.csv'), 'utf8').split('\n').length).toBeGreaterThan(10);
    const manifest = JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')) as { inputs: { file: string }[] };
    expect(manifest.inputs.map(({ file }) => file)).toContain('data/series/openInterest.arrow');
    expect((await fixture.run('verify', join('runs', name))).stdout).toContain('identical');
    const explained = await isobar('why', join('runs', name), '--at', '2024-01-01T12:00');
    expect(explained.stdout).toContain('series(openInterest)');
    const result = await backtest({
      strategy: join(fixture.folder, 'oi.ts'),
      feeds: { bars: { symbol: 'TESTUSDT', interval: '1m' } },
      series: { openInterest: {} },
      catalog: join(fixture.folder, 'data'),
      cash: '10000',
    });
    expect(result.resultHash).toBe(summary.resultHash);
  });

  test('a run on an external series is proved', async () => {
    const { code, stdout, stderr } = await isobar('prove', 'oi.yaml', '--json', '--times', '20', '--quiet');
    expect(code, stderr).toBe(0);
    const { proofs } = JSON.parse(stdout) as StrategyVerdict;
    const verdicts = Object.fromEntries(proofs.map(({ name, verdict }) => [name, verdict]));
    expect(verdicts).toMatchObject({ purity: 'proved', blocks: 'proved', prefix: 'proved', poison: 'proved' });
  });

  test('a set of a sweep on an external series has the same figures as its backtest', async () => {
    const { code, stdout, stderr } = await fixture.run('sweep', 'oi.yaml', '--grid', 'slow=20,30', '--json');
    expect(code, stderr).toBe(0);
    const singleRun = await fixture.run('backtest', 'oi.yaml', '--set', 'params.slow=20', '--json');
    const { metrics } = JSON.parse(singleRun.stdout) as { metrics: { sharpe: number } };
    expect(stdout).toContain(String(metrics.sharpe));
  });
});

test.each([
  ['series: { openIntrest: {} }', 'has no series openIntrest', 'did you mean name: openInterest?'],
  ['series: { openInterest: { symbol: TESTUSDT } }', 'has no series openInterest of TESTUSDT', 'the catalog has openInterest'],
  ['series: { openInterest: { nam: x } }', 'series.openInterest.nam: unknown key', 'name, symbol'],
  ['seed: 1', 'the run has no series called openInterest', 'series: { openInterest: {} }'],
])('a definition with %s is rejected with a remedy', async (line, message, remedy) => {
  fixture.write('bad.yaml', DEFINITION.replace(/series:.*/, line));
  const { code, stderr } = await isobar('prove', 'bad.yaml', '--quiet');
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain(remedy);
});

test.each([
  [['--as', 'series', '--time', 't', '--known-at', 'k'], '--name: expected the name of the series'],
  [['--as', 'series', '--name', 'x', '--time', 't'], '--known-at: expected the column of the times at which the values were known'],
  [
    ['--as', 'series', '--name', 'x', '--time', 't', '--known-at', 'k', '--market', 'spot'],
    '--market: expected not to be given with --as series',
  ],
  [['--name', 'x', '--symbol', 'A'], '--name: expected only with --as series, got it with --as bars'],
  [['--as', 'series', '--name', 'x', '--time', 'time', '--known-at', 'k'], 'expected a column time (--time), found t, k, oi'],
])('an import with %j is rejected', async (words, message) => {
  const { code, stderr } = await isobar('data', 'import', 'oi.csv', ...words);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
