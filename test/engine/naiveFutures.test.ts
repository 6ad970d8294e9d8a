// Tests runs of futures against a naive margin account: each fill, each liquidation and the final equity are equal to the unit.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContractData, MarkColumns } from '../../src/model/bars/contractData.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy, type OrderOptions } from '../../src/index.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { ENDINGS, ROLES, SIDES, type RunRecord } from '../../src/model/run/run.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { type NaiveFill, NaiveFutures, type NaiveRequest, type NaiveRow } from './naiveFutures.ts';
import { barsOfRows, MINUTE, planFor, START_MS, type PlanOptions } from './backtestFixture.ts';

/** Number of cases of each kind. ISOBAR_CAMPAIGN_RUNS=2000 runs a campaign. */
const RUN_COUNT = Number(process.env['ISOBAR_CAMPAIGN_RUNS'] ?? 40);

/** A price move in thousandths: usually small, sometimes a crash. */
const move = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 25 }) }, { weight: 1, arbitrary: fc.nat({ max: 350 }) });
/** A price move in either direction, in thousandths. */
const signedMove = fc.tuple(move, fc.boolean()).map(([size, isUp]) => (isUp ? size : -size));
/** One order of a strategy. Distances of its legs are in thousandths of the entry price. */
const request = fc.record({
  kind: fc.constantFrom('limit' as const, 'limit' as const, 'trigger' as const, 'market' as const),
  isLong: fc.boolean(),
  reduces: fc.boolean(),
  /** Distance of the order from the close, in thousandths. */
  distance: signedMove,
  size: fc.integer({ min: 1, max: 60 }),
  stop: fc.option(fc.integer({ min: 1, max: 200 })),
  target: fc.option(fc.integer({ min: 1, max: 120 })),
  trailing: fc.option(fc.integer({ min: 1, max: 120 })),
});
/** One row of prices and marks, and the orders at its close. Moves are in thousandths of the price. */
const row = fc.record({
  gap: signedMove,
  up: move,
  down: move,
  /** Where the close lies between low and high, in per cent. */
  closePercent: fc.nat({ max: 100 }),
  markOffset: fc.integer({ min: -12, max: 12 }),
  markUp: fc.nat({ max: 20 }),
  markDown: fc.nat({ max: 20 }),
  requests: fc.array(request, { maxLength: 3 }),
});
/** One account with its rows. */
const scenario = fc.record({
  /** The first price, in ticks. */
  start: fc.constantFrom<number[]>(90, 20_000, 150_000),
  leverage: fc.constantFrom(2, 10, 20, 50, 100),
  hasMarks: fc.boolean(),
  /** True if entries have brackets; false if separate orders close positions. */
  hasBrackets: fc.boolean(),
  goesLong: fc.boolean(),
  /** The cash of the account, in thousandths of the margin that the largest positions need. */
  cashPerMargin: fc.integer({ min: 1100, max: 2500 }),
  rows: fc.array(row, { minLength: 3, maxLength: 14, size: 'max' }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Drawn> ? Drawn : never;
type DrawnRequest = Scenario['rows'][number]['requests'][number];

/** Returns a price moved by thousandths, at least two ticks. */
const movedBy = (ticks: number, thousandths: number): number => Math.max(2, Math.round(ticks * (1 + thousandths / 1000)));

/** Returns the prices and the marks of a scenario, in ticks. */
function rowsOf({ start, rows }: Scenario): { readonly rows: NaiveRow[]; readonly marks: NaiveRow[] } {
  let last = start;
  const drawn = { rows: [[last, last, last, last] as NaiveRow], marks: [[last, last, last, last] as NaiveRow] };
  for (const { gap, up, down, closePercent, markOffset, markUp, markDown } of rows) {
    const open = Math.max(20, Math.min(start * 4, movedBy(last, gap)));
    const high = movedBy(open, up);
    const low = movedBy(open, -down);
    last = Math.round(low + ((high - low) * closePercent) / 100);
    drawn.rows.push([open, high, low, last]);
    const markOpen = movedBy(open, markOffset);
    const markClose = movedBy(last, markOffset);
    const markHigh = Math.max(movedBy(high, markUp - 10), markOpen, markClose);
    const markLow = Math.min(movedBy(low, 10 - markDown), markOpen, markClose);
    drawn.marks.push([markOpen, markHigh, markLow, markClose]);
  }
  return drawn;
}

/** What a random order may depend on. */
interface RequestContext {
  readonly scenario: Scenario;
  readonly isNet: boolean;
  /** The close at which the order is placed, in ticks. */
  readonly close: number;
  readonly lotsPerSize: number;
  /** Number of the order. It is added to the lots, so that no two orders are equal. */
  readonly number: number;
}

/** Returns a drawn request with levels in ticks and its size in lots. */
function requestOf(
  drawnRequest: DrawnRequest,
  { scenario: { hasBrackets, goesLong }, isNet, close, lotsPerSize, number }: RequestContext,
): NaiveRequest {
  const isLong = isNet ? goesLong : drawnRequest.isLong;
  const reduces = !hasBrackets && drawnRequest.reduces;
  const kind = drawnRequest.kind === 'market' && !reduces ? 'limit' : drawnRequest.kind;
  let level = kind === 'market' ? 0 : movedBy(close, drawnRequest.distance);
  if (kind === 'trigger' && level === close) level++;
  /** Returns the level of a leg: on the winning side of the entry for a sign of 1, on the losing side for -1. */
  const legLevel = (thousandths: number, sign: number): number => {
    const entry = isLong === sign > 0 ? Math.max(level, close) : Math.min(level, close);
    const direction = isLong ? sign : -sign;
    return Math.max(1, movedBy(entry, direction * thousandths) + direction);
  };
  const usesBrackets = hasBrackets && !reduces;
  return {
    kind,
    isLong,
    reduces,
    lots: drawnRequest.size * lotsPerSize + number,
    level,
    stop: usesBrackets && drawnRequest.stop !== null ? legLevel(drawnRequest.stop, -1) : 0,
    target: usesBrackets && drawnRequest.target !== null ? legLevel(drawnRequest.target, 1) : 0,
    trailing: usesBrackets && drawnRequest.trailing !== null ? Math.max(1, Math.round((close * drawnRequest.trailing) / 1000)) : 0,
  };
}

/** Returns a strategy that sends the requests of each row, and stores their order ids in `sent`. */
function senderOf(requestsByRow: readonly (readonly NaiveRequest[])[], sent: Map<NaiveRequest, number>) {
  return class Sender extends Strategy {
    row = 0;
    override onBar() {
      for (const naiveRequest of requestsByRow[this.row++] ?? []) {
        const { isLong, reduces, lots } = naiveRequest;
        const heldLots = isLong ? this.position().long : this.position().short;
        const hasExit = this.openOrders().some((order) => order.tag.startsWith(`out ${isLong}`));
        if (reduces && (heldLots.isZero() || hasExit)) continue;
        const options = orderOptions(naiveRequest, `${reduces ? 'out' : 'in'} ${isLong} ${sent.size}`);
        const size = { base: reduces ? heldLots.toNumber() : lots };
        sent.set(naiveRequest, isLong !== reduces ? this.buy(size, options) : this.sell(size, options));
      }
    }
  };
}

/** Returns the options of an order of the strategy API. A price there has tenths, the ticks of the contract. */
function orderOptions({ reduces, kind, level, stop, target, trailing }: NaiveRequest, tag: string): OrderOptions {
  const price = (ticks: number) => ticks / 10;
  return {
    tag,
    reduceOnly: reduces,
    ...(kind === 'limit' && { limit: price(level) }),
    ...(kind === 'trigger' && { trigger: price(level) }),
    ...(stop > 0 && { stopLoss: price(stop) }),
    ...(target > 0 && { takeProfit: price(target) }),
    ...(trailing > 0 && { trailing: price(trailing) }),
  };
}

/** Counts of one comparison. */
interface ComparisonCounts {
  readonly fills: number;
  readonly liquidations: number;
  readonly isTight: boolean;
}

/** A kind of contract and account. */
interface AccountKind {
  readonly kind: 'linear' | 'inverse';
  readonly isCross: boolean;
  readonly isNet: boolean;
}

/** Runs a scenario by the bot and by the naive account, and expects the same fills and the same equity at the end. */
async function compare(account: AccountKind, drawnScenario: Scenario): Promise<ComparisonCounts> {
  const { kind, isCross, isNet } = account;
  const instrument = kind === 'linear' ? linearContract() : inverseContract();
  const { rows, marks } = rowsOf(drawnScenario);
  const { leverage, hasMarks } = drawnScenario;
  const lotValue = kind === 'linear' ? drawnScenario.start : 1e11 / drawnScenario.start;
  const lotsPerSize = Math.max(1, Math.round((kind === 'linear' ? 8e6 : 2e7) / lotValue));
  let requestCount = 0;
  const requestsByRow = drawnScenario.rows.map(({ requests }, index) => {
    const context = { scenario: drawnScenario, isNet, close: rows[index + 1]![3], lotsPerSize };
    return requests.map((drawnRequest) => requestOf(drawnRequest, { ...context, number: ++requestCount }));
  });
  const requests = [[], ...requestsByRow];
  const cash = isCross ? crossCash(requests.flat(), lotValue, drawnScenario) : 1e14;
  const futures = { leverage, isCross, isNet, liquidationFeePpm: 5000, data: contractData(instrument.id, hasMarks ? marks : null) };
  const { record, sent } = await runRequests({ requests, rows, instrument, cash, futures });

  const naive = new NaiveFutures(
    { isInverse: kind === 'inverse', leverage: BigInt(leverage), isCross, isNet, liquidationFeePpm: 5000n, cash: BigInt(cash) },
    rows,
    hasMarks ? marks : null,
  );
  const naiveEquity = naive.run(acceptedRequests(requests, sent, record));
  const { orders } = record;
  // With scarce margin the exchange may cut an order or cancel it, which the naive account does not predict.
  const isTight = naive.isTight || [...orders.filledLots].some((lots, index) => lots > 0 && lots < orders.lots[index]!);
  if (!isTight) {
    expect(fillTexts(record)).toEqual(naive.fills.map(naiveFillText));
    expect(BigInt(record.equity.units.at(-1)!)).toBe(naiveEquity);
  }
  return { fills: record.fills.length, liquidations: naive.liquidations, isTight };
}

/** Returns the cash of a cross account, in units: the margin of all entries times `cashPerMargin`. */
function crossCash(requests: readonly NaiveRequest[], lotValue: number, { leverage, cashPerMargin }: Scenario): number {
  const value = requests.filter(({ reduces }) => !reduces).reduce((sum, { lots }) => sum + lots * lotValue, 0);
  return Math.ceil(((value / leverage) * cashPerMargin) / 1000) + 1000;
}

/** Returns the contract data with the marks as columns, without funding. */
function contractData(id: InstrumentId, marks: readonly NaiveRow[] | null): Map<InstrumentId, ContractData> {
  const column = (index: number) => Int32Array.from(marks ?? [], (mark) => mark[index]!);
  const columns: MarkColumns | null =
    marks === null ? null : { open: column(0), high: column(1), low: column(2), close: column(3), source: 'test' };
  return new Map([[id, { marks: columns, funding: [] }]]);
}

/** The orders and rows of one run. */
interface RequestRun {
  readonly requests: readonly (readonly NaiveRequest[])[];
  readonly rows: readonly NaiveRow[];
  readonly instrument: Instrument;
  readonly cash: number;
  readonly futures: NonNullable<PlanOptions['futures']>;
}

/** Runs a strategy that sends the requests. Returns the record, and the order id of each sent request. */
async function runRequests({ requests, rows, instrument, cash, futures }: RequestRun) {
  const sent = new Map<NaiveRequest, number>();
  const digits = instrument.contract!.marginDigits;
  const plan = planFor({
    strategies: [senderOf(requests, sent)],
    feeds: { bars: barsOfRows(rows, instrument) },
    cash: { [instrument.quote]: (cash / 10 ** digits).toFixed(digits) },
    risk: {},
    fees: { rounding: 'halfUp' },
    futures,
  });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.venue!.assertConserved();
  prepared.engine.ledger.assertReconciled();
  return { record: runRecordOf(plan, prepared, false), sent };
}

/** Returns the requests that the exchange accepted, by row, with the lots that the bot sent. */
function acceptedRequests(requests: RequestRun['requests'], sent: ReadonlyMap<NaiveRequest, number>, { orders }: RunRecord) {
  const accepted = requests.map((requestsOfRow) =>
    requestsOfRow.flatMap((naiveRequest) => {
      const id = sent.get(naiveRequest);
      if (id === undefined || ['denied', 'refused', 'rejected'].includes(ENDINGS[orders.ending[id - 1]!]!)) return [];
      return [{ ...naiveRequest, lots: orders.lots[id - 1]! }];
    }),
  );
  return new Map(accepted.map((requestsOfRow, index) => [index, requestsOfRow]));
}

/** Returns the fills of a run as text: minute, side, price, lots, fee, and whether it is a liquidation. */
function fillTexts({ fills, orders }: RunRecord): readonly string[] {
  return Array.from(fills.orderId, (id, index) => {
    const minute = (fills.timeMs[index]! - START_MS) / MINUTE;
    const isLiquidation = ROLES[orders.role[id - 1]!] === 'liquidation';
    return [minute, SIDES[fills.side[index]!], fills.price[index], fills.lots[index], fills.fee[index], isLiquidation].join(' ');
  });
}

/** Returns a fill of the naive account in the same form. A fill inside a row has the minute of the row's end. */
const naiveFillText = ({ row: index, atOpen, isBuy, price, lots, fee, isLiquidation }: NaiveFill): string =>
  [index + (atOpen ? 0 : 1), isBuy ? 'buy' : 'sell', price, lots, fee, isLiquidation].join(' ');

const kinds = (['linear', 'inverse'] as const).flatMap((kind) =>
  [false, true].flatMap((isCross) =>
    [true, false].map((isNet) => [kind, isCross ? 'cross' : 'isolated', isNet ? 'net' : 'two-way'] as const),
  ),
);

describe('a run equals a naive margin account', () => {
  it.each(kinds)(
    'a run has every fill and liquidation and the last equity of a naive margin account: %s, %s, %s',
    async (kind, margin, sides) => {
      const total = { fills: 0, liquidations: 0, tightCases: 0 };
      await fc.assert(
        fc.asyncProperty(scenario, async (drawnScenario) => {
          const { fills, liquidations, isTight } = await compare(
            { kind, isCross: margin === 'cross', isNet: sides === 'net' },
            drawnScenario,
          );
          total.fills += fills;
          total.liquidations += isTight ? 0 : liquidations;
          if (isTight) total.tightCases++;
        }),
        { numRuns: RUN_COUNT, seed: Number(process.env['ISOBAR_SEED'] ?? 26), endOnFailure: true },
      );
      expect(total.fills).toBeGreaterThan(RUN_COUNT * 3);
      expect(total.liquidations).toBeGreaterThan(RUN_COUNT / 20);
      expect(total.tightCases).toBeLessThan(RUN_COUNT / 3);
    },
  );
});
