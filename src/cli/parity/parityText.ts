// Output of `isobar parity` for people: the first difference, then the bridge from the backtest to the bot. At most 100 columns.

import { Decimal } from '../../base/number/decimal.ts';
import { counted } from '../../base/text/format.ts';
import { formatMinute, formatTime } from '../../model/time.ts';
import { COLUMNS, withLead } from '../../report/terminal/lines.ts';
import type { ComparedLatency, DivergenceReport } from '../../tasks/parity/divergences.ts';
import { alignedRows, alignedTable } from '../terminal/tables.ts';
import { wrapText } from '../terminal/wrapText.ts';

/** Returns the report as text without a final line break. */
export function parityText(report: DivergenceReport): string {
  const { name, fromMs, toMs, bars, orders, fills, equal, first, cause, changes, bridge, net, residual } = report;
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
  lines.push(...changes.flatMap((change) => sideLines('changed', `${change} since the newest start`)));
  const rows = [
    ['backtest', '', net.backtest],
    ...bridge.map((step) => [`  ${step.cause}`, signedText(step.amount), '']),
    ['live', signedText(new Decimal(net.live).minus(net.backtest).toFixed()), net.live],
    ...(residual === '0' ? [] : [['residual', residual, '']]),
  ];
  lines.push('', `  Bridge, ${net.asset}`, ...alignedRows(rows, 'lrr').map((line) => `  ${line}`));
  return [...lines, ...tradeLines(report)].join('\n');
}

const LATENCY_SOURCES: Readonly<Record<ComparedLatency['from'], string>> = {
  config: 'fills.latencyMs of the config',
  option: 'as asked for',
  measured: 'as measured',
};

/** Returns the latency of the backtest, and the measured one of the bot if there is one. */
function latencyText({ backtestMs, from, measuredMs, orders }: ComparedLatency): string {
  const backtest = `latency of the backtest ${backtestMs} ms (${LATENCY_SOURCES[from]})`;
  if (measuredMs === null) return backtest;
  const hint = measuredMs > backtestMs ? '; --latency measured compares with that' : '';
  return `${backtest}, of the bot at least ${measuredMs} ms (the median of ${counted(orders, 'order')})${hint}`;
}

/** Maximum number of trades in the bridge trade by trade. */
const MAX_TRADES = 12;
/** Maximum length of the cell that says when and on which symbol a trade was decided. */
const MAX_DECIDED_LENGTH = 40;

/** Returns the bridge trade by trade: the trades that differ most, in the order of time, and the sum of the others. */
function tradeLines({ trades, funding, held, net }: DivergenceReport): readonly string[] {
  const byAmount = trades.toSorted((a, b) => new Decimal(b.amount).abs().comparedTo(new Decimal(a.amount).abs()));
  const listed = new Set(byAmount.slice(0, MAX_TRADES));
  const others = trades.filter((trade) => !listed.has(trade)).reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));
  const rows = trades
    .filter((trade) => listed.has(trade))
    .map(({ order, time, symbol, backtest, live, amount }) => [
      order === null ? '-' : String(order),
      `${formatMinute(time)} ${symbol}`.slice(0, MAX_DECIDED_LENGTH),
      backtest,
      live,
      signedText(amount),
    ]);
  if (trades.length > MAX_TRADES) rows.push(['', `${trades.length - MAX_TRADES} more`, '', '', signedText(others.toFixed())]);
  const addSum = (name: string, { amount, backtest, live }: DivergenceReport['funding']): void => {
    if (amount !== '0') rows.push(['', name, backtest, live, signedText(amount)]);
  };
  addSum('funding', funding);
  addSum('held at the end', held);
  if (rows.length === 0) return [];
  const head = ['order', 'decided', 'backtest', 'live', 'difference'];
  return ['', `  Trade by trade, ${net.asset}`, ...alignedTable(head, rows, 'rlrrr').map((line) => `  ${line}`)];
}

/** Width of the names in front of the texts of a difference. */
const NAME_COLUMNS = 10;

/** Returns a wrapped text with a name in front of its first line. */
function sideLines(name: string, text: string | null): readonly string[] {
  const lines = wrapText(text ?? 'nothing', COLUMNS - NAME_COLUMNS - 4);
  return lines.map((line, index) => `    ${(index === 0 ? name : '').padEnd(NAME_COLUMNS)}${line}`);
}

/** Returns an amount with a plus sign if it is above 0. */
const signedText = (amount: string): string => (amount.startsWith('-') || amount === '0' ? amount : `+${amount}`);
