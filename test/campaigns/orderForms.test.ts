// Tests every form of order in random scripts against a naive reference in decimals: npm run campaign -- orderForms --cases 2000.

import { Decimal } from 'decimal.js';
import { expect, test } from 'vitest';
import { Strategy, type OrderId, type OrderOptions, type TargetShare } from '../../src/index.ts';
import { fillRows, MINUTE, run, START_MS, walkBars } from '../engine/backtestFixture.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { NaiveForms, type FormAct, type NaiveTarget } from '../fixtures/naiveForms.ts';
import { orderFormScript } from './orderFormScript.ts';

/** `npm run campaign -- orderForms` sets both variables. */
const { ISOBAR_CASES, ISOBAR_SEED = '1' } = process.env;
const CASE_COUNT = Number(ISOBAR_CASES ?? 100);
const FIRST_SEED = Number(ISOBAR_SEED);
const DAY_MS = 86_400_000;
/** Rows of each script. */
const ROW_COUNT = 160;
const TICKS_PER_QUOTE = 100;
const LOTS_PER_BASE = 1000;

/** Returns targets as the options of an order have them. */
const sharesOf = (targets: readonly NaiveTarget[]): readonly TargetShare[] =>
  targets.map(({ at, share }) => (share === null ? { at } : { at, share }));

/** Returns a strategy that carries out a script with the strategy API. */
function strategyOf(script: readonly (readonly FormAct[])[]) {
  return class Forms extends Strategy {
    nextRow = 0;
    readonly ids: OrderId[] = [];
    override onBar() {
      for (const act of script[this.nextRow++]!) this.apply(act);
    }
    /** Carries out an act through the strategy API. An act on an order that cannot take it does nothing. */
    private apply(act: FormAct): void {
      const id = 'order' in act ? this.ids[act.order] : undefined;
      const openOrder = this.openOrders().find((order) => order.id === id);
      const isWaitingEntry = openOrder?.lifecycle === 'draft';
      const isOpenLimit = openOrder !== undefined && !Number.isNaN(openOrder.limit);
      if (act.kind === 'market' || act.kind === 'limit' || act.kind === 'entry') {
        const legs: OrderOptions = {
          ...(act.targets === null ? {} : { targets: sharesOf(act.targets) }),
          ...(act.stop === null ? {} : { stopLoss: act.stop }),
          ...('trail' in act && act.trail !== null ? { trailing: act.trail } : {}),
        };
        const limit = 'limit' in act && act.limit !== null ? { limit: act.limit } : {};
        const stopEntry = 'at' in act ? { stopEntry: act.at } : {};
        this.ids.push(this.buy({ base: act.qty }, { tag: act.tag, ...legs, ...limit, ...stopEntry }));
      } else if (act.kind === 'closeAt') this.closeAt(act.minute === null ? null : START_MS + act.minute * MINUTE);
      else if (id === undefined) return;
      else if (act.kind === 'cancel') this.cancel(id);
      // A stop entry that waits is not amended.
      else if (isWaitingEntry) this.linkOrders(act, id);
      else if (act.kind === 'stop') this.amend(id, { stop: act.stop });
      else if (act.kind === 'oco') this.linkOrders(act, id);
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
      const otherId = act.kind === 'oco' ? this.ids[act.otherOrder] : undefined;
      if (otherId !== undefined && otherId !== id) this.oco(id, otherId);
    }
  };
}

/** Sorts fills by minute and then by text. Each is a text that begins with its minute. */
const sortedByMinute = (fills: readonly string[]): readonly string[] =>
  fills.toSorted((first, second) => parseInt(first) - parseInt(second) || (first < second ? -1 : 1));

/** Number of stop entries by the way in which they filled. */
type EntryCounts = NaiveForms['entries'];

/** Runs the script of a seed in the backtest and in the reference. Returns the number of fills, which were equal, and the entries. */
async function compareFills(seed: number): Promise<{ fills: number; entries: EntryCounts }> {
  // Every third walk jumps beyond the collar of a stop entry now and then.
  const bars = walkBars({ rows: ROW_COUNT, seed, volume: 1_000_000, step: seed % 3 === 0 ? 500 : 60 });
  const toDecimal = (price: number): Decimal => new Decimal(price.toFixed(2));
  const rows = Array.from({ length: ROW_COUNT }, (_, row) => ({
    open: toDecimal(bars.open[row]!),
    high: toDecimal(bars.high[row]!),
    low: toDecimal(bars.low[row]!),
    close: toDecimal(bars.close[row]!),
  }));
  const script = orderFormScript(rows, seed);
  const naive = new NaiveForms();
  rows.forEach((row, minute) => naive.row(minute, row, script[minute]!));
  const { record } = await run({
    strategies: [strategyOf(script)],
    feeds: { bars },
    fees: { makerPpm: 0, takerPpm: 0 },
    cash: { USDT: '10000000' },
  });
  const actualFills = fillRows(record).map(
    ({ minute, side, price: ticks, lots }) =>
      `${minute} ${side} ${(ticks / TICKS_PER_QUOTE).toFixed(2)} ${(lots / LOTS_PER_BASE).toFixed(3)}`,
  );
  expect(sortedByMinute(actualFills), `seed ${seed}`).toEqual(sortedByMinute(naive.fills));
  return { fills: actualFills.length, entries: naive.entries };
}

test('random scripts of order forms have the fills of the naive reference', { timeout: DAY_MS }, async () => {
  let fillCount = 0;
  const entries: EntryCounts = { atOpen: 0, inRow: 0, rested: 0, collared: 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASE_COUNT; seed++) {
    const compared = await compareFills(seed);
    fillCount += compared.fills;
    for (const way of ['atOpen', 'inRow', 'rested', 'collared'] as const) entries[way] += compared.entries[way];
  }
  // Without fills nothing was compared.
  expect(fillCount).toBeGreaterThan(CASE_COUNT * 20);
  expect(entries.inRow).toBeGreaterThan(CASE_COUNT);
  expect(Math.min(...Object.values(entries))).toBeGreaterThan(0);
  recordResult({ cases: CASE_COUNT, fills: fillCount, ...entries });
});
