// Runs backtests from memory for tests of the engine: seeded bars with gaps, plans around strategy classes, and results as plain rows.

import type { ReplayExchangeOptions } from '../../src/adapters/replay/replayExchange.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { resample } from '../../src/adapters/catalog/bars/resample.ts';
import { toScaled } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { blockLoop } from '../../src/engine/loop/blockLoop.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { addStrategy, sealEngine } from '../../src/engine/loop/setUp.ts';
import { createBot } from '../../src/app/bot.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { openVenue, replayWorld } from '../../src/app/replayWorld.ts';
import { prepareBacktest, runRecordOf, type BacktestRunOptions } from '../../src/tasks/backtest/run/runBacktest.ts';
import type { Size } from '../../src/index.ts';
import { parseParams } from '../../src/strategy/params.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Interval } from '../../src/model/interval.ts';
import { ENDINGS, ROLES, SIDES, type FillColumns, type OrderColumns, type RunRecord } from '../../src/model/run/run.ts';
import { Venue } from '../../src/venue/venue.ts';
import { spotInstrument } from '../fixtures/drafts.ts';
import { feedPlan, runPlan, type GivenStrategy, type RunPlanOptions } from '../fixtures/runPlan.ts';

export { spotInstrument };
/** One minute, ms. */
export const MINUTE = 60_000;
/** Open time of the first bar, ms UTC. */
export const START_MS = Date.UTC(2024, 0, 1);

/** The options of a random walk. */
export interface RandomWalkOptions {
  readonly rows?: number;
  readonly seed?: number;
  /** Share of the minutes without a row, from 0 to 1. */
  readonly missing?: number;
  readonly instrument?: Instrument;
  /** Largest move within a row, in ticks. */
  readonly step?: number;
  /** The first price, in ticks. */
  readonly start?: number;
  /** Largest volume of a row in the base asset. */
  readonly volume?: number;
}

/**
 * Returns a random walk in whole ticks: one-minute rows from 2024-01-01, from 100.00 by default. In a third of the rows the open differs from
 * the last close.
 */
export function walkBars(options: RandomWalkOptions = {}): BarColumns {
  const { rows = 400, seed = 1, missing = 0, instrument = spotInstrument(), step = 60, start = 10_000, volume = 5 } = options;
  const rng = seededRng(seed);
  const pick = (below: number) => Math.floor(rng.next() * below);
  const minuteRows: MinuteRow[] = [];
  let price = start;
  for (let minute = 0; minuteRows.length < rows; minute++) {
    const hasRow = rng.next() >= missing;
    const open = Math.max(200, price + (pick(3) === 0 ? pick(step) - (step >> 1) : 0));
    price = Math.max(200, open + pick(2 * step + 1) - step);
    const high = Math.max(open, price) + pick(step >> 1);
    const low = Math.min(open, price) - pick(step >> 1);
    if (hasRow) minuteRows.push([minute, open, high, low, price, pick(volume * 1000) / 1000]);
  }
  return barsFrom(minuteRows, instrument);
}

/** Minute since START_MS; open, high, low, close in ticks; volume in the base asset (default 100). */
export type MinuteRow = readonly [minute: number, open: number, high: number, low: number, close: number, volume?: number];

/** Returns the bars of rows that name their minute. */
export function barsFrom(rows: readonly MinuteRow[], instrument: Instrument = spotInstrument(), interval: Interval = '1m'): BarColumns {
  const scale = 10 ** instrument.priceDigits;
  const column = (valueOf: (row: MinuteRow) => number) => Float64Array.from(rows, valueOf);
  return {
    instrument,
    interval,
    length: rows.length,
    openMs: column(([minute]) => START_MS + minute * MINUTE),
    closeMs: column(([minute]) => START_MS + (minute + 1) * MINUTE),
    open: column(([, open]) => open / scale),
    high: column(([, , high]) => high / scale),
    low: column(([, , , low]) => low / scale),
    close: column(([, , , , close]) => close / scale),
    volume: column(([, , , , , volume]) => volume ?? 100),
  };
}

/** The prices of a row in ticks, and its volume in the base asset (default 100). */
export type PriceRow = readonly [open: number, high: number, low: number, close: number, volume?: number];
/** A row around a price of 100 that reaches no order of these tests except market orders. */
export const QUIET_ROW: PriceRow = [10_000, 10_010, 9990, 10_000];

/** Returns this many quiet rows. */
export const quietRows = (count: number): PriceRow[] => Array.from({ length: count }, () => QUIET_ROW);

/** A size of 100 lots of the spot instrument. */
export const HUNDRED_LOTS: Size = { base: '0.1' };
/** The fees of a run without fees, so that results are the differences of prices. */
export const NO_FEES = { makerPpm: 0, takerPpm: 0 };
/** The terms of a contract without fees. */
export const NO_CONTRACT_FEES = { openMakerFeePpm: 0, openTakerFeePpm: 0, closeMakerFeePpm: 0, closeTakerFeePpm: 0 };

/** Returns bars of consecutive minutes, from minute 0 on. */
export function barsOfRows(rows: readonly PriceRow[], instrument = spotInstrument()): BarColumns {
  return barsFrom(
    rows.map(([open, high, low, close, volume], minute) => [minute, open, high, low, close, volume ?? 100]),
    instrument,
  );
}

/** Returns the bars of a coarser interval. */
export const coarser = (bars: BarColumns, interval: Interval): BarColumns => resample(bars, interval).bars;

/** The strategies and bars of a plan, and the other terms of its run. */
export interface PlanOptions extends RunPlanOptions {
  readonly strategies: readonly GivenStrategy[];
  /** Bars by the name of their feed. A list gives several feeds of one name. */
  readonly feeds: Readonly<Record<string, BarColumns | readonly BarColumns[]>>;
}

