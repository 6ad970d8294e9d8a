// Tests the equity of several feeds against a plain walk over all instants: gaps, late starts, intervals, block sizes and sinks.

import { describe, expect, test } from 'vitest';
import { MaxDrawdown } from '../../base/number/maxDrawdown.ts';
import { seededRng } from '../../base/number/rng.ts';
import { Scratch } from '../../base/memory/rowLog.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Fill } from '../../model/fill.ts';
import type { Interval } from '../../model/interval.ts';
import { SpotLedger } from '../../portfolio/spotLedger.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { alignFeeds } from '../feeds/alignedFeeds.ts';
import { EquityRecorder, type EquitySink } from './equityRecorder.ts';
import { endOfBlock, FeedRun } from '../feeds/feed.ts';
import { Instant } from '../feeds/instant.ts';

const MINUTE = 60_000;
const MINUTES = 240;

/** Returns a random whole number from 0 to `below` - 1. */
type Pick = (below: number) => number;

/** Returns the rows of an interval of `minutes` minutes that end at the minutes for which `hasBar` is true. */
function barsOf(base: string, minutes: number, pick: Pick, hasBar: (minute: number) => boolean): BarColumns {
  const ends = Array.from({ length: MINUTES / minutes }, (_, index) => (index + 1) * minutes).filter(hasBar);
  const closes = Float64Array.from(ends, () => (9_000 + pick(2_000)) / 100);
  const times = (beforeMinutes: number) => Float64Array.from(ends, (minute) => (minute - beforeMinutes) * MINUTE);
  const interval: Interval = minutes === 1 ? '1m' : '15m';
  const prices = { open: closes, high: closes, low: closes, close: closes, volume: closes };
  return { instrument: spotInstrument(base), interval, length: ends.length, openMs: times(minutes), closeMs: times(0), ...prices };
}

/** Returns feeds of five instruments: some share all rows, others have gaps, a late start or rows of 15 minutes. */
function someFeeds(pick: Pick, blockRows: number): FeedRun[] {
  const outageMinute = 20 + pick(100);
  const allBars = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE'].map((base) => {
    const shape = ['complete', 'lateStart', 'missingRows', 'outage', 'outage', 'outageOf15m'][pick(6)]!;
    const startMinute = shape === 'lateStart' ? pick(MINUTES) : 0;
    const missingPercent = shape === 'missingRows' ? 10 : 0;
    const hasOutage = shape.startsWith('outage');
    const isOut = (minute: number) => hasOutage && minute > outageMinute && minute < outageMinute + 30;
    const hasBar = (minute: number) => minute > startMinute && !isOut(minute) && pick(100) >= missingPercent;
    return barsOf(base, shape === 'outageOf15m' ? 15 : 1, pick, hasBar);
  });
  return allBars.map((bars, index) => {
    const feed = new FeedRun('all', bars, bars.instrument, index, 0, blockRows, new Instant(0));
    feed.makeExecutionFeed();
    feed.indicators.seal();
    feed.warmUp(blockRows);
    return feed;
  });
}

/** A run with random fills. It records the equity by the recorder, and by a plain walk over all instants. */
class WalkedRun {
  readonly feeds: FeedRun[];
  readonly ledger: SpotLedger;
  readonly recorder: EquityRecorder;
  readonly expected: { timeMs: number; units: number }[] = [];
  readonly samples: { timeMs: number; units: number }[] = [];
  readonly drawdown = new MaxDrawdown(1e12);
  readonly #pick: Pick;

