// Tests the command `isobar parity`: exit codes, JSON, a table of at most 100 columns, and messages for input it cannot use.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { DivergenceReport } from '../../src/tasks/parity/divergences.ts';
import { commandIn } from '../fixtures/inProcess.ts';
import { comparePlanted, FIRST_ROW, type PlantedDifference } from '../divergence/planted.ts';

/** The bot's strategy as a file that the command can load. */
const STRATEGY_CODE = `
import { Strategy } from 'isobar';
export default class Counter extends Strategy {
  seen = 0;
  onBar() {
    const at = this.seen++ % 6;
    if (at === 0) this.buy({ base: '5' });
    if (at === 2) this.buy({ base: '2' }, { limit: Math.round(this.bars.close.value * 0.985 * 100) / 100, tag: 'rest' });
    if (at === 4) this.exit();
  }
}
`;

/** Runs `isobar parity bot` on a planted bot, once for each list of further arguments. */
async function parityOf(planted: PlantedDifference, ...runs: readonly (readonly string[])[]) {
  const results: Awaited<ReturnType<typeof commandIn>>[] = [];
  await comparePlanted(planted, async (folder) => {
    const home = dirname(folder);
    writeFileSync(join(home, 'planted.ts'), STRATEGY_CODE);
    for (const words of runs) results.push(await commandIn(home, ['parity', 'bot', ...words]));
  });
  return results;
}

test('equal runs end with exit code 0 and an empty bridge', async () => {
  const [json, text] = await parityOf({}, ['--json'], []);
  expect([json!.code, json!.stderr, text!.code]).toEqual([0, '', 0]);
  expect(JSON.parse(json!.stdout)).toMatchObject({ equal: true, first: null, cause: null, bridge: [], residual: '0' });
  expect(text!.stdout).toContain('equal: bot and backtest gain -36.95009231 USDT');
}, 120_000);

test('bars of an interval that the catalog lacks are built from shorter ones, as in a backtest', async () => {
  await comparePlanted({ changeCatalog: halves }, async (folder) => {
    const home = dirname(folder);
    writeFileSync(join(home, 'planted.ts'), STRATEGY_CODE);
    // The warm-up of the bot. Its exchange had these bars too.
    for (const extension of ['arrow', 'gaps.json']) rmSync(join(home, `catalog/spot/AAAUSDT/1h.${extension}`), { force: true });
    const { code, stdout, stderr } = await commandIn(home, ['parity', 'bot']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('equal: bot and backtest gain -36.95009231 USDT');
  });
}, 120_000);

test('runs that differ end with exit code 3 and show the first difference, its cause, and the bridge', async () => {
  const [json, text] = await parityOf(
    {
      changeCatalog: (bars) => ({
        ...bars,
        open: bars.open.map((price, row) => (row === FIRST_ROW + 1 ? Math.round(price * 100 + 40) / 100 : price)),
      }),
    },
    ['--json'],
    [],
  );
  expect([json!.code, json!.stderr, text!.code, text!.stderr]).toEqual([3, '', 3, '']);
  const report = JSON.parse(json!.stdout) as DivergenceReport;
  expect(report).toMatchObject({ equal: false, cause: 'data revision', bridge: [{ cause: 'data revision', amount: '2' }], residual: '0' });
  expect(Object.keys(report.first!)).toEqual(['seq', 'time', 'what', 'backtest', 'live']);
  expect(text!.stdout).toMatch(/first difference: fill of 2024-01-01T07:00:00\.000Z, record \d+/);
  expect(text!.stdout).toMatch(/backtest +-38\.95009231\n +data revision +\+2\n +live +\+2 +-36\.95009231/);
  for (const line of text!.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
}, 120_000);

test('code of a strategy that has changed since the bot ran is named beside the cause', async () => {
  await comparePlanted({}, async (folder) => {
    const home = dirname(folder);
    writeFileSync(join(home, 'planted.ts'), STRATEGY_CODE.replace("base: '5'", "base: '4'"));
    const [json, text] = [await commandIn(home, ['parity', 'bot', '--json']), await commandIn(home, ['parity', 'bot'])];
    const changes = [expect.stringMatching(/^the code of \w+ has changed$/)];
    expect(JSON.parse(json.stdout)).toMatchObject({ cause: 'strategy not deterministic', changes, residual: '0' });
    expect(text.stdout).toMatch(/changed +the code of \w+ has changed since the newest start/);
    const replay = await commandIn(home, ['replay', 'bot']);
    expect(replay.stdout).toMatch(/changed +the code of \w+ has changed since the newest start/);
  });
}, 120_000);

test('bad input ends with exit code 2 and a remedy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-parity-'));
  try {
    for (const [words, message] of [
      [['nowhere'], /nowhere: no such folder/],
      [['.'], /expected the data folder of a bot/],
      [[], /parity: expected/],
    ] as const) {
      const { code, stdout, stderr } = await commandIn(folder, ['parity', ...words]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(message);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const [changed] = await parityOf({}, ['--config', 'other.yaml']);
  expect(changed!.code).toBe(2);
  const comparison = comparePlanted({ changeCatalog: (bars) => ({ ...bars, ...firstRowsOf(bars) }) });
  await expect(comparison).rejects.toThrow(/no bars of AAAUSDT 1h in the period of the bot/);
}, 120_000);

type Columns = Parameters<NonNullable<PlantedDifference['changeCatalog']>>[0];

/** Returns the first rows of the bars. */
function firstRowsOf({ openMs, closeMs, open, high, low, close, volume }: Columns) {
  const cut = (column: Float64Array): Float64Array => column.slice(0, FIRST_ROW);
  const columns = { openMs: cut(openMs), closeMs: cut(closeMs), open: cut(open), high: cut(high), low: cut(low), close: cut(close) };
  return { ...columns, volume: cut(volume), length: FIRST_ROW };
}

/** Returns two bars of half an hour for each bar of an hour. The second one is its close alone. */
function halves(bars: Columns): Columns {
  const split = (column: Float64Array, valueOfSecond: (row: number) => number) =>
    Float64Array.from({ length: 2 * bars.length }, (_, row) => (row % 2 === 0 ? column[row >> 1]! : valueOfSecond(row >> 1)));
  const close = (row: number) => bars.close[row]!;
  return {
    ...bars,
    interval: '30m',
    length: 2 * bars.length,
    openMs: split(bars.openMs, (row) => bars.openMs[row]! + 1_800_000),
    closeMs: Float64Array.from({ length: 2 * bars.length }, (_, row) => bars.openMs[row >> 1]! + (1 + (row % 2)) * 1_800_000),
    open: split(bars.open, close),
    high: split(bars.high, close),
    low: split(bars.low, close),
    close: split(bars.close, close),
    volume: split(bars.volume, () => 0),
  };
}
