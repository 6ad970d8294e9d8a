// Tests the answers of `isobar why` about random bars and orders against files and rules: npm run campaign -- why --cases 1000.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import type { ExplainedEvent, ExplainedOrder, Explanation } from '../../src/tasks/why/model/explanation.ts';
import { eventsOfBar } from '../../src/report/run/page/rows/barEvents.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { ruleOf } from '../fixtures/ruleOracle.ts';
import { ask, whyFolder, whyRun, type Row, type WhyRun } from '../fixtures/whyRuns.ts';

/** `npm run campaign -- why --cases 1000` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED } = process.env;
const isCampaign = ISOBAR_CASES !== undefined;
const SEED = Number(ISOBAR_SEED ?? 20_240_101);

/** Costs, caps, delays and limits that make every rule act somewhere. */
const ALL_COSTS = ['fills.slippageTicks=3', 'fills.maxVolumeShare=0.02', 'fills.latencyMs=60000', 'risk.maxOrdersPerMinute=1'];
const NO_CHANGES: readonly string[] = [];
/** Positions that the venue liquidates. */
const NEAR_LIQUIDATION = ['futures.leverage=50', 'risk.maxLeverage=60', 'params.stopAtrs=50', "size={ equity: '30' }"];
/** Orders that are on their way while a bar runs. */
const LATE_ORDERS = ['fills.slippageTicks=3', 'fills.latencyMs=60000'];
const STRATEGIES = [
  'bollingerGrid',
  'donchian',
  'fundingCarry',
  'fundingFade',
  'momentumRotation',
  'perpetualTrend',
  'rsiMeanReversion',
  'smaCross',
  'trendFilter',
];
/** Each strategy with the settings that are changed for its run. */
const CASES: readonly (readonly [name: string, set: readonly string[]])[] = isCampaign
  ? [...STRATEGIES.flatMap((name) => [[name, NO_CHANGES] as const, [name, ALL_COSTS] as const]), ['fundingFade', NEAR_LIQUIDATION] as const]
  : [['trendFilter', LATE_ORDERS]]; // prettier-ignore
const QUESTIONS = isCampaign ? Math.ceil(Math.min(Number(ISOBAR_CASES), 100_000) / CASES.length) : 8;
const MAX_RUN_MS = isCampaign ? 3_600_000 : 120_000;