  constructor(pick: Pick, blockRows: number, hasSink: boolean) {
    this.#pick = pick;
    this.feeds = someFeeds(pick, blockRows);
    this.ledger = new SpotLedger(
      this.feeds.map(({ instrument }) => instrument),
      1,
    );
    this.ledger.deposit(0, 'USDT', 1e12);
    const take: EquitySink['take'] = (timeMs, at, units, length) => {
      for (let row = 0; row < length; row++) this.samples.push({ timeMs: timeMs[at + row]!, units: units[row]! });
    };
    const sink = hasSink ? { take, rowsOf: () => new Int32Array(0), drawdown: this.drawdown } : null;
    const ticks = this.feeds.map(({ closeTicks }) => closeTicks);
    this.recorder = new EquityRecorder(this.feeds, ticks, this.ledger, new Scratch(), sink, blockRows);
    for (let endMs = endOfBlock(this.feeds, blockRows); endMs < Infinity; endMs = endOfBlock(this.feeds, blockRows)) {
      this.#deliverBlock(blockRows, endMs);
    }
    const { length, timeMs, units } = this.recorder.columns();
    for (let row = 0; row < length; row++) this.samples.push({ timeMs: timeMs[row]!, units: units[row]! });
  }

  /** Delivers the rows of one block, with random fills before and after instants. */
  #deliverBlock(blockRows: number, endMs: number): void {
    for (const feed of this.feeds) feed.enterBlock(blockRows, endMs);
    const aligned = alignFeeds(this.feeds);
    this.recorder.enterBlock(aligned);
    for (;;) {
      const instantMs = Math.min(...aligned.map(({ nextCloseMs }) => nextCloseMs));
      if (instantMs === Infinity) break;
      if (this.#pick(6) === 0) this.#fillRandomOrder();
      for (const group of aligned) group.deliverThrough(instantMs);
      this.#expectEquity(instantMs);
      if (this.#pick(6) === 0) this.#fillRandomOrder();
    }
    this.recorder.settle();
    this.recorder.flushBlock();
  }

  /** Adds the expected equity of an instant. */
  #expectEquity(timeMs: number): void {
    const marks = this.feeds.map(({ lastTicks }) => lastTicks);
    this.expected.push({ timeMs, units: this.ledger.equityTotalUnits(marks) });
  }

  /** Fills an order of a random instrument that has a close. The order sells its whole holding, or buys. */
  #fillRandomOrder(): void {
    const index = this.#pick(this.feeds.length);
    const price = this.feeds[index]!.lastTicks;
    if (Number.isNaN(price)) return;
    this.recorder.settle();
    const heldLots = this.ledger.lots(0, index);
    const lots = heldLots > 0 ? heldLots : 1 + this.#pick(500);
    const fill = { lots, price, notional: price * lots * 1000, fee: this.#pick(1000), feeInBase: false, timeMs: 0 } as unknown as Fill;
    this.ledger.fill(0, index, heldLots === 0, fill);
  }
}

describe('equity of several feeds', () => {
  test('equity of several feeds equals a walk over all instants, with and without a sink', () => {
    let feedsInGroups = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const rng = seededRng(seed);
      const blockRows = [1, 7, 64, 1000][seed % 4]!;
      const walkedRun = new WalkedRun((below) => Math.floor(rng.next() * below), blockRows, seed % 3 === 0);
      expect(walkedRun.samples, `seed ${seed}, blocks of ${blockRows}`).toEqual(walkedRun.expected);
      if (seed % 3 === 0) {
        // The definition of docs/metrics.md: E_t / max(E_0..E_t) - 1 over every instant.
        let peak = 1e12;
        let deepestFraction = 0;
        let deepestUnits = 0;
        for (const { units } of walkedRun.expected) {
          peak = Math.max(peak, units);
          deepestFraction = Math.min(deepestFraction, units / peak - 1);
          deepestUnits = Math.max(deepestUnits, peak - units);
        }
        expect([walkedRun.drawdown.fraction, walkedRun.drawdown.units], `seed ${seed}`).toEqual([deepestFraction, deepestUnits]);
      }
      feedsInGroups += walkedRun.feeds.filter(({ aligned }) => aligned!.feeds.length > 1).length;
    }
    expect(feedsInGroups).toBeGreaterThan(100);
  });
});
