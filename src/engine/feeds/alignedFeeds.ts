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
  /** For the equity recorder: the next row of the lead to mark. */
  unmarked: number;
  /** For the equity recorder: true while the current step marks rows of this group. */
  isMarking = false;

  constructor(lead: FeedRun) {
    this.lead = lead;
    this.feeds = [lead];
    this.hasOnBar = lead.hasOnBar;
    this.isExecution = lead.isExecution;
    this.unmarked = lead.nextRow;
  }

  /** Returns the close of the next row to deliver inside the block; Infinity when the block has none. */
  get nextCloseMs(): number {
    const { lead } = this;
    return lead.nextRow < lead.blockEnd ? lead.closeOf(lead.nextRow) : INFINITY;
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

  /** Delivers every row of the block that closes at or before `untilMs`. */
  deliverThrough(untilMs: number): void {
    const { lead } = this;
    this.deliver(lead.firstAfter(untilMs) - lead.nextRow);
  }
  /** Delivers `rows` rows of each feed. */
  deliver(rows: number): void {
    const { feeds, lead } = this;
    lead.instant.deliveries++;
    for (let index = 0; index < feeds.length; index++) {
      const feed = feeds[index]!;
      const nextRow = feed.nextRow + rows;
      feed.nextRow = nextRow;
      feed.cursor.row = nextRow - 1;
    }
  }
}

/**
 * Groups feeds that have entered a block. Feeds without a row in it form a group of their own that never moves. `separatesInstruments`: the
 * feeds of different instruments are not grouped.
 */
export function alignFeeds(feeds: readonly FeedRun[], separatesInstruments = false): AlignedFeeds[] {
  const aligned: AlignedFeeds[] = [];
  for (const feed of feeds) {
    const group = aligned.find(
      ({ lead }) => (!separatesInstruments || lead.instrumentIndex === feed.instrumentIndex) && areAligned(lead, feed),
    );
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
function areAligned(feed: FeedRun, other: FeedRun): boolean {
  const rows = feed.blockEnd - feed.nextRow;
  if (rows !== other.blockEnd - other.nextRow) return false;
  if (rows === 0) return true;
  if (feed.closeOf(feed.nextRow) !== other.closeOf(other.nextRow) || feed.closeOf(feed.blockEnd - 1) !== other.closeOf(other.blockEnd - 1))
    return false;
  // Two gapless feeds with equal row counts are aligned. With gaps, as after an outage, compare every close: both may lack the
  // same rows.
  if (!feed.hasGap && !other.hasGap) return true;
  for (let index = 1; index < rows; index++) if (feed.closeOf(feed.nextRow + index) !== other.closeOf(other.nextRow + index)) return false;
  return true;
}
