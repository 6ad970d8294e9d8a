// Runs one script of twenty orders against any OrderGateway, and checks the required outcome of each order.

import { describe, expect, it } from 'vitest';
import type { ReplayFault } from '../../src/adapters/replay/replayExchange.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { blockLoop } from '../../src/engine/loop/blockLoop.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { OrderColumns } from '../../src/model/run/run.ts';
import { ENDINGS, ROLES, SIDES } from '../../src/model/run/run.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { Strategy, type OrderInfo } from '../../src/index.ts';
import { barsOfRows, MINUTE, planFor, START_MS } from '../engine/backtestFixture.ts';
import { spotBooks } from '../fixtures/spotBooks.ts';

/** A bot that is ready to run the script, and the hash of the journal that it keeps. */
export interface ConformanceWorld {
  readonly engine: Engine;
  readonly journalHash: () => string;
  /** Runs all rows, for an exchange that needs time between them. Without it, the block loop of a backtest runs them. */
  readonly runRows?: () => void;
}
/** Opens a world for one run of the script. `faultOf` returns the fault of an order, such as a lost reply. */
export type OpenWorld = (plan: RunPlan, faultOf: (order: { readonly id: number }) => ReplayFault) => Promise<ConformanceWorld>;

/** Number of rows: one for each of the twenty orders, and some for the last ones to end. */
export const ROWS = 24;

/** Returns the open of a row, in ticks. Prices rise by ten ticks a row. */
export const openAt = (row: number) => 10_000 + 10 * row;
/** The rows of the script, in ticks. Each closes ten ticks above its open, where the next one opens, and reaches 30 ticks to both sides. */
export const bars: BarColumns = barsOfRows(
  Array.from({ length: ROWS }, (_, row) => [openAt(row), openAt(row) + 30, openAt(row) - 30, openAt(row) + 10]),
);

/** The kinds of orders, in the order in which the script places them: one at the close of each row. It goes through them twice. */
const KINDS = [
  'buy by amount', 'buy at the collar', 'buy limit that fills', 'buy limit that is cancelled', 'sell limit that fills',
  'sell', 'buy of an invalid quantity', 'lost answer', 'lost request', 'exit',
] as const; // prettier-ignore
type OrderKind = (typeof KINDS)[number];
const ORDERS = 2 * KINDS.length;

/** Returns the kind of the order with the given number, from 1. */
export const kindOf = (order: number) => KINDS[(order - 1) % KINDS.length]!;
/** Returns what happens to the reply of an order. */
export const faultOf = ({ id }: { readonly id: number }): ReplayFault => {
  if (kindOf(id) === 'lost answer') return 'lostAnswer';
  return kindOf(id) === 'lost request' ? 'lostRequest' : 'none';
};

/** Places one order of each kind in turn, and records the lifecycles that it is notified of. */
export class Script extends Strategy {
  /** Lifecycles of each order, as the strategy was notified of them. */
  readonly reported: string[][] = [];
  /** Number of rows that have closed. */
  closedRows = 0;

  override onBar() {
    const row = this.closedRows++;
    const closeTicks = openAt(row) + 10;
    for (const { id } of this.openOrders()) this.cancel(id);
    if (row >= ORDERS) return;
    const kind = kindOf(row + 1);
    switch (kind) {
      case 'buy by amount':
        this.buy({ quote: '50' });
        break;
      case 'buy at the collar':
        this.buy({ base: '0.1' });
        break;
      case 'buy limit that fills':
        this.buy({ base: '0.1' }, { limit: (closeTicks - 20) / 100 });
        break;
      case 'sell limit that fills':
        this.sell({ base: '0.1' }, { limit: (closeTicks + 20) / 100 });
        break;
      case 'sell':
        this.sell({ base: '0.1' });
        break;
      case 'buy of an invalid quantity':
        this.buy({ base: NaN });
        break;
      case 'exit':
        this.exit();
        break;
      case 'buy limit that is cancelled':
      case 'lost answer':
        // Their limits differ. The bot would change the quantity of an order with the terms of an open one, to distinguish the two.
        this.buy({ base: '0.1' }, { limit: kind === 'lost answer' ? 51 : 50 });
        break;
      case 'lost request':
        // Its own decision slot: an order under cancel may still be open.
        this.buy({ base: '0.1' }, { limit: 52, tag: 'lost request' });
    }
  }
  override onOrder({ id, lifecycle }: OrderInfo) {
    (this.reported[id] ??= []).push(lifecycle);
  }
}

/** The results of the script on which all worlds must agree, and the engine that ran it. */
export interface ScriptOutcome {
  readonly lifecycles: readonly string[][];
  readonly orders: readonly object[];
  readonly fills: readonly object[];
  /** Cash of the bot, in quote units. */
  readonly cashUnits: number;
  /** Holding of the bot, in base units. */
  readonly baseUnits: number;
  readonly journalHash: string;
  readonly engine: Engine;
}

/** Runs the script in a new world and returns its results. */
export async function runScript(openWorld: OpenWorld): Promise<ScriptOutcome> {
  const plan = planFor({ strategies: [Script], feeds: { bars }, fees: { makerPpm: 1000, takerPpm: 2000, in: 'received' } });
  const { engine, journalHash, runRows = () => blockLoop(engine) } = await openWorld(plan, faultOf);
  runRows();
  const { instance } = engine.runs[0]!;
  const fills = engine.fills.columns();
  return {
    lifecycles: (instance as Script).reported.slice(1),
    orders: rowsOf(engine.orders.columns()),
    fills: Array.from({ length: fills.length }, (_, index) => ({
      order: fills.orderId[index],
      price: fills.price[index],
      lots: fills.lots[index],
      fee: fills.fee[index],
      isMaker: fills.isMaker[index] === 1,
      minute: (fills.timeMs[index]! - START_MS) / MINUTE,
    })),
    cashUnits: engine.ledger.cashTotal,
    baseUnits: spotBooks(engine).baseTotal(0),
    journalHash: journalHash(),
    engine,
  };
}

