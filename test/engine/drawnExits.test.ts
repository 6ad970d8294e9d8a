// Tests random strategies that protect every entry by a stop: after a fall below all stops, nothing that can be sold is left.
// Before the fall they exit, cancel, replace and amend at random, while their exits are denied, capped by volume or late.

import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy } from '../../src/index.ts';
import type { OrderOptions } from '../../src/strategy/types.ts';
import { barsOfRows, fillRows, MINUTE, NO_FEES, orderRows, run, type PriceRow } from './backtestFixture.ts';

const SEEDS = 120;
/** Rows in which the strategies act. */
const ACTIVE_ROWS = 60;
/** Rows after them, in which exits that are under way end. */
const CALM_ROWS = 40;
/** Lowest price before the fall, in ticks. */
const FLOOR_TICKS = 9600;
/** A price below every stop, in ticks: no stop is farther than 5.00 below the price. */
const CRASH_TICKS = 8000;
/** Quantities are multiples of 0.001, and an order has at least two of them. */
const DUST_LOTS = 1;
/** Latencies of the venue; a seed has one of them. */
const LATENCIES_MS = [0, 0, 300, 30_000, 90_000];

/** Returns a number from 0 on, below 1. */
type Random = () => number;
function randomOf(seed: number): Random {
  const rng = seededRng(seed);
  return () => rng.next();
}
/** Returns a price rounded to a whole tick. */
const roundedPrice = (price: number): number => Math.round(price * 100) / 100;
/** Returns a size of 2 to `maxLots` + 1 lots. */
const randomSize = (random: Random, maxLots: number) => ({ base: String((1 + Math.ceil(random() * maxLots)) / 1000) });

/** A strategy that takes one random action a bar. When the calm rows begin, it cancels its buys and acts no more. */
abstract class DrawnStrategy extends Strategy {
  protected abstract readonly nextRandom: Random;
  private row = 0;
  override onBar() {
    if (this.row++ < ACTIVE_ROWS) this.act(this.bars.close.value);
    else if (this.row === ACTIVE_ROWS + 1) this.stopBuying();
  }
  protected abstract act(price: number): void;
  private stopBuying() {
    this.closeAt(null);
    for (const { id, side } of this.openOrders()) if (side === 'buy') this.cancel(id);
  }
}

/** Returns a strategy that enters, exits, cancels, replaces and amends at random. */
function traderOf(seed: number) {
  return class RandomTrader extends DrawnStrategy {
    protected readonly nextRandom = randomOf(seed);
    /** When the newest `closeAt` is due. */
    private dueMs = 0;

    protected act(price: number) {
      // The share of each action is the difference of its bound to the one before. One action in ten does nothing.
      const actionDraw = this.nextRandom();
      if (actionDraw < 0.25) this.enter(price);
      else if (actionDraw < 0.4) this.exit();
      else if (actionDraw < 0.5) this.target({ base: 0 });
      else if (actionDraw < 0.56) this.halve();
      else if (actionDraw < 0.62) this.closeLater();
      else if (actionDraw < 0.64) this.closeAt(null);
      else if (actionDraw < 0.72) this.cancelSome(() => this.nextRandom() < 0.5);
      else if (actionDraw < 0.84) this.buyLower(price);
      else if (actionDraw < 0.88) this.amendEntries(price);
      else if (actionDraw < 0.9) this.cancelSome(() => true);
    }
    private closeLater() {
      this.dueMs = this.nowMs + Math.floor(this.nextRandom() * 4) * MINUTE;
      this.closeAt(this.dueMs);
    }
    private enter(price: number) {
      const limit = this.nextRandom() < 0.4 ? { limit: roundedPrice(price - 0.1) } : {};
      const stop = this.nextRandom() < 0.3 ? { trailing: 3 } : { stopLoss: roundedPrice(price - 1 - this.nextRandom() * 4) };
      const target = this.nextRandom() < 0.3 ? { takeProfit: roundedPrice(price + 1) } : {};
      const options: OrderOptions = { ...limit, ...stop, ...target, tag: `entry ${this.nowMs}` };
      this.buy(randomSize(this.nextRandom, 100), options);
    }
    /** Places a buy below the price. All of them have one tag, so it replaces one that is being cancelled. */
    private buyLower(price: number) {
      const limit = roundedPrice(price - 0.2 - this.nextRandom());
      this.buy(randomSize(this.nextRandom, 40), { limit, stopLoss: roundedPrice(limit - 2), tag: 'ladder' });
    }
    /** Halves the position if nothing else is closing it: beside an exit, a target would buy, without a stop. */
    private halve() {
      const qty = Number(this.position().qty);
      const isClosing = this.openOrders().some(({ side }) => side === 'sell') || this.dueMs > this.nowMs - 5 * MINUTE;
      if (qty > 0.002 && !isClosing) this.target({ base: String(Math.floor(qty * 500) / 1000) });
    }
    private cancelSome(isChosen: () => boolean) {
      for (const { id } of this.openOrders()) if (isChosen()) this.cancel(id);
    }
    private amendEntries(price: number) {
      for (const order of this.openOrders())
        if (order.side === 'buy' && order.limit > 0) order.amend({ limit: roundedPrice(price - this.nextRandom()) });
    }
  };
}
/** A strategy whose bids make risk deny the exits of the other one. */
function bidderOf(seed: number) {
  return class Bidder extends DrawnStrategy {
    protected readonly nextRandom = randomOf(seed + 1_000_000);
    protected act(price: number) {
      const [openOrder] = this.openOrders();
      if (openOrder !== undefined && this.nextRandom() < 0.5) this.cancel(openOrder.id);
      else if (openOrder === undefined && this.nextRandom() < 0.3)
        this.buy({ base: '0.002' }, { limit: roundedPrice(price - 0.4), stopLoss: roundedPrice(price - 3) });
    }
  };
}

