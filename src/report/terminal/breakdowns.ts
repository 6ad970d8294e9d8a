// Trades by group as tables of the terminal: symbol, side, tag, reason of the exit, holding time, hour.

import { amountText, count, fixed, NONE, percent, signedAmount } from '../../base/text/format.ts';
import type { Summary } from '../summary/summary.ts';
import { tradeGroups, type TradeGroup } from '../words/groups.ts';
import { withLead } from './lines.ts';

const HEADS = ['trades', 'won', 'result', 'average', 'profit factor'] as const;
const KEY_WIDTH = 28;
const WIDTHS = [9, 9, 16, 14, 14] as const;

/** Returns the lines of all breakdowns, joined by \n; a sentence when no trade was made. At most 100 columns. */
export function breakdownTables(summary: Summary): string {
  const asset = summary.run.reportingAsset;
  const all = tradeGroups(summary);
  if (all.length === 0) return '  No trade was made.';
  return all
    .map(({ name, groups }) => [tableLine(`By ${name}`, HEADS), ...groups.map((group) => groupLine(group, asset))].join('\n'))
    .join('\n\n');
}

/** Returns the lines that say by what the trades were left and with which results; none when all were left in one way. */
export function exitLines(summary: Summary): string[] {
  const asset = summary.run.reportingAsset;
  const exits = tradeGroups(summary).find(({ by }) => by === 'exitReason');
  if (!exits || exits.groups.length < 2) return [];
  const texts = exits.groups.map(
    ({ key, isOpen, trades, closedPnl }) =>
      `${isOpen ? 'open at the end' : key} ${count(trades)} (${signedAmount(Number(closedPnl), asset)})`,
  );
  return withLead('  Left by      ', texts.join(', '));
}

function groupLine({ key, isOpen, trades, winRate, closedPnl, averageTrade, profitFactor }: TradeGroup, asset: string): string {
  const label = isOpen ? `${key} (still open)` : key === '' ? 'without a tag' : key;
  return tableLine(label, [
    count(trades),
    winRate === null ? NONE : percent(winRate, 1),
    signedAmount(Number(closedPnl), asset),
    averageTrade === null ? NONE : amountText(Number(averageTrade), asset),
    profitFactor === null ? NONE : fixed(profitFactor, 2),
  ]);
}

function tableLine(label: string, cells: readonly string[]): string {
  const short = label.length > KEY_WIDTH ? `${label.slice(0, KEY_WIDTH - 1)}…` : label;
  return `  ${short.padEnd(KEY_WIDTH)}${cells.map((cell, at) => ` ${cell.padStart(WIDTHS[at]! - 1)}`).join('')}`;
}
