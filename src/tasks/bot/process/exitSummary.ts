// The last log line of a bot: orders, fills, equity, open orders and journal at its end.

import type { BotView } from '../../control/botView.ts';
import { counted } from '../../../base/text/format.ts';

type FinalView = Pick<BotView, 'equity' | 'open' | 'unknown' | 'counts' | 'scopes'>;

/** Returns the last log line for the final view of a bot. */
export function exitSummary({ equity, open: openOrders, unknown: unknownOrders, counts, scopes }: FinalView): string {
  const equityText = equity.map(({ asset, now: amountNow }) => `${amountNow} ${asset}`).join(', ');
  const openText =
    openOrders.length + unknownOrders.length === 0
      ? 'no order is open'
      : `left open: ${counted(openOrders.length, 'order')}, ${unknownOrders.length} of unknown outcome`;
  const isJournalWritten = !scopes.some(({ causes }) => causes.some(({ code }) => code === 'JOURNAL'));
  const journalText = isJournalWritten ? 'the journal is written' : 'the journal could not be written';
  return `stopped: ${counted(counts.ordersSent, 'order')} sent, ${counted(counts.fills, 'fill')}, equity ${equityText}; ${openText}; ${journalText}`;
}
