// Tests that the examples of docs/compose.md do what the page says.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backtest } from 'isobar/run';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { blocksOf } from '../docs/blocks.ts';
import { CliFixture } from '../fixtures/cliFixture.ts';
import { BASE, options } from '../fixtures/composeRuns.ts';
import { ROOT } from '../fixtures/packed.ts';

const fixture = new CliFixture();
const startFolder = process.cwd();
afterAll(() => {
  process.chdir(startFolder);
  fixture.remove();
});

beforeAll(() => {
  fixture.bars('BTCUSDT', '1h', 2000);
  process.chdir(fixture.folder);
});

describe('the examples of docs/compose.md do what the page says', () => {
  const page = blocksOf('docs/compose.md', readFileSync(join(ROOT, 'docs/compose.md'), 'utf8'));
  /** Runs a backtest with the module of this name. Returns its result and what was printed. */
  const runExample = async (name: string, extraOptions = '') => {
    for (const { file, text } of page) if (file !== null) fixture.write(file, text);
    fixture.write('example.yaml', `${BASE}${extraOptions}modules: [modules/${name}.ts]\n`);
    const reported: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void reported.push(line));
    try {
      return { result: await backtest({ definition: 'example.yaml' }), reported };
    } finally {
      log.mockRestore();
    }
  };

  test('the module of an exchange adapter refuses orders during the maintenance', async () => {
    const { orders } = (await runExample('maintenance')).result;
    const outcomes = Array.from(orders.createdMs, (ms, row) => ({
      isDuringMaintenance: new Date(ms).getUTCHours() < 4,
      isRefused: orders.code[row] === 'MAINTENANCE',
    }));
    expect(outcomes.filter(({ isDuringMaintenance }) => isDuringMaintenance).length).toBeGreaterThan(2);
    for (const { isDuringMaintenance, isRefused } of outcomes) expect(isRefused).toBe(isDuringMaintenance);
  });

  test('the module of a clock sets the times of the run folder', async () => {
    const folder = await (await runExample('fixedClock')).result.write('runs');
    expect(basename(folder)).toBe('20300101-000000-smaCross');
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    expect(read('manifest.json')).toContain('"writtenAt": "2030-01-01T00:00:00.000Z"');
    expect(new Set(read('run.log').match(/"at":"[^"]+"/g))).toEqual(new Set(['"at":"2030-01-01T00:00:00.000Z"']));
  });

  test('the modules of a journal and a notifier report denied orders and halts', async () => {
    const risk = "risk: { maxDrawdown: '0.05' }\n";
    const { result, reported: notified } = await runExample('deniedOrders', risk);
    expect(notified).toHaveLength(result.orders.code.filter((code) => code === 'DRAWDOWN').length);
    expect(notified[0]).toBe('buy BTCUSDT denied: DRAWDOWN');
    expect((await runExample('printedAlerts', risk)).reported).toEqual([expect.stringMatching(/^DRAWDOWN of account: equity of /)]);
  });

  test('the modules of fees, slippage and risk change rates, prices and denials', async () => {
    const { fills } = (await runExample('tiers')).result;
    const feeRatesBp = Array.from(fills.fee, (fee, row) => Math.round((fee / fills.price[row]! / fills.quantity[row]!) * 10_000));
    expect(new Set(feeRatesBp)).toEqual(new Set([10, 6]));
    const before = (await backtest(options)).fills;
    const after = (await runExample('oneTick')).result.fills;
    expect(after.price[0]! - before.price[0]!).toBeCloseTo(0.01, 6);
    expect((await runExample('halfSpread')).result.fills.price[0]! / before.price[0]!).toBeCloseTo(1.0001, 5);
    const { orders } = (await runExample('weekdays')).result;
    const denied = [...orders.createdMs].filter((_, row) => orders.code[row] === 'WEEKEND');
    expect(denied.length).toBeGreaterThan(2);
    for (const ms of denied) expect([0, 6]).toContain(new Date(ms).getUTCDay());
  });
});