/** Returns the plan of a backtest with cash of 100,000 USDT, sizes of 90 % of the equity and fees, unless the options say otherwise. */
export function planFor({ strategies, feeds, fees, ...overrides }: PlanOptions): RunPlan {
  const feedPlans = Object.entries(feeds).flatMap(([name, barsOfName]) =>
    ('openMs' in barsOfName ? [barsOfName] : barsOfName).map((bars) => feedPlan(name, bars)),
  );
  const defaults = {
    fromMs: START_MS,
    cash: { USDT: '100000' },
    size: { equity: '0.9' },
    fees: { makerPpm: 1000, takerPpm: 2000, ...fees },
  };
  return runPlan(strategies, feedPlans, { ...defaults, ...overrides });
}

/** A finished run. */
export interface EngineRun {
  readonly record: RunRecord;
  readonly engine: Engine;
  readonly venue: Venue;
}

/** Runs a spot plan to its end, and checks that the books of bot and venue add up. Calls `watch` before the first bar. */
export async function run(
  options: PlanOptions,
  runOptions: BacktestRunOptions = {},
  watch: (engine: Engine, venue: Venue) => void = () => {},
): Promise<EngineRun> {
  const plan = planFor(options);
  const prepared = await prepareBacktest(plan, runOptions);
  const { engine, venue } = prepared;
  if (!(venue instanceof Venue)) throw new Error('expected a run of spot, got one of futures');
  watch(engine, venue);
  prepared.loop(engine);
  venue.assertConserved();
  engine.ledger.assertReconciled();
  return { record: runRecordOf(plan, prepared, false), engine, venue };
}

/** Runs a plan step by step, so that the journal can be read. Returns the engine and the hash of the journal. */
export async function runWithJournal(
  options: PlanOptions,
  faultOf?: ReplayExchangeOptions['faultOf'],
): Promise<{ engine: Engine; hash: string }> {
  const plan = planFor(options);
  const bot = createBot(plan, replayWorld(plan, faultOf ? { faultOf } : {}));
  const { engine, journal } = bot;
  const deposits = addStrategiesAndCash(engine, plan);
  sealEngine(engine, null);
  openVenue(plan, bot, [deposits]);
  blockLoop(engine);
  if (!(journal instanceof ReplayJournal)) throw new Error('a replay keeps a ReplayJournal');
  return { engine, hash: journal.hash };
}

/** Constructs the strategies of a plan and gives all cash to the first one. Returns the deposits for the venue, by asset. */
export function addStrategiesAndCash(engine: Engine, plan: RunPlan): Map<string, number> {
  plan.strategies.forEach(({ strategy, record, params }, index) =>
    addStrategy(engine, strategy, record.name, parseParams(strategy.params, params, record.file), seededRng(plan.seed * 65_537 + index)),
  );
  const deposits = new Map<string, number>();
  for (const [asset, text] of Object.entries(plan.cash)) {
    const instrument = engine.instruments.find((candidate) => candidate.quote === asset || candidate.base === asset)!;
    const units = toScaled(text, instrument.quote === asset ? instrument.quoteDigits : instrument.baseDigits)!;
    engine.ledger.deposit(0, asset, units);
    deposits.set(asset, units);
  }
  return deposits;
}

/** Returns orders, fills and equity of a run as plain arrays. Equal runs have equal arrays, bit by bit. */
export function columnsOf({ orders, fills, equity }: RunRecord): object {
  return { orders: plainColumns(orders), fills: plainColumns(fills), equity: { timeMs: [...equity.timeMs], units: [...equity.units] } };
}

function plainColumns(columns: OrderColumns | FillColumns): object {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, typeof column === 'number' ? column : [...column]]));
}

/** A fill as plain values, for comparisons. */
export interface FillRow {
  /** Id of the order: 1 for the first order of the run. */
  readonly order: number;
  readonly side: string;
  /** Ticks. */
  readonly price: number;
  readonly lots: number;
  readonly isMaker: boolean;
  /** Minutes since START_MS. */
  readonly minute: number;
  /** Units of the asset in which the fee is taken. */
  readonly fee: number;
}

/** Returns the fills of a run as rows, prices in ticks. */
export function fillRows({ fills }: RunRecord): FillRow[] {
  return Array.from({ length: fills.length }, (_, index) => ({
    order: fills.orderId[index]!,
    side: SIDES[fills.side[index]!]!,
    price: fills.price[index]!,
    lots: fills.lots[index]!,
    isMaker: fills.isMaker[index] === 1,
    minute: (fills.timeMs[index]! - START_MS) / MINUTE,
    fee: fills.fee[index]!,
  }));
}

/** An order as plain values, for comparisons. */
export interface OrderValues {
  readonly side: string;
  readonly role: string;
  readonly lots: number;
  readonly ending: string;
  /** Deny code of the bot or reject code of the venue; empty for none. */
  readonly code: string;
  /** Lots. */
  readonly filled: number;
  /** Id of the entry that a bracket leg protects; 0 for other orders. */
  readonly parent: number;
  /** Limit or trigger, in ticks. */
  readonly limit: number;
}

/** Returns the orders of a run as rows, in the order of their ids. */
export function orderRows({ orders }: RunRecord): OrderValues[] {
  return Array.from({ length: orders.length }, (_, index) => ({
    side: SIDES[orders.side[index]!]!,
    role: ROLES[orders.role[index]!]!,
    lots: orders.lots[index]!,
    ending: ENDINGS[orders.ending[index]!]!,
    code: orders.texts[orders.code[index]!]!,
    filled: orders.filledLots[index]!,
    parent: orders.parent[index]!,
    limit: orders.limit[index]!,
  }));
}
