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
import { barsOfRows, MINUTE, planFor, START_MS } from '../engine/world.ts';
import { spotBooks } from '../fixtures/spotBooks.ts';

/** A bot that is ready in its world, and the hash of the journal that it keeps. */
export interface ConformanceWorld {
  readonly engine: Engine;
  readonly journalHash: () => string;
  /** Lets all rows pass, for an exchange that needs time of its own. */
  readonly run?: () => void;
}
/** `faultOf`: the fault of an order in this world, such as a lost reply. */
export type MakeWorld = (plan: RunPlan, faultOf: (order: { readonly id: number }) => ReplayFault) => Promise<ConformanceWorld>;

/** Each row opens where the last one closed, ten ticks higher, and reaches 30 ticks to both sides of its open. */
export const ROWS = 24;
/** Returns the open of a row, in ticks. Prices rise by ten ticks a row. */
export const openAt = (row: number) => 10_000 + 10 * row;
/** The rows of the script: every row opens above the one before, and reaches 30 ticks to both sides. */
export const bars: BarColumns = barsOfRows(
  Array.from({ length: ROWS }, (_, row) => [openAt(row), openAt(row) + 30, openAt(row) - 30, openAt(row) + 10]),
);

/** What the script does at the close of row k, for k from 0 to 19: ten kinds of orders, each twice. */
const KINDS = [
  'buy by amount', 'buy at the collar', 'buy limit that fills', 'buy limit that is cancelled', 'sell limit that fills',
  'sell', 'unsound', 'lost answer', 'lost request', 'exit',
] as const; // prettier-ignore
/** Returns the kind of the order with the given number, from 1. */
export const kindOf = (order: number) => KINDS[(order - 1) % KINDS.length]!;
/** Returns what happens to the reply of an order. */
export const faultOf = ({ id }: { readonly id: number }): ReplayFault => {
  if (kindOf(id) === 'lost answer') return 'lostAnswer';
  return kindOf(id) === 'lost request' ? 'lostRequest' : 'none';
};

/** Places one order of each kind in turn, and records what it is notified of. */
export class Script extends Strategy {
  /** Lifecycles of each order, as the strategy was notified of them. */
  readonly reported: string[][] = [];
  row = 0;

