// The breakdowns of trades that a reader sees, in order: their names, and their rows with the trades that are still open.

import { instrumentNames } from './names.ts';
import type { Summary } from '../summary/summary.ts';
import type { Breakdown, BreakdownRow, TradeBreakdownTable, TradeSummary } from '../trades/statistics.ts';

type GroupFigures = Pick<TradeBreakdownTable, 'trades' | 'winRate' | 'closedPnl' | 'averageTrade' | 'profitFactor'>;

export interface TradeGroup extends GroupFigures {
  readonly key: string;
  /** True for trades that no order has closed: the row `end`, whose result is unrealised. */
  readonly isOpen: boolean;
}

export interface TradeGroups {
  readonly by: Breakdown;
  readonly name: string;
  readonly groups: readonly TradeGroup[];
}

const NAMES: readonly (readonly [by: Breakdown, name: string])[] = [
  ['instrument', 'symbol'],
  ['strategy', 'strategy'],
  ['side', 'side'],
  ['entryTag', 'entry tag'],
  ['exitReason', 'exit reason'],
  ['holdTime', 'holding time'],
  ['hour', 'hour of the entry, UTC'],
];
/** Breakdowns that are shown with a single group too. */
const ALWAYS: readonly Breakdown[] = ['side', 'exitReason', 'holdTime'];

/** Returns the breakdowns to show. One in which all trades are alike is left out, unless it is among `ALWAYS`. */
export function tradeGroups({ run, trades }: Pick<Summary, 'run' | 'trades'>): readonly TradeGroups[] {
  const strategies = [run.strategy].flat().map(({ name }) => name);
  const names = instrumentNames(run.instruments.map(({ id }) => id));
  const nameOf = (by: Breakdown, key: string) =>
    by === 'instrument' ? (names.get(key) ?? key) : by === 'strategy' ? (strategies[Number(key)] ?? key) : key;
  return NAMES.flatMap(([by, name]) => {
    const groups: TradeGroup[] = rowsOf(trades, by).map((row) => ({ ...figuresOf(row), key: nameOf(by, row.key), isOpen: false }));
    if (by === 'exitReason' && trades.openTrades > 0) groups.push(openGroup(trades));
    return groups.length > 1 || (groups.length === 1 && ALWAYS.includes(by)) ? [{ by, name, groups }] : [];
  });
}

/** The run folder of an older version has no breakdown by exit reason and holding time. */
function rowsOf({ breakdowns }: TradeSummary, by: Breakdown): readonly BreakdownRow[] {
  return (breakdowns as Partial<TradeSummary['breakdowns']>)[by] ?? [];
}

function figuresOf({ trades, winRate, closedPnl, averageTrade, profitFactor }: TradeBreakdownTable): GroupFigures {
  return { trades, winRate, closedPnl, averageTrade, profitFactor };
}

function openGroup({ openTrades, openPnl }: TradeSummary): TradeGroup {
  return { key: 'end', isOpen: true, trades: openTrades, winRate: null, closedPnl: openPnl, averageTrade: null, profitFactor: null };
}