/** Returns random rows, quiet ones, a fall below every stop, and rows at the low price. */
function randomRows(random: Random): PriceRow[] {
  const rows: PriceRow[] = [];
  let close = 10_000;
  for (let row = 0; row < ACTIVE_ROWS; row++) {
    const open = close;
    close = Math.max(FLOOR_TICKS, Math.min(10_400, open + Math.floor(random() * 121) - 60));
    const high = Math.max(open, close) + Math.floor(random() * 20);
    const low = Math.max(FLOOR_TICKS, Math.min(open, close) - Math.floor(random() * 20));
    rows.push([open, high, low, close, Math.floor(random() * 1000) / 1000]);
  }
  for (let row = 0; row < CALM_ROWS; row++) rows.push([close, close + 1, close - 1, close, 1000]);
  rows.push([close, close, CRASH_TICKS, CRASH_TICKS, 100_000]);
  for (let row = 0; row < 10; row++) rows.push([CRASH_TICKS, CRASH_TICKS + 1, CRASH_TICKS - 1, CRASH_TICKS, 100_000]);
  return rows;
}

/** Runs the strategies of a seed. Returns the lots that are left, by strategy, and how many stops filled and exits were denied. */
async function runSeed(seed: number) {
  const random = randomOf(seed + 2_000_000);
  const capped = random() < 0.6 ? { maxVolumeSharePpm: 100_000 } : {};
  const risk = random() < 0.5 ? { selfTrade: 'deny' as const } : {};
  const strategies = random() < 0.5 ? [traderOf(seed), bidderOf(seed)] : [traderOf(seed)];
  const fills = { ...capped, latencyMs: LATENCIES_MS[seed % LATENCIES_MS.length]! };
  const { record, engine } = await run({ strategies, feeds: { bars: barsOfRows(randomRows(random)) }, fees: NO_FEES, fills, risk });
  const orders = orderRows(record);
  const isStop = (orderId: number) => ['stopLoss', 'trailing'].includes(orders[orderId - 1]!.role);
  const filledStops = fillRows(record).filter(({ order }) => isStop(order)).length;
  const deniedExits = orders.filter(({ code, side }) => code === 'SELF_TRADE' && side === 'sell').length;
  const leftLots = strategies.map((_, strategy) => engine.ledger.closable(strategy, 0, false, true));
  return { leftLots, filledStops, deniedExits };
}

test('after a fall below every stop nothing that can be sold is left, whatever happened to the exits before', async () => {
  const failures: string[] = [];
  let filledStops = 0;
  let deniedExits = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const result = await runSeed(seed);
    filledStops += result.filledStops;
    deniedExits += result.deniedExits;
    const { leftLots } = result;
    if (leftLots.some((lots) => lots > DUST_LOTS)) failures.push(`seed ${seed}: ${leftLots.join(' and ')} lots are left`);
  }
  expect(failures).toEqual([]);
  expect(filledStops).toBeGreaterThan(2 * SEEDS);
  expect(deniedExits).toBeGreaterThan(SEEDS / 4);
});