  override onBar() {
    const row = this.row++;
    const close = openAt(row) + 10;
    for (const { id } of this.openOrders()) this.cancel(id);
    if (row >= 2 * KINDS.length) return;
    switch (kindOf(row + 1)) {
      case 'buy by amount':
        this.buy({ quote: '50' });
        break;
      case 'buy at the collar':
        this.buy({ base: '0.1' });
        break;
      case 'buy limit that fills':
        this.buy({ base: '0.1' }, { limit: (close - 20) / 100 });
        break;
      case 'sell limit that fills':
        this.sell({ base: '0.1' }, { limit: (close + 20) / 100 });
        break;
      case 'sell':
        this.sell({ base: '0.1' });
        break;
      case 'unsound':
        this.buy({ base: NaN });
        break;
      case 'exit':
        this.exit();
        break;
      case 'buy limit that is cancelled':
      case 'lost answer':
        // No two of them ask for the same, so that none is made to look different.
        this.buy({ base: '0.1' }, { limit: kindOf(row + 1) === 'lost answer' ? 51 : 50 });
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

/** Everything about a finished script that adapters must agree on. */
export interface ScriptOutcome {
  readonly lifecycles: readonly string[][];
  readonly orders: readonly object[];
  readonly fills: readonly object[];
  readonly cash: number;
  readonly held: number;
  readonly journalHash: string;
  readonly engine: Engine;
}

/** Runs the script in a world of its own. */
export async function play(makeWorld: MakeWorld): Promise<ScriptOutcome> {
  const plan = planFor({ strategies: [Script], feeds: { bars }, fees: { makerPpm: 1000, takerPpm: 2000, in: 'received' } });
  const { engine, journalHash, run = () => blockLoop(engine) } = await makeWorld(plan, faultOf);
  run();
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
    cash: engine.ledger.cashTotal,
    held: spotBooks(engine).baseTotal(0),
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

const EXPECTED_STATES: Readonly<Record<(typeof KINDS)[number], string[]>> = {
  'buy by amount': ['working', 'working', 'done'],
  'buy at the collar': ['working', 'done'],
  'buy limit that fills': ['working', 'done'],
  'buy limit that is cancelled': ['working', 'done'],
  'sell limit that fills': ['working', 'done'],
  sell: ['working', 'done'],
  unsound: ['done'],
  'lost answer': ['unknown', 'working', 'done'],
  'lost request': ['unknown', 'done'],
  exit: ['working', 'done'],
};
const ENDING: Readonly<Record<(typeof KINDS)[number], string>> = {
  'buy by amount': 'filled',
  'buy at the collar': 'filled',
  'buy limit that fills': 'filled',
  'buy limit that is cancelled': 'canceled',
  'sell limit that fills': 'filled',
  sell: 'filled',
  unsound: 'denied',
  'lost answer': 'canceled',
  'lost request': 'noEffect',
  exit: 'filled',
};

const atOpen = (row: number) => ({ price: openAt(row), isMaker: false });
const never = () => null;
const FILL: Readonly<Record<(typeof KINDS)[number], (row: number) => { price: number; isMaker: boolean } | null>> = {
  'buy by amount': atOpen,
  'buy at the collar': atOpen,
  'buy limit that fills': (row) => ({ price: openAt(row) - 20, isMaker: true }),
  'buy limit that is cancelled': never,
  'sell limit that fills': (row) => ({ price: openAt(row) + 20, isMaker: true }),
  sell: atOpen,
  unsound: never,
  'lost answer': never,
  'lost request': never,
  exit: atOpen,
};

/**
 * How an order of the script, made at the close of the row before `row`, fills in that row (price in ticks); null for one that does not.
 */
export const fillPriceOf = (order: number, row: number) => FILL[kindOf(order)](row);

/** Defines the suite that every world passes. */
export function exchangePortSuite(name: string, makeWorld: MakeWorld): void {
  describe(`${name} as OrderGateway`, () => {
    it('the gateway leads each of twenty orders through its lifecycle', async () => {
      const { lifecycles, orders } = await play(makeWorld);
      expect(orders).toHaveLength(20);
      expect(lifecycles).toEqual(Array.from({ length: 20 }, (_, index) => EXPECTED_STATES[kindOf(index + 1)]));
      expect(orders).toMatchObject(Array.from({ length: 20 }, (_, index) => ({ ending: ENDING[kindOf(index + 1)] })));
    });

    it('the gateway fills each order once, at the price and time of the rows', async () => {
      const { fills } = await play(makeWorld);
      const expected = Array.from({ length: 20 }, (_, index) => ({ order: index + 1, ...fillPriceOf(index + 1, index + 1) })).filter(
        (fill) => 'price' in fill,
      );
      expect(fills).toMatchObject(expected);
    });

    it('the script leaves no open order, no unknown order, and no reservation but those of absent orders', async () => {
      const { engine } = await play(makeWorld);
      expect(engine.orders.active()).toEqual([]);
      expect(engine.market?.workingOrders(0) ?? 0).toBe(0);
      expect(engine.orders.impossibleEvents).toBe(0);
      expect(engine.risk.halts.causes()).toEqual([]);
      expect(engine.reservations.openTotal).toBe(2);
      expect(engine.reservations.sellLots(0, 0)).toBe(0);
      engine.ledger.assertReconciled();
      expect(engine.ledger.isFlat(0, 0)).toBe(true);
    });

    it('a second run of the script gives the same results', async () => {
      const [{ engine: _, ...one }, { engine: __, ...two }] = [await play(makeWorld), await play(makeWorld)];
      expect(two).toEqual(one);
    });
  });
}
