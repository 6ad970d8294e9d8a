// Kernels that read several feeds. They are filled after the kernels of every single feed, up to the same instant.

import { largestOf } from '../../base/number/extremes.ts';
import type { Kernel } from '../../indicators/graph/spec.ts';
import type { TechnicalLibrary } from '../../indicators/graph/technicalLibrary.ts';
import { firstAfter } from '../../base/number/search.ts';
import type { FeedRun } from './feed.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Kernels of one feed that read others. */
export interface Link {
  readonly feed: FeedRun;
  readonly kernels: readonly Kernel[];
}

/** Returns the kernels that read several feeds, in the order in which they must run. */
export function linksOf(feeds: readonly FeedRun[]): readonly Link[] {
  // A kernel of one level reads only kernels of lower levels.
  const levels = Math.max(0, largestOf(feeds.map(({ indicators }) => indicators.linked.length)));
  return Array.from({ length: levels }).flatMap((_, level) =>
    feeds.flatMap((feed) => {
      const kernels = feed.indicators.linked[level] ?? [];
      return kernels.length === 0 ? [] : [{ feed, kernels }];
    }),
  );
}

/**
 * Ends the set-up of the indicators of all feeds, fills them over the rows before the run and returns the kernels that read several feeds.
 * Engines that share their feeds call it one after the other; only the first call fills.
 */
export function warmUpFeeds(feeds: readonly FeedRun[], technical: TechnicalLibrary | null, blockRows: number): readonly Link[] {
  const isWarmedUp = feeds.every(({ indicators }) => indicators.isSealed);
  for (const { indicators } of feeds) if (!indicators.isSealed) indicators.seal(technical);
  const links = linksOf(feeds);
  if (isWarmedUp) return links;
  if (links.length === 0) for (const feed of feeds) feed.warmUp(blockRows);
  else warmUpBySpans(feeds, links, blockRows);
  return links;
}

/** Warms up all feeds in spans of time, in the order in which the run processes them. */
function warmUpBySpans(feeds: readonly FeedRun[], links: readonly Link[], blockRows: number): void {
  for (const feed of feeds) feed.nextRow = 0;
  for (;;) {
    let endMs = INFINITY;
    for (const { bars, nextRow, firstRow } of feeds) {
      if (nextRow < firstRow) endMs = Math.min(endMs, bars.closeMs[Math.min(nextRow + blockRows, firstRow) - 1]!);
    }
    if (endMs === INFINITY) break;
    for (const feed of feeds) feed.blockEnd = Math.max(feed.nextRow, firstAfter(feed.bars.closeMs, feed.nextRow, feed.firstRow, endMs));
    for (const { indicators, nextRow, blockEnd } of feeds) if (blockEnd > nextRow) fillKernels(indicators.kernels, nextRow, blockEnd);
    for (const { feed, kernels } of links) if (feed.blockEnd > feed.nextRow) fillKernels(kernels, feed.nextRow, feed.blockEnd);
    for (const feed of feeds) feed.nextRow = feed.blockEnd;
  }
  for (const feed of feeds) feed.cursor.row = feed.nextRow - 1;
}

/** Fills the rows from `fromRow` to before `toRow`. */
function fillKernels(kernels: readonly Kernel[], fromRow: number, toRow: number): void {
  for (const kernel of kernels) kernel.fill(fromRow, toRow);
}
