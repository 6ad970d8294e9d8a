// Groups feeds whose rows in a block close at the same instants, so that the engine steps them as one.

import type { BarMarket } from '../../ports/exchange.ts';
import type { FeedRun } from './feed.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/**
 * Feeds whose rows in the block close at the same instants. Eight coins with the same minutes form one group; an hourly feed beside them,
 * or a coin that lacks a row, forms another. The row of the leading feed gives the rows of the others, so time is compared once for a
 * group. Each engine groups its feeds again for each block.
 */
export class AlignedFeeds {
  /** The feed whose rows set the instants of the group. */
  readonly lead: FeedRun;
  /** All feeds of the group, the lead first. */
  readonly feeds: FeedRun[];
  /** True when a strategy with `onBar` listens to one of the feeds. */
  hasOnBar: boolean;
  /** True when one of the feeds is an execution feed. */
  isExecution: boolean;
  /** True when an order waited for a row of one of the feeds at the last check. */
  isWorking = false;
  /** True while rows of the group close at the visited instant: they are matched, delivered and count as fresh. */
  isDue = false;
  /** For the equity recorder: the next row of the lead to mark, and whether the current step marks rows of this group. */
  unmarked: number;
  isMarking = false;

  constructor(lead: FeedRun) {
    this.lead = lead;
    this.feeds = [lead];
    this.hasOnBar = lead.hasOnBar;
    this.isExecution = lead.isExecution;
    this.unmarked = lead.cur;
  }

  /** Returns the close of the next row to deliver inside the block; Infinity when the block has none. */
  get nextCloseMs(): number {
    const { lead } = this;
    return lead.cur < lead.to ? lead.closeOf(lead.cur) : INFINITY;
  }
  /** Returns the close of the next row whose equity is to be marked; Infinity when every delivered row is marked. */
  get unmarkedMs(): number {
    const { lead, unmarked } = this;
    return unmarked <= lead.cursor.row ? lead.closeOf(unmarked) : INFINITY;
  }
  /** Sets `isWorking`: true when a row of one of the feeds may fill a working order. */
  refreshIsWorking(market: BarMarket): void {
    const { feeds } = this;
    let isWorking = false;
    for (let index = 0; index < feeds.length && isWorking === false; index++) {
      const feed = feeds[index]!;
      isWorking = feed.isExecution === true && market.workingOrders(feed.instrumentIndex) > 0;
    }
    this.isWorking = isWorking;
  }

  /** Delivers every row of the block that closes at or before `ms`. */
  deliverThrough(ms: number): void {
    const { lead } = this;
    this.deliver(lead.firstAfter(ms) - lead.cur);
  }
  /** Delivers `rows` rows of each feed. */
  deliver(rows: number): void {
    const { feeds, lead } = this;
    lead.instant.deliveries++;
    for (let index = 0; index < feeds.length; index++) {
      const feed = feeds[index]!;
      const cur = feed.cur + rows;
      feed.cur = cur;
      feed.cursor.row = cur - 1;
    }
  }
}

/**
 * Groups feeds that have entered a block. Feeds without a row in it form a group of their own that never moves. `isApart`: the feeds of
 * different instruments are not grouped.
 */
export function alignFeeds(feeds: readonly FeedRun[], isApart = false): AlignedFeeds[] {
  const aligned: AlignedFeeds[] = [];
  for (const feed of feeds) {
    const group = aligned.find(({ lead }) => (!isApart || lead.instrumentIndex === feed.instrumentIndex) && areAligned(lead, feed));
    if (group !== undefined) {
      group.feeds.push(feed);
      group.hasOnBar ||= feed.hasOnBar;
      group.isExecution ||= feed.isExecution;
    } else aligned.push(new AlignedFeeds(feed));
    feed.aligned = group ?? aligned.at(-1)!;
  }
  return aligned;
}

/** True when the rows of two feeds in the block close at the same instants. */
function areAligned(one: FeedRun, other: FeedRun): boolean {
  const rows = one.to - one.cur;
  if (rows !== other.to - other.cur) return false;
  if (rows === 0) return true;
  if (one.closeOf(one.cur) !== other.closeOf(other.cur) || one.closeOf(one.to - 1) !== other.closeOf(other.to - 1)) return false;
  // Two gapless feeds with equal row counts are aligned. With gaps, as after an outage, compare every close: the gap may be the same in
  // both.
  if (!one.hasGap && !other.hasGap) return true;
  for (let index = 1; index < rows; index++) if (one.closeOf(one.cur + index) !== other.closeOf(other.cur + index)) return false;
  return true;
}
