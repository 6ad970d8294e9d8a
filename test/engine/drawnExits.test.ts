// Draws strategies whose entries all have a stop, and that exit, cancel, replace and amend at random while exits are denied, capped and late.
// At the end the price falls below every stop. Whatever happened before, nothing that can be sold may then be left.

import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy } from '../../src/index.ts';
import type { OrderOptions } from '../../src/strategy/types.ts';
import { FREE, type RowOf } from './bracketEntries.ts';
import { barsOfRows, fillRows, MINUTE, orderRows, run } from './world.ts';

const SEEDS = 120;
/** Rows in which the strategies act; then rows in which exits that are under way end. */
const ACTIVE_ROWS = 60;
const CALM_ROWS = 40;
/** Below every stop: prices stay above 96.00, and no stop is farther away than 5.00. */
const CRASH = 8000;
/** Quantities are multiples of 0.001, and an order has at least two of them. */
const DUST_LOTS = 1;
const DELAYS_MS = [0, 0, 300, 30_000, 90_000];

type Random = () => number;
function randomOf(seed: number): Random {
  const rng = seededRng(seed);
  return () => rng.next();
}
const cents = (price: number): number => Math.round(price * 100) / 100;
const sizeOf = (random: Random, max: number) => ({ base: String((1 + Math.ceil(random() * max)) / 1000) });

/** A strategy that takes one drawn action a bar, until the calm rows begin. */
abstract class DrawnStrategy extends Strategy {
  protected abstract readonly nextRandom: Random;
  private row = 0;
  override onBar() {
    if (this.row++ < ACTIVE_ROWS) this.act(this.bars.close.value);
    else if (this.row === ACTIVE_ROWS + 1) this.calm();
  }
  protected abstract act(price: number): void;
  private calm() {
    this.closeAt(null);
    for (const { id, side } of this.openOrders()) if (side === 'buy') this.cancel(id);
  }
}

function traderOf(seed: number) {
  return class extends DrawnStrategy {
    protected readonly nextRandom = randomOf(seed);
    /** When the newest `closeAt` is due. */
    private dueMs = 0;

    protected act(price: number) {
      const action = this.nextRandom();
      if (action < 0.25) this.enter(price);
      else if (action < 0.4) this.exit();
      else if (action < 0.5) this.target({ base: 0 });
      else if (action < 0.56) this.halve();
      else if (action < 0.62) this.closeAt((this.dueMs = this.nowMs + Math.floor(this.nextRandom() * 4) * MINUTE));
      else if (action < 0.64) this.closeAt(null);
      else if (action < 0.72) this.cancelSome(() => this.nextRandom() < 0.5);
      else if (action < 0.84) this.replace(price);
      else if (action < 0.88) this.amendEntries(price);
      else if (action < 0.9) this.cancelSome(() => true);
    }
    private enter(price: number) {
      const limit = this.nextRandom() < 0.4 ? { limit: cents(price - 0.1) } : {};
      const stop = this.nextRandom() < 0.3 ? { trailing: 3 } : { stopLoss: cents(price - 1 - this.nextRandom() * 4) };
      const target = this.nextRandom() < 0.3 ? { takeProfit: cents(price + 1) } : {};
      const options: OrderOptions = { ...limit, ...stop, ...target, tag: `entry ${this.nowMs}` };
      this.buy(sizeOf(this.nextRandom, 100), options);
    }
    private replace(price: number) {
      const limit = cents(price - 0.2 - this.nextRandom());
      this.buy(sizeOf(this.nextRandom, 40), { limit, stopLoss: cents(limit - 2), tag: 'ladder' });
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
        if (order.side === 'buy' && order.limit > 0) order.amend({ limit: cents(price - this.nextRandom()) });
    }
  };
}
/** A strategy whose bids make risk deny the exits of the other one. */
function bidderOf(seed: number) {
  return class extends DrawnStrategy {
    protected readonly nextRandom = randomOf(seed + 1_000_000);
    protected act(price: number) {
      const [open] = this.openOrders();
      if (open !== undefined && this.nextRandom() < 0.5) this.cancel(open.id);
      else if (open === undefined && this.nextRandom() < 0.3)
        this.buy({ base: '0.002' }, { limit: cents(price - 0.4), stopLoss: cents(price - 3) });
    }
  };
}

function drawRows(random: Random): RowOf[] {
  const rows: RowOf[] = [];
  let close = 10_000;
  for (let row = 0; row < ACTIVE_ROWS; row++) {
    const open = close;
    close = Math.max(9600, Math.min(10_400, open + Math.floor(random() * 121) - 60));
    const high = Math.max(open, close) + Math.floor(random() * 20);
    const low = Math.max(9600, Math.min(open, close) - Math.floor(random() * 20));
    rows.push([open, high, low, close, Math.floor(random() * 1000) / 1000]);
  }
  for (let row = 0; row < CALM_ROWS; row++) rows.push([close, close + 1, close - 1, close, 1000]);
  rows.push([close, close, CRASH, CRASH, 100_000]);
  for (let row = 0; row < 10; row++) rows.push([CRASH, CRASH + 1, CRASH - 1, CRASH, 100_000]);
  return rows;
}

/** Runs one drawn world. Returns the lots that are left by strategy, and how many stops filled and exits were denied. */
async function runDrawn(seed: number) {
  const random = randomOf(seed + 2_000_000);
  const capped = random() < 0.6 ? { maxVolumeSharePpm: 100_000 } : {};
  const risk = random() < 0.5 ? { selfTrade: 'deny' as const } : {};
  const strategies = random() < 0.5 ? [traderOf(seed), bidderOf(seed)] : [traderOf(seed)];
  const fills = { ...capped, latencyMs: DELAYS_MS[seed % DELAYS_MS.length]! };
  const { record, engine } = await run({ strategies, feeds: { bars: barsOfRows(drawRows(random)) }, fees: FREE, fills, risk });
  const orders = orderRows(record);
  const stops = fillRows(record).filter(({ order }) => ['stopLoss', 'trailing'].includes(orders[order - 1]!.role)).length;
  const denied = orders.filter(({ code, side }) => code === 'SELF_TRADE' && side === 'sell').length;
  return { left: strategies.map((_, strategy) => engine.ledger.closable(strategy, 0, false, true)), stops, denied };
}

test('after a fall below every stop nothing is left, whatever happened to the exits before', async () => {
  const failures: string[] = [];
  let stops = 0;
  let denied = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const result = await runDrawn(seed);
    stops += result.stops;
    denied += result.denied;
    if (result.left.some((lots) => lots > DUST_LOTS)) failures.push(`seed ${seed}: ${result.left.join(' and ')} lots are left`);
  }
  expect(failures).toEqual([]);
  expect(stops).toBeGreaterThan(2 * SEEDS);
  expect(denied).toBeGreaterThan(SEEDS / 4);
});
