// What fills against trades leave unknown, for the reader of the result.

import { TRADE_ROWS } from '../../model/interval.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { count, counted } from '../../base/text/format.ts';
import type { FeedPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';

/** Returns the warnings about the rows of trades among `feeds`; none without such rows. */
export function tradeWarnings(feeds: readonly FeedPlan[], fills: Definition['fills']): readonly Warning[] {
  const traded = feeds.filter(({ bars }) => bars.interval === TRADE_ROWS);
  if (traded.length === 0) return [];
  const names = traded.map(({ bars, quality }) => `${bars.instrument.wireName} (${count(quality.rows)})`).join(', ');
  const cap =
    Number(fills?.maxVolumeShare ?? 0) > 0 ? `at most ${fills!.maxVolumeShare} of each trade` : 'whole orders, however small a trade';
  const text =
    `orders filled against trades of ${names}: ${cap}. Trades show no order book: spread, depth, hidden orders, and what these orders would ` +
    `have changed are not known. ${queueText(fills)}`;
  const gaps = traded.filter(({ missingIds = 0 }) => missingIds > 0);
  const missing = gaps.map(
    ({ bars, quality, missingIds = 0 }) => `${bars.instrument.wireName} ${count(missingIds)} ids in ${counted(quality.gaps, 'run')}`,
  );
  return [
    warning('RUN_TRADE_FILLS', text),
    ...(missing.length === 0
      ? []
      : [warning('DATA_TRADE_GAPS', `trades are missing: ${missing.join(', ')}; nothing could fill against them`)]),
  ];
}

function queueText(fills: Definition['fills']): string {
  const { queue, limit } = fills ?? {};
  if (queue === undefined) {
    return limit === 'touch'
      ? 'A resting limit filled as soon as a trade was at it, as if no order had been ahead of it'
      : 'A resting limit filled when a trade was beyond it';
  }
  const ahead = queue.ahead === undefined ? `${queue.aheadTrades} average trades` : `${queue.ahead} of the base asset`;
  const cancels = Number(queue.cancels ?? 0) > 0 ? `; a share of ${queue.cancels} of it is cancelled` : '';
  return `The queue before a resting limit is assumed, not seen: ${ahead}${cancels}`;
}
