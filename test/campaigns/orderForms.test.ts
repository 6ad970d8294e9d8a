// Tests every form of order in random scripts against a naive reference in decimals: npm run campaign -- orderForms --cases 2000.

import { Decimal } from 'decimal.js';
import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type OrderId, type OrderOptions, type TargetShare } from '../../src/index.ts';
import { fillRows, MINUTE, run, START_MS, walkBars } from '../engine/backtestFixture.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { NaiveForms, type FormAct, type NaiveRow, type NaiveTarget, type NaiveTrail } from '../fixtures/naiveForms.ts';

const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const CASES = Number(ISOBAR_CASES ?? 100);
/** Rows of each script. */
const ROWS = 160;
/** Tags of the orders, which name their decision slots. */
const TAGS = ['a', 'b', 'c', 'd'];

/**
 * Returns what a script does at each row, drawn from a seed. Nothing cancels an order at the close at which it was sent: the cancel would
 * leave with the acknowledgement, and the order would live for a row (docs/strategies.md).
 */
function scriptOf(rows: readonly NaiveRow[], seed: number): readonly (readonly FormAct[])[] {
  const rng = seededRng(seed);
  /** Draws a whole number from 0 on, below `count`. */
  const below = (count: number) => Math.floor(rng.next() * count);
  let orderCount = 0;
  let sizeIndex = below(401);
  /** Rows at whose close an exit may come: nothing is sent there. */
  const exitRows = new Set<number>();
  return rows.map(({ close }, minute) => {
    /** Returns the close moved by `from` to `to` hundredths of a percent, drawn at random, as a price with two decimals. */
    const near = (from: number, to: number): string => close.times(1 + (from + below(to - from + 1)) / 10_000).toFixed(2);
    // All sizes differ. The bot would send one of two equal orders with a lot less, to distinguish them after a lost reply.
    const qty = (): string => (0.001 * (20 + ((37 * ++sizeIndex) % 401))).toFixed(3);
    /** Returns null in a third of the draws. */
    const maybe = (text: string): string | null => (below(3) === 0 ? null : text);
    /** Draws a trailing stop by a distance or by a percentage, or none. */
    const trail = (): NaiveTrail | null => {
      const choice = below(3);
      if (choice === 0) return null;
      const from = below(2) === 0 ? {} : { from: near(-20, 120) };
      return choice === 1
        ? { distance: (0.2 + below(300) / 100).toFixed(2), ...from }
        : { percent: (0.1 + below(30_000) / 10_000).toFixed(4), ...from };
    };
    /**
     * Draws up to five targets, at least `from` hundredths of a percent above the price, or none. The last one may close the remainder, with
     * a share or without one.
     */
    const targets = (from = 0): readonly NaiveTarget[] | null => {
      if (below(2) === 0) return null;
      const percents = Array.from({ length: 1 + below(5) }, () => 1 + below(20));
      const remainingPercent = 100 - percents.slice(0, -1).reduce((sum, percent) => sum + percent, 0);
      let distance = from + 5 + below(120);
      return percents.map((percent, index) => {
        const lastChoice = index === percents.length - 1 ? below(3) : 0;
        distance += 5 + below(60);
        const sharePercent = lastChoice === 2 ? remainingPercent : percent;
        return { at: near(distance, distance), share: lastChoice === 1 ? null : String(sharePercent / 100) };
      });
    };
    const ordersBefore = orderCount;
    /** Orders that this row has repriced. */
    const repriced = new Set<number>();
    const drawAct = (): FormAct => {
      const order = Math.max(0, ordersBefore - 1 - below(4));
      const tag = TAGS[below(4)]!;
      const isBusy = exitRows.has(minute) || repriced.has(order);
      // Ranges of this number select the kind of the act; a wider range makes the kind more frequent.
      const actKind = isBusy ? 7 + below(6) : below(27);
      if (actKind < 3) {
        orderCount++;
        return { what: 'market', tag, qty: qty(), stop: maybe(near(-900, -400)), trail: trail(), targets: targets() };
      }
      if (actKind < 7) {
        orderCount++;
        return { what: 'limit', tag, qty: qty(), limit: near(-150, 30), stop: maybe(near(-900, -400)), targets: targets() };
      }
      if (actKind < 13) return { what: 'stop', order, stop: near(-300, below(8) === 0 ? 60 : -5) };
      if (actKind < 16) {
        repriced.add(order);
        return { what: 'reprice', order, limit: near(-120, 20), qty: qty(), stop: near(-900, -400), targets: targets() };
      }
      if (actKind >= 20 && actKind < 26) {
        const limit = below(2) === 0 ? near(-30, 220) : null;
        orderCount++;
        return {
          what: 'entry',
          tag,
          qty: qty(),
          at: near(-5, 150),
          limit,
          stop: maybe(near(-900, -40)),
          trail: trail(),
          targets: targets(150),
        };
      }
      if (actKind === 26) return { what: 'cancel', order };
      if (actKind < 18) return { what: 'oco', order, otherOrder: Math.max(0, ordersBefore - 1 - below(4)) };
      const exitMinute = minute + 2 + below(12);
      exitRows.add(exitMinute - 1);
      return { what: 'closeAt', minute: below(5) === 0 ? null : exitMinute };
    };
    return Array.from({ length: below(3) }, drawAct);
  });
}

