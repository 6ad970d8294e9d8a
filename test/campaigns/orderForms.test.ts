// Tests every form of order in random scripts against a naive reference in decimals: npm run campaign -- orderForms --cases 2000.

import { Decimal } from 'decimal.js';
import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type OrderId, type OrderOptions, type TargetShare } from '../../src/index.ts';
import { fillRows, MINUTE, run, START_MS, walkBars } from '../engine/backtestFixture.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { NaiveForms, type FormAct, type NaiveRow, type NaiveTarget, type NaiveTrail } from '../fixtures/naiveForms.ts';

/** `npm run campaign -- orderForms` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const CASES = Number(ISOBAR_CASES ?? 100);
/** Rows of each script. */
const ROWS = 160;
/** Tags of the orders, which name their decision slots. */
const TAGS = ['a', 'b', 'c', 'd'];

/** How often each kind of act is drawn, relative to the others. */
const ACT_WEIGHTS: readonly { readonly kind: FormAct['what']; readonly weight: number }[] = [
  { kind: 'market', weight: 3 },
  { kind: 'limit', weight: 4 },
  { kind: 'stop', weight: 6 },
  { kind: 'reprice', weight: 3 },
  { kind: 'oco', weight: 2 },
  { kind: 'closeAt', weight: 2 },
  { kind: 'entry', weight: 6 },
  { kind: 'cancel', weight: 1 },
];
const TOTAL_WEIGHT = ACT_WEIGHTS.reduce((sum, { weight }) => sum + weight, 0);

/** Draws the kind of an act. `drawBelow` draws a whole number from 0 to `count` - 1. */
function drawActKind(drawBelow: (count: number) => number): FormAct['what'] {
  let remaining = drawBelow(TOTAL_WEIGHT);
  for (const { kind, weight } of ACT_WEIGHTS) {
    if (remaining < weight) return kind;
    remaining -= weight;
  }
  throw new Error('the weights do not add up');
}

/**
 * Returns what a script does at each row, drawn from a seed. Nothing cancels an order at the close at which it was sent: the cancel would
 * leave with the acknowledgement, and the order would live for a row (docs/strategies.md).
 */
