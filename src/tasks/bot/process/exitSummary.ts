// The last log line of a bot: orders, fills, equity, open orders and journal at its end.

import type { BotView } from '../../control/botView.ts';
import { counted } from '../../../base/text/format.ts';

type Ended = Pick<BotView, 'equity' | 'open' | 'unknown' | 'counts' | 'scopes'>;

export function exitSummary({ equity, open, unknown, counts, scopes }: Ended): string {
  const money = equity.map(({ asset, now }) => `${now} ${asset}`).join(', ');
  const left =
    open.length + unknown.length === 0
      ? 'no order is open'
      : `left open: ${counted(open.length, 'order')}, ${unknown.length} of unknown outcome`;
  const isKept = !scopes.some(({ causes }) => causes.some(({ code }) => code === 'JOURNAL'));
  const kept = isKept ? 'the journal is written' : 'the journal could not be written';
  return `stopped: ${counted(counts.ordersSent, 'order')} sent, ${counted(counts.fills, 'fill')}, equity ${money}; ${left}; ${kept}`;
}
