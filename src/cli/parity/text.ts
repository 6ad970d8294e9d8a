// Output of `isobar parity` for people: the first difference, then the bridge from the backtest to the bot. At most 100 columns.

import { Decimal } from '../../base/number/decimal.ts';
import { counted } from '../../base/text/format.ts';
import { formatTime } from '../../model/time.ts';
import { COLUMNS, withLead } from '../../report/terminal/lines.ts';
import type { DivergenceReport } from '../../tasks/parity/model.ts';
import { alignedRows } from '../terminal/tables.ts';
import { wrapped } from '../terminal/wrapped.ts';

/** Returns the lines joined by \n, without a final \n. */
export function parityText(report: DivergenceReport): string {
  const { name, fromMs, toMs, bars, orders, fills, equal, first, cause, bridge, net, residual } = report;
  const lines = [
    ...withLead('  ', `${name}, ${formatTime(fromMs)} to ${formatTime(toMs)}`),
    ...withLead('  ', `${counted(bars, 'bar')}, ${counted(orders, 'order')} and ${counted(fills, 'fill')} of the bot`),
    '',
  ];
  if (equal) return [...lines, `  equal: bot and backtest gain ${net.live} ${net.asset}`].join('\n');
  if (first === null) lines.push('  the money differs, and no event does');
  else {
    lines.push(`  first difference: ${first.what} of ${formatTime(first.time)}, record ${first.seq}`);
    lines.push(...sideLines('backtest', first.backtest), ...sideLines('live', first.live));
  }
  if (cause !== null) lines.push(...sideLines('cause', cause));
  const rows = [
    ['backtest', '', net.backtest],
    ...bridge.map((step) => [`  ${step.cause}`, signedText(step.amount), '']),
    ['live', signedText(new Decimal(net.live).minus(net.backtest).toFixed()), net.live],
    ...(residual === '0' ? [] : [['residual', residual, '']]),
  ];
  return [...lines, '', `  Bridge, ${net.asset}`, ...alignedRows(rows, 'lrr').map((line) => `  ${line}`)].join('\n');
}

const LEAD = 12;

function sideLines(name: string, text: string | null): readonly string[] {
  return wrapped(text ?? 'nothing', COLUMNS - LEAD - 2).map((line, at) => `    ${(at === 0 ? name : '').padEnd(LEAD - 2)}${line}`);
}

const signedText = (amount: string): string => (amount.startsWith('-') || amount === '0' ? amount : `+${amount}`);