/** Returns orders as plain rows. */
function rowsOf(orders: OrderColumns): object[] {
  return Array.from({ length: orders.length }, (_, index) => ({
    side: SIDES[orders.side[index]!],
    role: ROLES[orders.role[index]!],
    ending: ENDINGS[orders.ending[index]!],
    code: orders.texts[orders.code[index]!],
    lots: orders.lots[index],
    filled: orders.filledLots[index],
    wasUnknown: orders.wasUnknown[index] === 1,
  }));
}

/** The lifecycles that the strategy is notified of, by kind of order. */
const EXPECTED_LIFECYCLES: Readonly<Record<OrderKind, string[]>> = {
  'buy by amount': ['working', 'working', 'done'],
  'buy at the collar': ['working', 'done'],
  'buy limit that fills': ['working', 'done'],
  'buy limit that is cancelled': ['working', 'done'],
  'sell limit that fills': ['working', 'done'],
  sell: ['working', 'done'],
  'buy of an invalid quantity': ['done'],
  'lost answer': ['unknown', 'working', 'done'],
  'lost request': ['unknown', 'done'],
  exit: ['working', 'done'],
};
/** Why each kind of order is done. */
const EXPECTED_ENDINGS: Readonly<Record<OrderKind, string>> = {
  'buy by amount': 'filled',
  'buy at the collar': 'filled',
  'buy limit that fills': 'filled',
  'buy limit that is cancelled': 'canceled',
  'sell limit that fills': 'filled',
  sell: 'filled',
  'buy of an invalid quantity': 'denied',
  'lost answer': 'canceled',
  'lost request': 'noEffect',
  exit: 'filled',
};

/** The price of a fill in ticks, and whether the order was the maker. */
interface ExpectedFill {
  readonly price: number;
  readonly isMaker: boolean;
}
const atOpen = (row: number): ExpectedFill => ({ price: openAt(row), isMaker: false });
const never = (): null => null;
/** How each kind of order fills in `row`, the row after the one at whose close it was placed. Null: it does not fill. */
const EXPECTED_FILLS: Readonly<Record<OrderKind, (row: number) => ExpectedFill | null>> = {
  'buy by amount': atOpen,
  'buy at the collar': atOpen,
  'buy limit that fills': (row) => ({ price: openAt(row) - 20, isMaker: true }),
  'buy limit that is cancelled': never,
  'sell limit that fills': (row) => ({ price: openAt(row) + 20, isMaker: true }),
  sell: atOpen,
  'buy of an invalid quantity': never,
  'lost answer': never,
  'lost request': never,
  exit: atOpen,
};

/** Returns how an order fills in `row`, the row after the one at whose close it was placed; null if it does not fill. */
export const fillPriceOf = (order: number, row: number): ExpectedFill | null => EXPECTED_FILLS[kindOf(order)](row);

/** The numbers of the orders of the script, from 1. An order fills in the row with its own number. */
const ORDER_NUMBERS = Array.from({ length: ORDERS }, (_, index) => index + 1);

/** Defines the suite that every world passes. */
export function exchangePortSuite(name: string, openWorld: OpenWorld): void {
  describe(`${name} as OrderGateway`, () => {
    it('the gateway leads each of twenty orders through its lifecycle', async () => {
      const { lifecycles, orders } = await runScript(openWorld);
      expect(orders).toHaveLength(ORDERS);
      expect(lifecycles).toEqual(ORDER_NUMBERS.map((order) => EXPECTED_LIFECYCLES[kindOf(order)]));
      expect(orders).toMatchObject(ORDER_NUMBERS.map((order) => ({ ending: EXPECTED_ENDINGS[kindOf(order)] })));
    });

    it('the gateway fills each order once, at the price and time of the rows', async () => {
      const { fills } = await runScript(openWorld);
      const expectedFills = ORDER_NUMBERS.flatMap((order) => {
        const fill = fillPriceOf(order, order);
        return fill === null ? [] : [{ order, ...fill }];
      });
      expect(fills).toMatchObject(expectedFills);
    });

    it('the script leaves no open order, no unknown order, and no reservation but those of absent orders', async () => {
      const { engine } = await runScript(openWorld);
      expect(engine.orders.active()).toEqual([]);
      expect(engine.market?.workingOrders(0) ?? 0).toBe(0);
      expect(engine.orders.impossibleEvents).toBe(0);
      expect(engine.risk.halts.causes()).toEqual([]);
      // The two orders whose request was lost are proven absent, and stay reserved for 30 minutes.
      expect(engine.reservations.openOrdersTotal).toBe(2);
      expect(engine.reservations.sellLots(0, 0)).toBe(0);
      engine.ledger.assertReconciled();
      expect(engine.ledger.isFlat(0, 0)).toBe(true);
    });

    it('a second run of the script gives the same results', async () => {
      const { engine: firstEngine, ...firstResults } = await runScript(openWorld);
      const { engine: secondEngine, ...secondResults } = await runScript(openWorld);
      expect(secondEngine).not.toBe(firstEngine);
      expect(secondResults).toEqual(firstResults);
    });
  });
}
