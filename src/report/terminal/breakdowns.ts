// Writes trades by group as terminal tables: symbol, side, tag, exit reason, holding time, hour.

import { amountText, wholeText, fixed, NO_VALUE, percent, signedAmount } from '../../base/text/format.ts';
import type { Summary } from '../summary/summary.ts';
import { tradeGroups, type TradeGroup } from '../words/groups.ts';
import { withLead } from './lines.ts';

/** Headings of the figures of a group, and the widths of their columns. */
const HEADINGS = ['trades', 'won', 'result', 'average', 'profit factor'] as const;
const COLUMN_WIDTHS = [9, 9, 16, 14, 14] as const;
/** Width of the names of groups. */
const NAME_WIDTH = 28;

/** Returns the lines of all breakdowns, joined by \n, at most 100 columns wide. Without trades, returns a sentence. */
export function breakdownTables(summary: Summary): string {
  const asset = summary.run.reportingAsset;
  const breakdowns = tradeGroups(summary);
  if (breakdowns.length === 0) return '  No trade was made.';
  const tables = breakdowns.map(({ name, groups }) => {
    const lines = groups.map((group) => groupLine(group, asset));
    return [tableLine(`By ${name}`, HEADINGS), ...lines].join('\n');
  });
  return tables.join('\n\n');
}

/** Returns the lines with the number and the result of the trades by exit reason. Empty when all trades have the same exit reason. */
export function exitLines(summary: Summary): string[] {
  const asset = summary.run.reportingAsset;
  const exits = tradeGroups(summary).find(({ by }) => by === 'exitReason');
  if (!exits || exits.groups.length < 2) return [];
  const exitTexts = exits.groups.map(({ key, isOpen, trades, closedPnl }) => {
    const name = isOpen ? 'open at the end' : key;
    return `${name} ${wholeText(trades)} (${signedAmount(Number(closedPnl), asset)})`;
  });
  return withLead('  Left by      ', exitTexts.join(', '));
}

/** Returns the line of one group. */
function groupLine({ key, isOpen, trades, winRate, closedPnl, averageTrade, profitFactor }: TradeGroup, asset: string): string {
  const name = key === '' ? 'without a tag' : key;
  const label = isOpen ? `${key} (still open)` : name;
  return tableLine(label, [
    wholeText(trades),
    winRate === null ? NO_VALUE : percent(winRate, 1),
    signedAmount(Number(closedPnl), asset),
    averageTrade === null ? NO_VALUE : amountText(Number(averageTrade), asset),
    profitFactor === null ? NO_VALUE : fixed(profitFactor, 2),
  ]);
}

/** Returns a line with a cut label and right-aligned cells. */
function tableLine(label: string, cells: readonly string[]): string {
  const shortLabel = label.length > NAME_WIDTH ? `${label.slice(0, NAME_WIDTH - 1)}…` : label;
  const paddedCells = cells.map((cell, column) => ` ${cell.padStart(COLUMN_WIDTHS[column]! - 1)}`);
  return `  ${shortLabel.padEnd(NAME_WIDTH)}${paddedCells.join('')}`;
}
