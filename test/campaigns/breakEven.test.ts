// Break-even against single backtests of edited definitions, for the nine shipped strategies: npm run campaign -- breakEven. The suite does
// some of them.

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
import { definitionsIn, isobar, placed } from '../fixtures/shippedDefinitions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const isCampaign = process.env['ISOBAR_CASES'] !== undefined;
/** In the suite: one over spot, one over both markets, and one whose size has an end. */
const IN_SUITE = { costs: ['smaCross', 'fundingCarry'], size: ['trendFilter'] };
const place = new OracleFolder();
afterAll(() => place.remove());
/** How often a bracket was found, by cost: without any, nothing was tested. */
const found = new Map<BreakEvenCost, number>();

/** One backtest with another value of the cost. */
type RunWith = (value: number) => Promise<RunWithCost>;

const isGain = (net: string): boolean => new Decimal(net).gt(0);

/** The bracket against a grid inside it: both ends to the last unit, and the smallest value of the grid without profit. */
async function checkBracket(cost: BreakEvenCost, point: BreakEvenPoint, runWith: RunWith): Promise<void> {
  const bracket = point.bracket!;
  const grid = gridWithin(cost, point);
  const values = isCampaign ? grid : [grid[0]!, grid.at(-1)!];
  const nets: string[] = [];
  for (const value of values) {
    const { net, fills } = await runWith(value);
    nets.push(net);
    if (value === bracket.low) expect({ cost, value, net, fills }).toEqual({ cost, value, net: bracket.netLow, fills: bracket.fillsLow });
    if (value === bracket.high)
      expect({ cost, value, net, fills }).toEqual({ cost, value, net: bracket.netHigh, fills: bracket.fillsHigh });
  }
  const first = values[nets.findIndex((net) => !isGain(net))]!;
  expect(isGain(nets[0]!)).toBe(true);
  expect(first).toBeGreaterThan(bracket.low);
  expect(first).toBeLessThanOrEqual(bracket.high);
  expect(point.value).toBe(bracket.high);
  found.set(cost, (found.get(cost) ?? 0) + 1);
}

/** Without a bracket: one backtest at the end that the reason names. */
async function checkReason(cost: BreakEvenCost, { reason, range, value }: BreakEvenPoint, runWith: RunWith): Promise<void> {
  expect(value).toBeNull();
  const at = reason === 'never' ? range![1] : range![0];
  const { net } = await runWith(at);
  expect({ cost, at, isGain: isGain(net) }).toEqual({ cost, at, isGain: reason === 'never' });
}

/** The whole scan by single backtests: signs, changes of sign, and whether the profit ever rises. */
async function checkScan(cost: BreakEvenCost, point: BreakEvenPoint, runWith: RunWith): Promise<void> {
  const { scan: make, stepsPerUnit } = COSTS.find(({ name }) => name === cost)!;
  const scan = make();
  const nets: Decimal[] = [];
  for (const steps of scan) {
    const value = steps / stepsPerUnit;
    if (value < point.range![0]) continue;
    nets.push(new Decimal((await runWith(value)).net));
  }
  const pairs = nets.slice(1).map((net, at) => [nets[at]!, net] as const);
  expect({
    cost,
    crossings: pairs.filter(([a, b]) => a.gt(0) !== b.gt(0)).length,
    monotone: pairs.every(([a, b]) => b.lte(a)),
  }).toEqual({ cost, crossings: point.crossings, monotone: point.monotone });
}

async function checkAll(each: OracleCase, of: BreakEven, costs: readonly BreakEvenCost[]): Promise<void> {
  for (const [cost, point] of costsIn(of)) {
    if (!costs.includes(cost)) continue;
    const runWith: RunWith = (value) => place.netAt(each, cost, value);
    if (point.bracket === null) await checkReason(cost, point, runWith);
    else await checkBracket(cost, point, runWith);
    if (isCampaign && cost !== 'latency') await checkScan(cost, point, runWith);
  }
}

const chosen = (part: keyof typeof IN_SUITE) => CASES.filter(({ name }) => isCampaign || IN_SUITE[part].includes(name));

describe('fee, slippage and latency are those of edited definitions, and size needs an impact model', { timeout: 3_600_000 }, () => {
  test.each(chosen('costs'))(
    'fee, slippage and latency are those of edited definitions, and size needs an impact model: $name',
    async (each) => {
      place.prepare(each);
      const of = await place.breakEven(each, false);
      await checkAll(each, of, ['fee', 'slippage', 'latency']);
      expect(of.size).toMatchObject({ value: null, reason: 'no-impact-model', crossings: 0, monotone: null, range: null });
    },
  );
});

describe('size is that of a strategy that multiplies its own sizes', { timeout: 3_600_000 }, () => {
  test.each(chosen('size'))('size is that of a strategy that multiplies its own sizes: $name', async (each) => {
    place.prepare(each);
    const of = await place.breakEven(each, true);
    expect(of.size.reason).not.toBe('no-impact-model');
    await checkAll(each, of, ['size']);
  });
});

const SPOT = sharedFile('klines', 'binance-spot');
const UNIVERSE = sharedFile('klines', 'binance-um-universe');

describe.skipIf(!isCampaign || SPOT === null || UNIVERSE === null)('on real bars', { timeout: 3_600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-breakeven-real-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => {
    for (const source of [SPOT, UNIVERSE]) for (const name of readdirSync(source!)) symlinkSync(join(source!, name), join(folder, name));
    for (const kind of ['klines', 'mark', 'funding']) symlinkSync(sharedFile(kind)!, join(folder, kind));
    for (const command of new Set(definitionsIn(ROOT, 'backtests/real').flatMap(({ bars }) => bars))) isobar(ROOT, folder, command);
  }, 600_000);

  test.each(definitionsIn(ROOT, 'backtests/real'))('on real bars: $name, with its own costs', async ({ file }) => {
    const set = placed(ROOT, file, folder);
    const of = await breakEvenOf(folder, file, set);
    for (const cost of ['fee', 'slippage', 'latency'] as const) {
      const runWith: RunWith = (value) => netOf(file, [...set, ...editsOf(cost, value)]);
      if (of[cost].bracket === null) await checkReason(cost, of[cost], runWith);
      else await checkBracket(cost, of[cost], runWith);
    }
  });
});

test('brackets were found for every cost', () => {
  console.log(`brackets: ${[...found].map(([cost, count]) => `${cost} ${count}`).join(', ')}`);
  expect([...found.keys()].toSorted()).toEqual(['fee', 'latency', 'size', 'slippage']);
});
