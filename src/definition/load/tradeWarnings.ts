// Returns the warnings of a run whose orders fill against recorded trades: what trades do not show, and which are missing.

import { TRADE_ROWS } from '../../model/interval.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import type { FeedPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';

/** Returns the warnings about the feeds of trades among `feeds`. Empty without such a feed. */
export function tradeWarnings(feeds: readonly FeedPlan[], fills: Definition['fills']): readonly Warning[] {
  const tradeFeeds = feeds.filter(({ bars }) => bars.interval === TRADE_ROWS);
  if (tradeFeeds.length === 0) return [];
  const feedsText = tradeFeeds.map(({ bars, quality }) => `${bars.instrument.wireName} (${wholeText(quality.rows)})`).join(', ');
  const hasVolumeLimit = Number(fills?.maxVolumeShare ?? 0) > 0;
  const volumeText = hasVolumeLimit ? `at most ${fills!.maxVolumeShare} of each trade` : 'whole orders, however small a trade';
  const unknownText = 'Trades show no order book: spread, depth, hidden orders, and what these orders would have changed are not known';
  const text = `orders filled against trades of ${feedsText}: ${volumeText}. ${unknownText}. ${queueText(fills)}`;
  const missingTexts = missingIdTexts(tradeFeeds);
  const warnings = [warning('RUN_TRADE_FILLS', text)];
  if (missingTexts.length > 0) {
    warnings.push(warning('DATA_TRADE_GAPS', `trades are missing: ${missingTexts.join(', ')}; nothing could fill against them`));
  }
  return warnings;
}

/** Returns one text for each feed with missing trades, such as `BTCUSDT 12 ids in 3 runs`. */
function missingIdTexts(tradeFeeds: readonly FeedPlan[]): readonly string[] {
  return tradeFeeds
    .filter(({ missingIds = 0 }) => missingIds > 0)
    .map(
      ({ bars, quality, missingIds = 0 }) => `${bars.instrument.wireName} ${wholeText(missingIds)} ids in ${counted(quality.gaps, 'run')}`,
    );
}

/** Returns what a run assumes about the orders ahead of a resting limit. */
function queueText(fills: Definition['fills']): string {
  const { queue, limit } = fills ?? {};
  if (queue === undefined) {
    return limit === 'touch'
      ? 'A resting limit filled as soon as a trade was at it, as if no order had been ahead of it'
      : 'A resting limit filled when a trade was beyond it';
  }
  const aheadText = queue.ahead === undefined ? `${queue.aheadTrades} average trades` : `${queue.ahead} of the base asset`;
  const cancels = Number(queue.cancels ?? 0) > 0 ? `; a share of ${queue.cancels} of it is cancelled` : '';
  return `The queue before a resting limit is assumed, not seen: ${aheadText}${cancels}`;
}
