// Tests that no rule favours a side: on a mirrored market with mirrored orders every fill is the mirror of the original fill.

import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type OrderInfo, type OrderOptions } from '../../src/index.ts';
import { ROLES } from '../../src/model/run/run.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { NO_CONTRACT_FEES, barsOfRows, fillRows, MINUTE, planFor } from './backtestFixture.ts';

/** The sum of a price and its mirror, in ticks. Moves are small beside it, so that collars in percent are almost equal on both sides. */
const MIRROR_SUM = 2_000_000;
/** The largest move of a price within a row, in ticks. */
const MAX_MOVE = 400;
const ROW_COUNT = 60;
/** Number of random scripts. ISOBAR_SEEDS=1500 runs a campaign. */
const SCRIPTS = Number(process.env['ISOBAR_SEEDS'] ?? 60);
const contract = linearContract({ ...NO_CONTRACT_FEES, tiers: [{ upToUnits: null, maintenancePpm: 5000, maxLeverage: 100 }] });

type Prices = readonly [open: number, high: number, low: number, close: number, volume: number];

/** Returns a random walk around the price at which the market is mirrored. */
function walk(seed: number): Prices[] {
  const rng = seededRng(seed);
  const pick = (below: number) => Math.floor(rng.next() * below);
  let price = MIRROR_SUM / 2;
  return Array.from({ length: ROW_COUNT }, () => {
    const open = price + (pick(3) === 0 ? pick(MAX_MOVE) - MAX_MOVE / 2 : 0);
    price = open + pick(2 * MAX_MOVE + 1) - MAX_MOVE;
    return [open, Math.max(open, price) + pick(MAX_MOVE), Math.min(open, price) - pick(MAX_MOVE), price, pick(60) / 1000];
  });
}
const mirrorPrices = ([open, high, low, close, volume]: Prices): Prices => [
  MIRROR_SUM - open,
  MIRROR_SUM - low,
  MIRROR_SUM - high,
  MIRROR_SUM - close,
  volume,
];

/** Returns a strategy with random actions. They are drawn without a look at prices, and are mirrored if `isMirrored`. */
function randomStrategy(seed: number, isMirrored: boolean) {
  return class RandomTrader extends Strategy {
    rng = seededRng(seed + 1_000_003);
    orderCount = 0;

    override onBar() {
      const actionCount = this.rng.next() < 0.5 ? 1 + this.pick(2) : 0;
      for (let action = 0; action < actionCount; action++) this.act();
    }
    /** Draws a whole number from 0 on, below `below`. */
    pick(below: number) {
      return Math.floor(this.rng.next() * below);
    }
    /** Returns the price at a distance from the last close, in the direction that the unmirrored run calls up. */
    priceAt(distance: number): string {
      const close = Math.round(this.bars.close.value * 10);
      return ((isMirrored ? close - distance : close + distance) / 10).toFixed(1);
    }
    /** Places an order in the direction that the unmirrored run calls long or short. */
    place(isLong: boolean, options: OrderOptions, lots = 1 + this.pick(40)) {
      const withTag = { tag: `order ${this.orderCount++}`, ...options };
      return isLong === isMirrored ? this.sell({ base: lots }, withTag) : this.buy({ base: lots }, withTag);
    }
    /** Draws a bracket. `sign` is 1 for a long, and `entry` the distance of the entry from the last close. */
    bracket(sign: number, entry: number): OrderOptions {
      const randomDistance = () => 1 + this.pick(2 * MAX_MOVE);
      const near = randomDistance();
      const far = randomDistance();
      const stopDistance = randomDistance();
      const trailingStart = randomDistance();
      const targets = [{ at: this.priceAt(entry + sign * near), share: 0.4 }, { at: this.priceAt(entry + sign * (near + far)) }];
      const trailing = { distance: (far / 10).toFixed(1), ...(this.pick(2) === 0 && { from: this.priceAt(entry + sign * trailingStart) }) };
      return {
        ...(this.pick(3) > 0 && { stopLoss: this.priceAt(entry - sign * stopDistance) }),
        ...(this.pick(2) === 0 && { targets }),
        ...(this.pick(3) === 0 && { trailing }),
      };
    }
    /** Performs one random action: an order of one of four forms, an exit, a target, or a cancel with or without a replacement. */
    act() {
      const isLong = this.pick(2) === 0;
      const sign = isLong ? 1 : -1;
      const distance = 1 + this.pick(2 * MAX_MOVE);
      const whole = this.pick(1000);
      const working = this.openOrders().filter(({ tag, entry }) => tag !== 'exit' && entry === null);
      const chosen: OrderInfo | undefined = working[whole % Math.max(1, working.length)];
      const action = this.pick(10);
      if (action === 0) this.place(isLong, this.bracket(sign, 0));
      else if (action === 1) this.place(isLong, { limit: this.priceAt(-sign * distance), ...this.bracket(sign, -sign * distance) });
      else if (action === 2) this.place(isLong, { stopEntry: this.priceAt(sign * distance), ...this.bracket(sign, sign * distance) });
      else if (action === 3) {
        const level = whole % 2 === 0 ? distance : -distance;
        this.place(isLong, { trigger: this.priceAt(level), reduceOnly: false, ...this.bracket(sign, level) });
      } else if (action === 4) this.exit();
      else if (action === 5) this.closeAt(this.nowMs + (whole % 5) * MINUTE);
      else if (action === 6) this.target({ base: (isLong === isMirrored ? -1 : 1) * (1 + (whole % 40)) });
      else if (chosen !== undefined) {
        this.cancel(chosen.id);
        if (action === 7) this.place(isLong, { limit: this.priceAt(-sign * distance), tag: chosen.tag });
      }
    }
  };
}

/** Runs a script. Returns its fills as text, mirrored back if `isMirrored`. */
async function fillsOf(seed: number, isMirrored: boolean): Promise<readonly string[]> {
  const rows = walk(seed);
  const plan = planFor({
    strategies: [randomStrategy(seed, isMirrored)],
    feeds: { bars: barsOfRows(isMirrored ? rows.map(mirrorPrices) : rows, contract) },
    cash: { USDT: '100000000' },
    futures: { leverage: 1, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() },
    fills: {
      latencyMs: [0, 30_000, 90_000][seed % 3]!,
      maxVolumeSharePpm: seed % 4 === 0 ? 300_000 : 0,
      limit: seed % 7 === 0 ? 'touch' : 'through',
      slippageTicks: seed % 5 === 0 ? 7 : 0,
      collarPpm: 300_000,
    },
  });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.checkBooks();
  const record = runRecordOf(plan, prepared, false);
  return fillRows(record).map(({ order, side, price, lots, isMaker, minute }) => {
    const isBuy = (side === 'buy') !== isMirrored;
    const role = ROLES[record.orders.role[order - 1]!];
    return [order, isBuy ? 'buy' : 'sell', role, lots, isMirrored ? MIRROR_SUM - price : price, isMaker, minute].join(' ');
  });
}

test('a mirrored market gives mirrored fills', async () => {
  let fillCount = 0;
  for (let seed = 1; seed <= SCRIPTS; seed++) {
    const original = await fillsOf(seed, false);
    expect({ seed, fills: await fillsOf(seed, true) }).toEqual({ seed, fills: original });
    fillCount += original.length;
  }
  expect(fillCount).toBeGreaterThan(SCRIPTS * 10);
});