/** Returns targets as the options of an order have them. */
const sharesOf = (targets: readonly NaiveTarget[]): readonly TargetShare[] =>
  targets.map(({ at, share }) => (share === null ? { at } : { at, share }));

/** Returns a strategy that carries out a script with the strategy API. */
function strategyOf(script: readonly (readonly FormAct[])[]) {
  return class Forms extends Strategy {
    row = 0;
    readonly ids: OrderId[] = [];
    override onBar() {
      for (const act of script[this.row++]!) this.carryOut(act);
    }
    private carryOut(act: FormAct): void {
      const id = 'order' in act ? this.ids[act.order] : undefined;
      if (act.what === 'market' || act.what === 'limit' || act.what === 'entry') {
        const legs: OrderOptions = {
          ...(act.targets === null ? {} : { targets: sharesOf(act.targets) }),
          ...(act.stop === null ? {} : { stopLoss: act.stop }),
          ...('trail' in act && act.trail !== null ? { trailing: act.trail } : {}),
        };
        const limit = 'limit' in act && act.limit !== null ? { limit: act.limit } : {};
        const stopEntry = 'at' in act ? { stopEntry: act.at } : {};
        this.ids.push(this.buy({ base: act.qty }, { tag: act.tag, ...legs, ...limit, ...stopEntry }));
      } else if (act.what === 'closeAt') this.closeAt(act.minute === null ? null : START_MS + act.minute * MINUTE);
      else if (id === undefined) return;
      else if (act.what === 'cancel') this.cancel(id);
      // A stop entry that waits is not amended.
      else if (this.openOrders().some((order) => order.id === id && order.lifecycle === 'draft')) this.linkOrders(act, id);
      else if (act.what === 'stop') this.amend(id, { stop: act.stop });
      else if (act.what === 'oco') this.linkOrders(act, id);
      else if (this.openOrders().some((order) => order.id === id && !Number.isNaN(order.limit)))
        this.ids[act.order] = this.amend(id, {
          limit: act.limit,
          size: act.qty,
          stop: act.stop,
          ...(act.targets === null ? {} : { targets: sharesOf(act.targets) }),
        })!;
    }
    /** Puts two orders into an OCO group, if the act says so. */
    private linkOrders(act: FormAct, id: OrderId): void {
      const otherId = act.what === 'oco' ? this.ids[act.otherOrder] : undefined;
      if (otherId !== undefined && otherId !== id) this.oco(id, otherId);
    }
  };
}

/** Sorts fills, each a text that begins with its minute. */
const sorted = (fills: readonly string[]): readonly string[] => fills.toSorted((a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1));

test('random scripts of order forms have the fills of the naive reference', { timeout: 86_400_000 }, async () => {
  let fillCount = 0;
  /** Number of stop entries by the way in which they filled. */
  const entries = { atOpen: 0, inRow: 0, rested: 0, collared: 0 };
  for (let seed = Number(ISOBAR_SEED); seed < Number(ISOBAR_SEED) + CASES; seed++) {
    // Every third walk jumps beyond the collar of a stop entry now and then.
    const bars = walkBars({ rows: ROWS, seed, volume: 1_000_000, step: seed % 3 === 0 ? 500 : 60 });
    const price = (value: number): Decimal => new Decimal(value.toFixed(2));
    const rows = Array.from({ length: ROWS }, (_, row) => ({
      open: price(bars.open[row]!),
      high: price(bars.high[row]!),
      low: price(bars.low[row]!),
      close: price(bars.close[row]!),
    }));
    const script = scriptOf(rows, seed);
    const naive = new NaiveForms();
    rows.forEach((row, minute) => naive.row(minute, row, script[minute]!));
    const { record } = await run({
      strategies: [strategyOf(script)],
      feeds: { bars },
      fees: { makerPpm: 0, takerPpm: 0 },
      cash: { USDT: '10000000' },
    });
    const actualFills = fillRows(record).map(
      ({ minute, side, price: ticks, lots }) => `${minute} ${side} ${(ticks / 100).toFixed(2)} ${(lots / 1000).toFixed(3)}`,
    );
    expect(sorted(actualFills), `seed ${seed}`).toEqual(sorted(naive.fills));
    fillCount += actualFills.length;
    for (const way of ['atOpen', 'inRow', 'rested', 'collared'] as const) entries[way] += naive.entries[way];
  }
  // Without fills nothing was compared.
  expect(fillCount).toBeGreaterThan(CASES * 20);
  expect(entries.inRow).toBeGreaterThan(CASES);
  expect(Math.min(...Object.values(entries))).toBeGreaterThan(0);
  recordResult({ cases: CASES, fills: fillCount, ...entries });
});
