// Tests the break-even of the nine shipped strategies against single backtests of edited definitions: npm run campaign -- breakEven.

import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Decimal } from 'decimal.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COSTS } from '../../src/tasks/backtest/breakEven/costs.ts';
import type { BreakEven, BreakEvenCost, BreakEvenPoint } from '../../src/report/metrics/breakEven.ts';
import {
  breakEvenOf,
  CASES,
  costsIn,
  editsOf,
  gridWithin,
  netOf,
  OracleFolder,
  type OracleCase,
  type RunWithCost,
} from '../fixtures/breakEvenOracle.ts';
import { sharedFile } from '../fixtures/sharedData.ts';
import { definitionsIn, isobar, placementSettings } from '../fixtures/shippedDefinitions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
/** The suite tests a case on spot, a case over both markets, and one whose size has a bracket. */
const SUITE_CASES = { costs: ['smaCross', 'fundingCarry'], size: ['trendFilter'] };
const oracle = new OracleFolder();
afterAll(() => oracle.remove());
/** Number of brackets found by cost. A cost without a bracket would not be tested. */
const bracketCounts = new Map<BreakEvenCost, number>();

/** Runs one backtest with another value of the cost. */
type RunWith = (value: number) => Promise<RunWithCost>;

/** True for a net profit above 0. */
const isGain = (net: string): boolean => new Decimal(net).gt(0);

/** Checks a bracket against a grid inside it: both ends to the last unit, and the smallest value of the grid without profit. */
async function checkBracket(cost: BreakEvenCost, point: BreakEvenPoint, runWith: RunWith): Promise<void> {
  const bracket = point.bracket!;
  const grid = gridWithin(cost, point);
  const costValues = isCampaign ? grid : [grid[0]!, grid.at(-1)!];
  const nets: string[] = [];
  for (const value of costValues) {
    const { net, fills } = await runWith(value);
    nets.push(net);
    const run = { cost, value, net, fills };
    if (value === bracket.low) expect(run).toEqual({ cost, value, net: bracket.netLow, fills: bracket.fillsLow });
    if (value === bracket.high) expect(run).toEqual({ cost, value, net: bracket.netHigh, fills: bracket.fillsHigh });
  }
  const firstWithoutProfit = costValues[nets.findIndex((net) => !isGain(net))]!;
  expect(isGain(nets[0]!)).toBe(true);
  expect(firstWithoutProfit).toBeGreaterThan(bracket.low);
  expect(firstWithoutProfit).toBeLessThanOrEqual(bracket.high);
  expect(point.value).toBe(bracket.high);
  bracketCounts.set(cost, (bracketCounts.get(cost) ?? 0) + 1);
}

/** Checks a point without a bracket by one backtest at the end of the range that its reason names. */
async function checkReason(cost: BreakEvenCost, { reason, range, value }: BreakEvenPoint, runWith: RunWith): Promise<void> {
  expect(value).toBeNull();
  const endValue = reason === 'never' ? range![1] : range![0];
  const { net } = await runWith(endValue);
  expect({ cost, at: endValue, isGain: isGain(net) }).toEqual({ cost, at: endValue, isGain: reason === 'never' });
}

/** Checks the whole scan by single backtests: changes of sign, and whether the profit ever rises. */
async function checkScan(cost: BreakEvenCost, point: BreakEvenPoint, runWith: RunWith): Promise<void> {
  const { scan: scanSteps, stepsPerUnit } = COSTS.find(({ name }) => name === cost)!;
  const nets: Decimal[] = [];
  for (const steps of scanSteps()) {
    const value = steps / stepsPerUnit;
    if (value < point.range![0]) continue;
    nets.push(new Decimal((await runWith(value)).net));
  }
  const neighbours = nets.slice(1).map((net, index) => ({ lower: nets[index]!, higher: net }));
  expect({
    cost,
    crossings: neighbours.filter(({ lower, higher }) => lower.gt(0) !== higher.gt(0)).length,
    monotone: neighbours.every(({ lower, higher }) => higher.lte(lower)),
  }).toEqual({ cost, crossings: point.crossings, monotone: point.monotone });
}

