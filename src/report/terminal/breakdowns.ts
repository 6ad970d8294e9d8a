// Writes trades by group as terminal tables: symbol, side, tag, exit reason, holding time, hour.

import { amountText, wholeText, fixed, NONE, percent, signedAmount } from '../../base/text/format.ts';
import type { Summary } from '../summary/summary.ts';
import { tradeGroups, type TradeGroup } from '../words/groups.ts';
import { withLead } from './lines.ts';

const HEADS = ['trades', 'won', 'result', 'average', 'profit factor'] as const;
const KEY_WIDTH = 28;
const WIDTHS = [9, 9, 16, 14, 14] as const;

/** Returns the lines of all breakdowns, joined by \n, at most 100 columns wide. Without trades, returns a sentence. */
export function breakdownTables(summary: Summary): string {
  const asset = summary.run.reportingAsset;
  const breakdowns = tradeGroups(summary);
  if (breakdowns.length === 0) return '  No trade was made.';
  return breakdowns
    .map(({ name, groups }) => [tableLine(`By ${name}`, HEADS), ...groups.map((group) => groupLine(group, asset))].join('\n'))
    .join('\n\n');
}

/** Returns the lines with the number and the result of the trades by exit reason. Empty when all trades have the same exit reason. */
export function exitLines(summary: Summary): string[] {
  const asset = summary.run.reportingAsset;
  const exits = tradeGroups(summary).find(({ by }) => by === 'exitReason');
  if (!exits || exits.groups.length < 2) return [];
  const texts = exits.groups.map(
    ({ key, isOpen, trades, closedPnl }) =>
      `${isOpen ? 'open at the end' : key} ${wholeText(trades)} (${signedAmount(Number(closedPnl), asset)})`,
  );
  return withLead('  Left by      ', texts.join(', '));
}

/** Returns the line of one group. */
function groupLine({ key, isOpen, trades, winRate, closedPnl, averageTrade, profitFactor }: TradeGroup, asset: string): string {
  const name = key === '' ? 'without a tag' : key;
  const label = isOpen ? `${key} (still open)` : name;
  return tableLine(label, [
    wholeText(trades),
    winRate === null ? NONE : percent(winRate, 1),
    signedAmount(Number(closedPnl), asset),
    averageTrade === null ? NONE : amountText(Number(averageTrade), asset),
    profitFactor === null ? NONE : fixed(profitFactor, 2),
  ]);
}

/** Returns a line with a cut label and right-aligned cells. */
function tableLine(label: string, cells: readonly string[]): string {
  const short = label.length > KEY_WIDTH ? `${label.slice(0, KEY_WIDTH - 1)}…` : label;
  return `  ${short.padEnd(KEY_WIDTH)}${cells.map((cell, column) => ` ${cell.padStart(WIDTHS[column]! - 1)}`).join('')}`;
}
