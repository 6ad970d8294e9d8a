// Decides whether the bars of a definition are read block by block, and opens them so.

import type { BarStore } from '../../adapters/catalog/bars/barStore.ts';
import { openStreamedBars, StreamedBars, type Streaming } from '../../adapters/catalog/bars/streamedBars.ts';
import { barsPath, instrumentPath } from '../../adapters/catalog/files/paths.ts';
import type { FeedPlan } from '../plan/plan.ts';
import { marketsOf, type Definition } from '../text/schema.ts';
import { executionIntervalRule } from './executionInterval.ts';

/**
 * Returns a store that opens the bars of the definition's only feed without loading them, where their number asks for it. Everything else
 * that it loads is loaded whole.
 */
export function streamingStore(store: BarStore, definition: Definition, streaming: Streaming): BarStore {
  const { folder } = store;
  if (folder === null || !isStreamable(definition)) return store;
  const [feed] = Object.values(definition.feeds);
  return {
    ...store,
    load(key, range) {
      // Bars that are made from finer ones need these in memory.
      const openedBars = key.interval === feed!.interval ? openStreamedBars(folder, key, range, streaming) : null;
      return openedBars === null
        ? store.load(key, range)
        : { ...openedBars, files: [barsPath(folder, key), instrumentPath(folder, key.market, key.symbol)] };
    },
  };
}

/** True for one feed of one spot symbol, whose bars are all that the run reads. */
function isStreamable(definition: Definition): boolean {
  const feeds = Object.values(definition.feeds);
  const [feed] = feeds;
  if (feed === undefined || feeds.length > 1 || (feed.symbols ?? ['']).length !== 1) return false;
  if (feed.minCoverage !== undefined || feed.listed !== undefined || definition.instruments !== undefined) return false;
  if (definition.series !== undefined || definition.fills?.queue !== undefined) return false;
  if (Number(definition.fills?.impact?.coefficient ?? 0) !== 0 || marketsOf(definition).has('futures')) return false;
  return executionIntervalRule(definition) === 'off';
}

/** Returns the bars of a run that are read block by block; null if they are in memory. */
export function streamedBarsOf(feeds: readonly FeedPlan[]): StreamedBars | null {
  const bars = feeds[0]?.bars;
  return bars instanceof StreamedBars ? bars : null;
}
