// Feeds whose rows of a block close at the same instants: they go through the block as one.

import type { ExchangePort } from '../../ports/exchange.ts';
import type { FeedRun } from './feed.ts';

/**
 * Eight coins on one grid of minutes are one cohort; an hour beside minutes, or a coin that lacks a row which the others have, is another.
 * Where each of its feeds stands tells the feed that leads, so that time is compared once for all of them. Made anew for each block, by
 * each engine for itself.
 */
export class AlignedFeeds {
  readonly lead: FeedRun;
  readonly feeds: FeedRun[];
  /** A strategy with `onBar` listens to one of them. */
  hasOnBar: boolean;
  /** One of them matches and marks. */
  isExecution: boolean;
  /** An order waited for a row of one of them when the loop looked last. */
  isWorking = false;
  /** Rows of it close at the instant that is being visited: they are matched, delivered, and what is fresh. */
  isDue = false;
  /** For the recorder of equity: the next row of the lead to mark, and whether the present turn marks rows of it. */
  unmarked: number;
  isMarking = false;

  constructor(lead: FeedRun) {
    this.lead = lead;
    this.feeds = [lead];
    this.hasOnBar = lead.hasOnBar;
    this.isExecution = lead.isExecution;
    this.unmarked = lead.cur;
  }

  /** Close of the next row to deliver inside the block; Infinity when the block has none. */
  get nextCloseMs(): number {
    const { lead } = this;
    return lead.cur < lead.to ? lead.closeOf(lead.cur) : Infinity;
  }
  /** Close of the next row whose equity is to be marked; Infinity when every delivered one is. */
  get unmarkedMs(): number {
    const { lead, unmarked } = this;
    return unmarked <= lead.cursor.row ? lead.closeOf(unmarked) : Infinity;
  }
  /** Looks whether an order works that a row of one of them may fill. */
  refreshIsWorking(exchange: ExchangePort): void {
    const { feeds } = this;
    let isWorking = false;
    for (let at = 0; at < feeds.length && isWorking === false; at++) {
      const feed = feeds[at]!;
      isWorking = feed.isExecution === true && exchange.workingOrders(feed.instrumentIndex) > 0;
    }
    this.isWorking = isWorking;
  }

  /** Delivers every row of the block that closes at or before `ms`. */
  deliverThrough(ms: number): void {
    const { lead } = this;
    this.deliver(lead.firstAfter(ms) - lead.cur);
  }
  /** Delivers so many rows of each feed. */
  deliver(rows: number): void {
    const { feeds } = this;
    for (let at = 0; at < feeds.length; at++) {
      const feed = feeds[at]!;
      const cur = feed.cur + rows;
      feed.cur = cur;
      feed.cursor.row = cur - 1;
    }
  }
}

/** Sorts feeds that have entered a block into cohorts. Those without a row in it are one as well, which never moves. */
export function alignFeeds(feeds: readonly FeedRun[]): AlignedFeeds[] {
  const aligned: AlignedFeeds[] = [];
  for (const feed of feeds) {
    const known = aligned.find(({ lead }) => areAligned(lead, feed));
    if (known !== undefined) {
      known.feeds.push(feed);
      known.hasOnBar ||= feed.hasOnBar;
      known.isExecution ||= feed.isExecution;
    } else aligned.push(new AlignedFeeds(feed));
    feed.aligned = known ?? aligned.at(-1)!;
  }
  return aligned;
}

/** The rows that two feeds have in the block close at the same instants. */
function areAligned(one: FeedRun, other: FeedRun): boolean {
  const rows = one.to - one.cur;
  if (rows !== other.to - other.cur) return false;
  if (rows === 0) return true;
  if (one.closeOf(one.cur) !== other.closeOf(other.cur) || one.closeOf(one.to - 1) !== other.closeOf(other.to - 1)) return false;
  // Without a gap so many rows in so much time are the same. With one, as after an outage, it may be the same gap in both.
  if (!one.hasGap && !other.hasGap) return true;
  for (let at = 1; at < rows; at++) if (one.closeOf(one.cur + at) !== other.closeOf(other.cur + at)) return false;
  return true;
}
