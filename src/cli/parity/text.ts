// Output of `isobar parity` for people: the first difference, then the bridge from the backtest to the bot. At most 100 columns.

import { Decimal } from '../../base/number/decimal.ts';
import { counted } from '../../base/text/format.ts';
import { formatMinute, formatTime } from '../../model/time.ts';
import { COLUMNS, withLead } from '../../report/terminal/lines.ts';
import type { ComparedLatency, DivergenceReport } from '../../tasks/parity/model.ts';
import { alignedRows, table } from '../terminal/tables.ts';
import { wrapped } from '../terminal/wrapped.ts';

/** Returns the lines joined by \n, without a final \n. */
export function parityText(report: DivergenceReport): string {
  const { name, fromMs, toMs, bars, orders, fills, equal, first, cause, bridge, net, residual } = report;
  const lines = [
    ...withLead('  ', `${name}, ${formatTime(fromMs)} to ${formatTime(toMs)}`),
    ...withLead('  ', `${counted(bars, 'bar')}, ${counted(orders, 'order')} and ${counted(fills, 'fill')} of the bot`),
    ...withLead('  ', latencyText(report.latency)),
    '',
  ];
  if (equal) return [...lines, `  equal: bot and backtest gain ${net.live} ${net.asset}`].join('\n');
  if (first === null) lines.push('  the money differs, but all events are equal');
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
  lines.push('', `  Bridge, ${net.asset}`, ...alignedRows(rows, 'lrr').map((line) => `  ${line}`));
  return [...lines, ...tradeLines(report)].join('\n');
}

const FROM: Readonly<Record<ComparedLatency['from'], string>> = {
  config: 'fills.latencyMs of the config',
  option: 'as asked for',
  measured: 'as measured',
};

function latencyText({ backtestMs, from, measuredMs, orders }: ComparedLatency): string {
  const backtest = `latency of the backtest ${backtestMs} ms (${FROM[from]})`;
  if (measuredMs === null) return backtest;
  const hint = measuredMs > backtestMs ? '; --latency measured compares with that' : '';
  return `${backtest}, of the bot at least ${measuredMs} ms (the median of ${counted(orders, 'order')})${hint}`;
}

/** Maximum number of rows in the bridge trade by trade. The trades that differ most are shown. */
const MAX_TRADES = 12;

function tradeLines({ trades, funding, held, net }: DivergenceReport): readonly string[] {
  const byAmount = trades.toSorted((a, b) => new Decimal(b.amount).abs().comparedTo(new Decimal(a.amount).abs()));
  const shown = new Set(byAmount.slice(0, MAX_TRADES));
  const others = trades.filter((trade) => !shown.has(trade)).reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
  const rows = trades
    .filter((trade) => shown.has(trade))
    .map(({ order, time, symbol, backtest, live, amount }) => [
      order === null ? '-' : String(order),
      `${formatMinute(time)} ${symbol}`.slice(0, MAX_WHEN),
      backtest,
      live,
      signedText(amount),
    ]);
  if (trades.length > MAX_TRADES) rows.push(['', `${trades.length - MAX_TRADES} more`, '', '', signedText(others.toFixed())]);
  for (const [name, sum] of [
    ['funding', funding],
    ['held at the end', held],
  ] as const)
    // prettier-ignore
    if (sum.amount !== '0') rows.push(['', name, sum.backtest, sum.live, signedText(sum.amount)]);
  if (rows.length === 0) return [];
  const head = ['order', 'decided', 'backtest', 'live', 'difference'];
  return ['', `  Trade by trade, ${net.asset}`, ...table(head, rows, 'rlrrr').map((line) => `  ${line}`)];
}

const MAX_WHEN = 40;

const LEAD = 12;

function sideLines(name: string, text: string | null): readonly string[] {
  return wrapped(text ?? 'nothing', COLUMNS - LEAD - 2).map((line, at) => `    ${(at === 0 ? name : '').padEnd(LEAD - 2)}${line}`);
}

const signedText = (amount: string): string => (amount.startsWith('-') || amount === '0' ? amount : `+${amount}`);