let folder = '';
beforeAll(() => {
  folder = whyFolder(CASES.map(([name]) => name));
}, MAX_RUN_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What was checked. `derived`: fills whose rule follows from bar and order; `pageDiffers`: bars whose page shows other orders or fills. */
const counts = { orders: 0, bars: 0, fills: 0, denials: 0, derived: 0, pageDiffers: 0 };
/** Number of fills by the rule of docs/matching.md that explains them. */
const fillCountByRule = new Map<number, number>();
afterAll(() => {
  expect(counts.pageDiffers).toBeLessThanOrEqual(1 + counts.bars * 0.02);
  if (!isCampaign) return;
  const fillsByRule = Object.fromEntries([...fillCountByRule].toSorted(([firstRule], [secondRule]) => firstRule - secondRule));
  console.log(`seed ${SEED}: ${JSON.stringify(counts)}, fills by rule ${JSON.stringify(fillsByRule)}`);
  recordResult({ seed: SEED, ...counts, rules: fillsByRule });
});

describe.each(CASES)('%s, %j', (name, set) => {
  it(
    'isobar why agrees with the run folder and the venue about random orders and bars',
    async () => {
      const run = await whyRun(folder, name, set);
      const rng = seededRng(SEED + name.length * 1000 + set.length);
      expect(run.orders.length).toBeGreaterThan(10);
      for (let attempt = 0; attempt < QUESTIONS; attempt++) {
        const isOrder = attempt % 2 === 0;
        if (isOrder) await checkOrder(run, 1 + Math.floor(rng.next() * run.orders.length));
        else {
          const bar = attempt % 4 === 1 ? anyBar(run, rng.next(), rng.next()) : filledBar(run, rng.next());
          await checkBar(run, bar, rng.next());
        }
        if (attempt % 4 === 3) await checkFillTime(run, rng.next());
      }
    },
    MAX_RUN_MS,
  );
});

/** Checks the answer about an order against the tables of the run. */
async function checkOrder(run: WhyRun, number: number): Promise<void> {
  const caseName = `seed ${SEED}, ${run.name}, order ${number}`;
  const explanation = await ask(run, { order: number });
  const [order] = explanation.orders;
  expect(order?.order, caseName).toBe(number);
  compareOrder(run, order!, caseName);
  counts.orders++;
}

/** Columns of fills.csv that the answer about a fill repeats. */
const FILL_CELLS = ['trade_id', 'order_id', 'price', 'quantity', 'is_maker', 'time_ms', 'fee'];

/** Compares an order with its rows of orders.csv and fills.csv, and its rules with the venue's trace and with the oracle. */
function compareOrder(run: WhyRun, order: ExplainedOrder, caseName: string): void {
  const row = run.orders[order.order - 1]!;
  expect(orderCellsOf(order), caseName).toEqual(cellsOf(row, Object.keys(orderCellsOf(order))));
  // The venue gets a market order with a collar as a limit order.
  const isCollaredMarket = row['code'] === 'CAPPED' && order.role === 'market';
  expect(order.role === row['role'] || isCollaredMarket, `${caseName}: role ${order.role}`).toBe(true);
  expect(order.verdict === 'denied', caseName).toBe(row['ending'] === 'denied');
  const denied = order.rules.find(({ verdict }) => verdict === 'denied');
  expect(denied?.code ?? '', caseName).toBe(order.verdict === 'denied' ? row['code'] : '');
  if (order.verdict === 'denied') counts.denials++;
  const fills = run.fills.filter((fill) => fill['order_id'] === String(order.order));
  const events = order.events.filter(isFill);
  expect(events.map(fillCellsOf), caseName).toEqual(fills.map((fill) => cellsOf(fill, FILL_CELLS)));
  events.forEach((event, fillIndex) => checkRule(run, row, fills[fillIndex]!, event, caseName));
}

/** A liquidation is the fill of an order that the venue made itself. */
const isFill = ({ kind }: ExplainedEvent): boolean => kind === 'fill' || kind === 'liquidation';

/** Returns an explained order as the row of orders.csv: with the quantity, price and code with which it ended. */
function orderCellsOf(order: ExplainedOrder): Row {
  return {
    strategy: String(order.strategy),
    instrument: order.instrument,
    side: order.side,
    ending: order.ending,
    reduce_only: order.reduceOnly ? '1' : '0',
    parent_id: String(order.parent ?? ''),
    quantity: order.quantity ?? '',
    quote_amount: order.quoteAmount ?? '',
    price: order.price ?? '',
    filled_quantity: order.filledQuantity,
    created_ms: String(order.createdMs),
    slot: order.tag,
    code: order.code ?? '',
  };
}

/** Returns an explained fill as the row of fills.csv. */
function fillCellsOf({ tradeId, order, price, quantity, isMaker, timeMs, fee }: ExplainedEvent): Row {
  return {
    trade_id: tradeId ?? '',
    order_id: String(order),
    price: price ?? '',
    quantity: quantity ?? '',
    is_maker: isMaker === true ? '1' : '0',
    time_ms: String(timeMs),
    fee: fee?.split(' ')[0] ?? '',
  };
}

/** Returns the cells of a row with these names. A missing cell is empty. */
const cellsOf = (row: Row, names: readonly string[]): Row => Object.fromEntries(names.map((name) => [name, row[name] ?? '']));

/** Checks the rule of a fill against the rule that the bars give. */
function checkRule(run: WhyRun, order: Row, fill: Row, { rule, also }: ExplainedEvent, caseName: string): void {
  counts.fills++;
  const ruleNumber = rule ?? 0;
  fillCountByRule.set(ruleNumber, (fillCountByRule.get(ruleNumber) ?? 0) + 1);
  const bars = run.matched.get(fill['instrument']!)!;
  const derived = ruleOf(order, fill, bars);
  if (derived !== null) {
    counts.derived++;
    expect(rule, `${caseName}: fill ${fill['trade_id']}, by bar and order`).toBe(derived.rule);
    expect(also.includes(12), `${caseName}: fill ${fill['trade_id']}, slippage`).toBe(derived.isSlipped);
  }
  const traced = run.trace.get(`${fill['instrument']} ${fill['trade_id']}`);
  expect(traced, `${caseName}: fill ${fill['trade_id']} is in the venue's trace`).toBeDefined();
  expect(rule, `${caseName}: fill ${fill['trade_id']}, by the venue's trace`).toBe(ruleByTrace(order, traced!.rule, rule));
}

/** The rules of docs/matching.md that the venue and the answer may name differently. */
const RULE = { marketAtOpen: 4, limitAtOpen: 5, limitAfterGap: 6, immediateOrCancel: 13 };

/** Returns the rule that the answer must name. The venue does not know that a limit has rested, or that it is the collar of a market order. */
function ruleByTrace(order: Row, tracedRule: number, answeredRule: number | undefined | null): number {
  const isRestedLimit = tracedRule === RULE.limitAtOpen && answeredRule === RULE.limitAfterGap;
  if (isRestedLimit) return RULE.limitAfterGap;
  const isMarket = order['role'] === 'market' || order['code'] === 'CAPPED';
  const isLimitRule = tracedRule === RULE.limitAtOpen || tracedRule === RULE.immediateOrCancel;
  return isMarket && isLimitRule ? RULE.marketAtOpen : tracedRule;
}

/** A bar of a symbol. */
interface ChosenBar {
  readonly symbol: string;
  readonly row: number;
}

/** The symbol of a bar, and its times. */
interface BarSpan {
  readonly symbol: string;
  readonly openMs: number;
  readonly closeMs: number;
}

/** Returns a random bar of a random symbol. The draws are from 0 to below 1. */
function anyBar(run: WhyRun, rowDraw: number, symbolDraw: number): ChosenBar {
  const instruments = [...run.shown.keys()];
  const symbol = instruments[Math.floor(symbolDraw * instruments.length)]!;
  const bars = run.shown.get(symbol)!;
  const rows = Array.from(bars.openMs.keys()).filter((row) => bars.openMs[row]! >= run.fromMs && bars.closeMs[row]! <= run.toMs);
  return { symbol, row: rows[Math.floor(rowDraw * rows.length)]! };
}

/** Returns a random bar in which an order filled. */
function filledBar(run: WhyRun, draw: number): ChosenBar {
  const fill = run.fills[Math.floor(draw * run.fills.length)]!;
  const symbol = fill['instrument']!;
  const bars = run.shown.get(symbol)!;
  const matched = run.trace.get(`${symbol} ${fill['trade_id']}`);
  const decidedMs = matched?.openMs ?? Number(fill['time_ms']) - 1;
  return { symbol, row: bars.closeMs.findIndex((closeMs, row) => closeMs > decidedMs && bars.openMs[row]! <= decidedMs) };
}

/** Checks the answer about the time of a fill, which is the end of its bar: the answer shows the fill or leads to it. */
async function checkFillTime(run: WhyRun, draw: number): Promise<void> {
  const makerFills = run.fills.filter((fill) => fill['is_maker'] === '1');
  const candidates = makerFills.length > 0 ? makerFills : run.fills;
  const fill = candidates[Math.floor(draw * candidates.length)]!;
  const symbol = fill['instrument']!;
  const caseName = `seed ${SEED}, ${run.name}, fill ${fill['trade_id']} of ${symbol}`;
  const showsFill = ({ venue }: Explanation): boolean => venue.some(({ tradeId }) => tradeId === fill['trade_id']);
  const atMs = Number(fill['time_ms']);
  // A fill of the last bar has the time at which the run ends: no bar contains it.
  if (atMs >= Math.max(...run.shown.get(symbol)!.closeMs)) return;
  const explanation = await ask(run, { atMs, symbol });
  if (showsFill(explanation)) return;
  const ledToMs = explanation.notes
    .map((note) => /of this time in fills\.csv: .*--at (\d+)$/.exec(note)?.[1])
    .find((ms) => ms !== undefined);
  expect(ledToMs, caseName).toBeDefined();
  expect(showsFill(await ask(run, { atMs: Number(ledToMs), symbol })), caseName).toBe(true);
}

/** Checks the answer about a bar, which any time inside it names. */
async function checkBar(run: WhyRun, { symbol, row }: ChosenBar, timeDraw: number): Promise<void> {
  const bars = run.shown.get(symbol)!;
  const openMs = bars.openMs[row]!;
  const closeMs = bars.closeMs[row]!;
  const caseName = `seed ${SEED}, ${run.name}, ${symbol} ${new Date(openMs).toISOString()}`;
  // Any time inside the bar names it.
  const timesMs = [openMs, closeMs - 1, openMs + Math.floor(timeDraw * (closeMs - openMs))];
  const explanation = await ask(run, { atMs: timesMs[Math.floor(timeDraw * 3)]!, symbol });
  expect([explanation.bar.openMs, explanation.bar.close, explanation.bar.volume], caseName).toEqual([
    openMs,
    bars.close[row],
    bars.volume[row],
  ]);
  const bar = { symbol, openMs, closeMs };
  compareDecisions(run, explanation, bar, caseName);
  compareVenue(run, explanation, bar, caseName);
  comparePage(run, explanation, bar, caseName);
  counts.bars++;
}

/** Compares what strategies decided at the close of the bar with orders.csv. Bracket legs and liquidations follow from fills. */
function compareDecisions(run: WhyRun, { orders, strategies }: Explanation, { openMs, closeMs }: BarSpan, caseName: string): void {
  const isDecided = ({ created_ms: created, parent_id: parent, role }: Row): boolean =>
    Number(created) > openMs && Number(created) <= closeMs && parent === '' && role !== 'liquidation';
  const decidedIds = run.orders.filter(isDecided).map(({ order_id: id }) => id);
  const decisions = orders.filter(({ parent, role }) => parent === null && role !== 'liquidation');
  expect(
    decisions.map(({ order }) => String(order)),
    caseName,
  ).toEqual(decidedIds);
  for (const order of orders) compareOrder(run, order, `${caseName}, order ${order.order}`);
  for (const { index, noTrade, when: explainedTriggers } of strategies) {
    expect(noTrade === null, caseName).toBe(decisions.some(({ strategy }) => strategy === index));
    // A condition that is not true names the first of its operands that is not.
    for (const { state, firstFalse, operands } of explainedTriggers) {
      expect(firstFalse === null, caseName).toBe(state === 'true');
      if (firstFalse !== null) expect(operands.find(({ text }) => text === firstFalse)?.state, caseName).not.toBe('true');
    }
  }
}

/**
 * Compares the answer with the report, in which a click on the bar shows its orders and fills. Under a cap on volume the remainder of a stop
 * fills at the next open, at the time at which the bar before it closed. The tables do not distinguish these bars, so a few may differ.
 */
function comparePage(
  { page, fills, trace, isCapped }: WhyRun,
  { orders }: Explanation,
  { symbol, openMs, closeMs }: BarSpan,
  caseName: string,
): void {
  const { rows, instruments } = page;
  const events = eventsOfBar(rows, instruments.indexOf(symbol), openMs, closeMs);
  const decidedOrders = orders.filter(({ instrument }) => instrument === symbol).map(({ order }) => order);
  const barFills = fills.filter((fill) => {
    const row = trace.get(`${fill['instrument']} ${fill['trade_id']}`);
    return fill['instrument'] === symbol && row !== undefined && row.openMs >= openMs && row.closeMs <= closeMs;
  });
  const pageRows = [
    events.decided.map((row) => rows.orders.id[row]!).toSorted((first, second) => first - second),
    events.fills.map((row) => rows.fills.order[row]),
  ];
  const expectedRows = [decidedOrders.toSorted((first, second) => first - second), barFills.map((fill) => Number(fill['order_id']))];
  if (!isCapped) expect(pageRows, `${caseName}, the page`).toEqual(expectedRows);
  else if (JSON.stringify(pageRows) !== JSON.stringify(expectedRows)) counts.pageDiffers++;
}

/** Compares the fills inside the bar, of any instrument, with the venue's trace of the whole run. */
function compareVenue(run: WhyRun, { venue }: Explanation, { openMs, closeMs }: BarSpan, caseName: string): void {
  const isMidBar = (fill: Row): boolean => {
    const row = run.trace.get(`${fill['instrument']} ${fill['trade_id']}`);
    return row !== undefined && row.openMs >= openMs && row.closeMs <= closeMs;
  };
  const fills = run.fills.filter(isMidBar).map((fill) => cellsOf(fill, FILL_CELLS));
  expect(venue.filter(isFill).map(fillCellsOf), caseName).toEqual(fills);
}