/** Checks the given costs of a break-even against single backtests. */
async function checkAll(oracleCase: OracleCase, breakEven: BreakEven, costs: readonly BreakEvenCost[]): Promise<void> {
  for (const [cost, point] of costsIn(breakEven)) {
    if (!costs.includes(cost)) continue;
    const runWith: RunWith = (value) => oracle.netAt(oracleCase, cost, value);
    if (point.bracket === null) await checkReason(cost, point, runWith);
    else await checkBracket(cost, point, runWith);
    if (isCampaign && cost !== 'latency') await checkScan(cost, point, runWith);
  }
}

/** Returns the cases of a test: all in a campaign, a few in the suite. */
const casesFor = (testName: keyof typeof SUITE_CASES) => CASES.filter(({ name }) => isCampaign || SUITE_CASES[testName].includes(name));

describe('the break-even of fee, slippage and latency', { timeout: 3_600_000 }, () => {
  test.each(casesFor('costs'))(
    'the break-even of fee, slippage and latency equals that of edited definitions: $name',
    async (oracleCase) => {
      oracle.prepare(oracleCase);
      const breakEven = await oracle.breakEven(oracleCase, { changesSize: false });
      await checkAll(oracleCase, breakEven, ['fee', 'slippage', 'latency']);
      expect(breakEven.size).toMatchObject({ value: null, reason: 'no-impact-model', crossings: 0, monotone: null, range: null });
    },
  );
});

describe('the break-even of size', { timeout: 3_600_000 }, () => {
  test.each(casesFor('size'))(
    'the break-even of size equals that of a strategy that multiplies its own sizes: $name',
    async (oracleCase) => {
      oracle.prepare(oracleCase);
      const breakEven = await oracle.breakEven(oracleCase, { changesSize: true });
      expect(breakEven.size.reason).not.toBe('no-impact-model');
      await checkAll(oracleCase, breakEven, ['size']);
    },
  );
});

const SPOT = sharedFile('klines', 'binance-spot');
const UNIVERSE = sharedFile('klines', 'binance-um-universe');

describe.skipIf(!isCampaign || SPOT === null || UNIVERSE === null)('on real bars', { timeout: 3_600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-breakeven-real-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => {
    for (const source of [SPOT, UNIVERSE]) for (const name of readdirSync(source!)) symlinkSync(join(source!, name), join(folder, name));
    for (const subfolder of ['klines', 'mark', 'funding']) symlinkSync(sharedFile(subfolder)!, join(folder, subfolder));
    const importCommands = new Set(definitionsIn(ROOT, 'backtests/real').flatMap(({ bars }) => bars));
    for (const command of importCommands) isobar(ROOT, folder, command);
  }, 600_000);

  test.each(definitionsIn(ROOT, 'backtests/real'))(
    'the break-even on real bars equals that of edited definitions: $name',
    async ({ file }) => {
      const set = placementSettings(ROOT, file, folder);
      const breakEven = await breakEvenOf(folder, file, set);
      for (const cost of ['fee', 'slippage', 'latency'] as const) {
        const runWith: RunWith = (value) => netOf(file, [...set, ...editsOf(cost, value)]);
        if (breakEven[cost].bracket === null) await checkReason(cost, breakEven[cost], runWith);
        else await checkBracket(cost, breakEven[cost], runWith);
      }
    },
  );
});

test('the break-even cases have a bracket for every cost', () => {
  console.log(`brackets: ${[...bracketCounts].map(([cost, count]) => `${cost} ${count}`).join(', ')}`);
  expect([...bracketCounts.keys()].toSorted()).toEqual(['fee', 'latency', 'size', 'slippage']);
});
