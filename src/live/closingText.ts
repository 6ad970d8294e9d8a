// The last line of a bot: how it stands as it ends.

import type { BotView } from '../app/control/botView.ts';

type Ended = Pick<BotView, 'equity' | 'open' | 'unknown' | 'counts' | 'scopes'>;

export function closingText({ equity, open, unknown, counts, scopes }: Ended): string {
  const money = equity.map(({ asset, now }) => `${now} ${asset}`).join(', ');
  const left =
    open.length + unknown.length === 0 ? 'no order is open' : `${open.length} orders stay open, ${unknown.length} of unknown outcome`;
  const isKept = !scopes.some(({ causes }) => causes.some(({ code }) => code === 'JOURNAL'));
  const kept = isKept ? 'the journal is written' : 'the journal could not be written';
  return `stopped: ${counts.ordersSent} orders sent, ${counts.fills} fills, equity ${money}; ${left}; ${kept}`;
}