function scriptOf(rows: readonly NaiveRow[], seed: number): readonly (readonly FormAct[])[] {
  const rng = seededRng(seed);
  /** Draws a whole number from 0 to `count` - 1. */
  const drawBelow = (count: number) => Math.floor(rng.next() * count);
  let orderCount = 0;
  let sizeIndex = drawBelow(401);
  /** Rows at whose close an exit may come: nothing is sent there. */
  const exitRows = new Set<number>();
  return rows.map(({ close }, minute) => {
    /** Draws a price `from` to `to` basis points away from the close, with two decimals. */
    const drawPrice = (from: number, to: number): string => {
      const basisPoints = from + drawBelow(to - from + 1);
      return close.times(1 + basisPoints / 10_000).toFixed(2);
    };
    // All sizes differ. Otherwise the bot would send one of two equal orders one lot smaller, to distinguish them after a lost reply.
    const nextQty = (): string => (0.001 * (20 + ((37 * ++sizeIndex) % 401))).toFixed(3);
    /** Returns the text, or null in a third of the draws. */
    const orNull = (text: string): string | null => (drawBelow(3) === 0 ? null : text);
    /** Draws a trailing stop by a distance or by a percentage, or none. */
    const drawTrail = (): NaiveTrail | null => {
      const choice = drawBelow(3);
      if (choice === 0) return null;
      const from = drawBelow(2) === 0 ? {} : { from: drawPrice(-20, 120) };
      return choice === 1
        ? { distance: (0.2 + drawBelow(300) / 100).toFixed(2), ...from }
        : { percent: (0.1 + drawBelow(30_000) / 10_000).toFixed(4), ...from };
    };
    /**
     * Draws up to five targets, at least `from` basis points above the close, or none. The last one may close the remainder, with
     * a share or without one.
     */
    const drawTargets = (from = 0): readonly NaiveTarget[] | null => {
      if (drawBelow(2) === 0) return null;
      const percents = Array.from({ length: 1 + drawBelow(5) }, () => 1 + drawBelow(20));
      const remainingPercent = 100 - percents.slice(0, -1).reduce((sum, percent) => sum + percent, 0);
      let distanceBp = from + 5 + drawBelow(120);
      return percents.map((percent, index) => {
        const lastChoice = index === percents.length - 1 ? drawBelow(3) : 0;
        distanceBp += 5 + drawBelow(60);
        const sharePercent = lastChoice === 2 ? remainingPercent : percent;
        return { at: drawPrice(distanceBp, distanceBp), share: lastChoice === 1 ? null : String(sharePercent / 100) };
      });
    };
    const ordersBefore = orderCount;
    /** Orders that this row has repriced. */
    const repriced = new Set<number>();
    const drawAct = (): FormAct => {
      const order = Math.max(0, ordersBefore - 1 - drawBelow(4));
      const tag = TAGS[drawBelow(4)]!;
      const mayOnlyMoveStop = exitRows.has(minute) || repriced.has(order);
      const kind = mayOnlyMoveStop ? 'stop' : drawActKind(drawBelow);
      if (kind === 'market') {
        orderCount++;
        return { what: 'market', tag, qty: nextQty(), stop: orNull(drawPrice(-900, -400)), trail: drawTrail(), targets: drawTargets() };
      }
      if (kind === 'limit') {
        orderCount++;
        return {
          what: 'limit',
          tag,
          qty: nextQty(),
          limit: drawPrice(-150, 30),
          stop: orNull(drawPrice(-900, -400)),
          targets: drawTargets(),
        };
      }
      if (kind === 'stop') return { what: 'stop', order, stop: drawPrice(-300, drawBelow(8) === 0 ? 60 : -5) };
      if (kind === 'reprice') {
        repriced.add(order);
        return { what: 'reprice', order, limit: drawPrice(-120, 20), qty: nextQty(), stop: drawPrice(-900, -400), targets: drawTargets() };
      }
      if (kind === 'entry') {
        const limit = drawBelow(2) === 0 ? drawPrice(-30, 220) : null;
        orderCount++;
        return {
          what: 'entry',
          tag,
          qty: nextQty(),
          at: drawPrice(-5, 150),
          limit,
          stop: orNull(drawPrice(-900, -40)),
          trail: drawTrail(),
          targets: drawTargets(150),
        };
      }
      if (kind === 'cancel') return { what: 'cancel', order };
      if (kind === 'oco') return { what: 'oco', order, otherOrder: Math.max(0, ordersBefore - 1 - drawBelow(4)) };
      const exitMinute = minute + 2 + drawBelow(12);
      exitRows.add(exitMinute - 1);
      return { what: 'closeAt', minute: drawBelow(5) === 0 ? null : exitMinute };
    };
    return Array.from({ length: drawBelow(3) }, drawAct);
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
      for (const act of script[this.row++]!) this.apply(act);
    }
    private apply(act: FormAct): void {
      const id = 'order' in act ? this.ids[act.order] : undefined;
      const openOrder = this.openOrders().find((order) => order.id === id);
      const isWaitingEntry = openOrder?.lifecycle === 'draft';
      const isOpenLimit = openOrder !== undefined && !Number.isNaN(openOrder.limit);
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
      else if (isWaitingEntry) this.linkOrders(act, id);
      else if (act.what === 'stop') this.amend(id, { stop: act.stop });
      else if (act.what === 'oco') this.linkOrders(act, id);
      else if (isOpenLimit)
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

/** Sorts fills by minute and then by text. Each is a text that begins with its minute. */
const sorted = (fills: readonly string[]): readonly string[] =>
  fills.toSorted((first, second) => parseInt(first) - parseInt(second) || (first < second ? -1 : 1));

test('random scripts of order forms have the fills of the naive reference', { timeout: 86_400_000 }, async () => {
  let fillCount = 0;
  /** Number of stop entries by the way in which they filled. */
  const entries = { atOpen: 0, inRow: 0, rested: 0, collared: 0 };
  for (let seed = Number(ISOBAR_SEED); seed < Number(ISOBAR_SEED) + CASES; seed++) {
    // Every third walk jumps beyond the collar of a stop entry now and then.
    const bars = walkBars({ rows: ROWS, seed, volume: 1_000_000, step: seed % 3 === 0 ? 500 : 60 });
    const toDecimal = (price: number): Decimal => new Decimal(price.toFixed(2));
    const rows = Array.from({ length: ROWS }, (_, row) => ({
      open: toDecimal(bars.open[row]!),
      high: toDecimal(bars.high[row]!),
      low: toDecimal(bars.low[row]!),
      close: toDecimal(bars.close[row]!),
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
