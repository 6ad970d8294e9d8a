// Tests runs of futures against a naive margin account: each fill, each liquidation and the final equity are equal to the unit.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContractData, MarkColumns } from '../../src/model/bars/marks.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { InstrumentId } from '../../src/model/instrument.ts';
import { ENDINGS, ROLES, SIDES } from '../../src/model/run/run.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { type NaiveRequest, NaiveFutures, type NaiveRow, type NaiveTerms } from './naiveFutures.ts';
import { barsOfRows, MINUTE, planFor, START_MS } from './world.ts';

/** Cases of each kind; a campaign takes more: ISOBAR_CAMPAIGN_RUNS=2000. */
const RUNS = Number(process.env['ISOBAR_CAMPAIGN_RUNS'] ?? 40);

/** A move in thousandths: mostly small, now and then a crash. */
const move = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 25 }) }, { weight: 1, arbitrary: fc.nat({ max: 350 }) });
const signed = fc.tuple(move, fc.boolean()).map(([size, isUp]) => (isUp ? size : -size));
const request = fc.record({
  kind: fc.constantFrom('limit' as const, 'limit' as const, 'trigger' as const, 'market' as const),
  isLong: fc.boolean(),
  reduces: fc.boolean(),
  /** In thousandths of the close. */
  away: signed,
  size: fc.integer({ min: 1, max: 60 }),
  stop: fc.option(fc.integer({ min: 1, max: 200 })),
  target: fc.option(fc.integer({ min: 1, max: 120 })),
  trailing: fc.option(fc.integer({ min: 1, max: 120 })),
});
const row = fc.record({
  gap: signed,
  up: move,
  down: move,
  close: fc.nat({ max: 100 }),
  markOff: fc.integer({ min: -12, max: 12 }),
  markUp: fc.nat({ max: 20 }),
  markDown: fc.nat({ max: 20 }),
  requests: fc.array(request, { maxLength: 3 }),
});
const scenario = fc.record({
  start: fc.constantFrom<number[]>(90, 20_000, 150_000),
  leverage: fc.constantFrom(2, 10, 20, 50, 100),
  hasMarks: fc.boolean(),
  /** Entries have brackets; else positions leave by orders of their own. */
  isGuarded: fc.boolean(),
  goesLong: fc.boolean(),
  /** The cash of the account, in thousandths of the margin that the largest positions need. */
  free: fc.integer({ min: 1100, max: 2500 }),
  rows: fc.array(row, { minLength: 3, maxLength: 14, size: 'max' }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Of> ? Of : never;
type Ask = Scenario['rows'][number]['requests'][number];

const near = (ticks: number, thousandths: number): number => Math.max(2, Math.round(ticks * (1 + thousandths / 1000)));

function rowsOf({ start, rows }: Scenario): { readonly rows: NaiveRow[]; readonly marks: NaiveRow[] } {
  let last = start;
  const found = { rows: [[last, last, last, last] as NaiveRow], marks: [[last, last, last, last] as NaiveRow] };
  for (const { gap, up, down, close, markOff, markUp, markDown } of rows) {
    const open = Math.max(20, Math.min(start * 4, near(last, gap)));
    const [high, low] = [near(open, up), near(open, -down)];
    last = Math.round(low + ((high - low) * close) / 100);
    found.rows.push([open, high, low, last]);
    const [markOpen, markClose] = [near(open, markOff), near(last, markOff)];
    const max = Math.max(near(high, markUp - 10), markOpen, markClose);
    found.marks.push([markOpen, max, Math.min(near(low, 10 - markDown), markOpen, markClose), markClose]);
  }
  return found;
}

/** What is asked at the close of a row: levels in ticks, sizes in lots that differ from all others. */
function askOf(
  of: Ask,
  index: number,
  close: number,
  lotsPerSize: number,
  { isGuarded, goesLong }: Scenario,
  isNet: boolean,
): NaiveRequest {
  const isLong = isNet ? goesLong : of.isLong;
  const reduces = !isGuarded && of.reduces;
  const kind = of.kind === 'market' && !reduces ? 'limit' : of.kind;
  let level = kind === 'market' ? 0 : near(close, of.away);
  if (kind === 'trigger' && level === close) level++;
  const away = (thousandths: number, sign: number): number => {
    const from = isLong === sign > 0 ? Math.max(level, close) : Math.min(level, close);
    return Math.max(1, near(from, (isLong ? sign : -sign) * thousandths) + (isLong ? sign : -sign));
  };
  const guards = isGuarded && !reduces;
  return {
    kind,
    isLong,
    reduces,
    lots: of.size * lotsPerSize + index,
    level,
    stop: guards && of.stop !== null ? away(of.stop, -1) : 0,
    target: guards && of.target !== null ? away(of.target, 1) : 0,
    trailing: guards && of.trailing !== null ? Math.max(1, Math.round((close * of.trailing) / 1000)) : 0,
  };
}

/** Sends what is asked, row by row, and remembers the orders. */
function sender(requests: readonly (readonly NaiveRequest[])[], sent: Map<NaiveRequest, number>) {
  return class Sender extends Strategy {
    row = 0;
    override onBar() {
      for (const of of requests[this.row++] ?? []) {
        const { isLong, reduces, lots, kind, level, stop, target, trailing } = of;
        const held = isLong ? this.position().long : this.position().short;
        const tag = `${reduces ? 'out' : 'in'} ${isLong} ${sent.size}`;
        if (reduces && (held.isZero() || this.openOrders().some((order) => order.tag.startsWith(`out ${isLong}`)))) continue;
        const price = (ticks: number) => ticks / 10;
        const options = {
          tag,
          reduceOnly: reduces,
          ...(kind === 'limit' && { limit: price(level) }),
          ...(kind === 'trigger' && { trigger: price(level) }),
          ...(stop > 0 && { stopLoss: price(stop) }),
          ...(target > 0 && { takeProfit: price(target) }),
          ...(trailing > 0 && { trailing: price(trailing) }),
        };
        const size = { base: reduces ? held.toNumber() : lots };
        sent.set(of, isLong !== reduces ? this.buy(size, options) : this.sell(size, options));
      }
    }
  };
}

interface Outcome {
  readonly fills: number;
  readonly liquidations: number;
  readonly isTight: boolean;
}

async function compare(kind: 'linear' | 'inverse', isCross: boolean, isNet: boolean, given: Scenario): Promise<Outcome> {
  const instrument = kind === 'linear' ? linearContract() : inverseContract();
  const { rows, marks } = rowsOf(given);
  const { start, leverage, hasMarks, free } = given;
  const lotValue = kind === 'linear' ? start : 1e11 / start;
  const lotsPerSize = Math.max(1, Math.round((kind === 'linear' ? 8e6 : 2e7) / lotValue));
  let count = 0;
  const requests = [
    [],
    ...given.rows.map(({ requests: of }, index) => of.map((one) => askOf(one, ++count, rows[index + 1]![3], lotsPerSize, given, isNet))),
  ];
  const opening = requests.flat().filter(({ reduces }) => !reduces);
  const value = opening.reduce((sum, { lots }) => sum + lots * lotValue, 0);
  const cash = isCross ? Math.ceil(((value / leverage) * free) / 1000) + 1000 : 1e14;
  const digits = instrument.contract!.marginDigits;
  const column = (index: number) => Int32Array.from(marks, (of) => of[index]!);
  const given2: MarkColumns | null = hasMarks
    ? { open: column(0), high: column(1), low: column(2), close: column(3), source: 'test' }
    : null;
  const data = new Map<InstrumentId, ContractData>([[instrument.id, { marks: given2, funding: [] }]]);
  const futures = { leverage, isCross, isNet, liquidationFeePpm: 5000, data };
  const sent = new Map<NaiveRequest, number>();
  const feeds = { bars: barsOfRows(rows, instrument) };
  const plan = {
    ...planFor({
      strategies: [sender(requests, sent)],
      feeds,
      cash: { [instrument.quote]: (cash / 10 ** digits).toFixed(digits) },
      risk: {},
      fees: { rounding: 'halfUp' },
    }),
    futures,
  };
  const world = await prepareBacktest(plan, {});
  world.loop(world.engine);
  world.venue!.assertConserved();
  world.engine.ledger.assertReconciled();
  const { fills, orders, equity } = runRecordOf(plan, world, false);

  const accepted = requests.map((list) =>
    list.flatMap((of) => {
      const id = sent.get(of);
      if (id === undefined || ['denied', 'refused', 'rejected'].includes(ENDINGS[orders.ending[id - 1]!]!)) return [];
      return [{ ...of, lots: orders.lots[id - 1]! }];
    }),
  );
  const terms: NaiveTerms = {
    isInverse: kind === 'inverse',
    leverage: BigInt(leverage),
    isCross,
    isNet,
    liquidationFeePpm: 5000n,
    cash: BigInt(cash),
  };
  const naive = new NaiveFutures(terms, rows, hasMarks ? marks : null);
  const units = naive.run(new Map(accepted.map((list, index) => [index, list])));
  const isTight = naive.isTight || [...orders.filledLots].some((lots, index) => lots > 0 && lots < orders.lots[index]!);
  if (!isTight) {
    const actual = [...fills.orderId].map((id, index) =>
      [(fills.timeMs[index]! - START_MS) / MINUTE, SIDES[fills.side[index]!], fills.price[index], fills.lots[index], fills.fee[index], ROLES[orders.role[id - 1]!] === 'liquidation'].join(' '),
    ); // prettier-ignore
    const due = naive.fills.map(({ row: index, atOpen, isBuy, price, lots, fee, isLiquidation }) =>
      [index + (atOpen ? 0 : 1), isBuy ? 'buy' : 'sell', price, lots, fee, isLiquidation].join(' '),
    );
    expect(actual).toEqual(due);
    expect(BigInt(equity.units.at(-1)!)).toBe(units);
  }
  return { fills: fills.length, liquidations: naive.liquidations, isTight };
}

const kinds = (['linear', 'inverse'] as const).flatMap((kind) =>
  [false, true].flatMap((isCross) =>
    [true, false].map((isNet) => [kind, isCross ? 'cross' : 'isolated', isNet ? 'net' : 'two-way'] as const),
  ),
);

describe('a run equals a naive account of margin', () => {
  it.each(kinds)(
    'a run equals a naive account of margin: %s, %s, %s: every fill and liquidation, and the last equity',
    async (kind, margin, sides) => {
      const total = { fills: 0, liquidations: 0, tight: 0 };
      await fc.assert(
        fc.asyncProperty(scenario, async (given) => {
          const { fills, liquidations, isTight } = await compare(kind, margin === 'cross', sides === 'net', given);
          total.fills += fills;
          total.liquidations += isTight ? 0 : liquidations;
          if (isTight) total.tight++;
        }),
        { numRuns: RUNS, seed: Number(process.env['ISOBAR_SEED'] ?? 26), endOnFailure: true },
      );
      expect(total.fills).toBeGreaterThan(RUNS * 3);
      expect(total.liquidations).toBeGreaterThan(RUNS / 20);
      expect(total.tight).toBeLessThan(RUNS / 3);
    },
  );
});
