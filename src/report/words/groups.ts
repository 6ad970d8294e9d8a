// Chooses the breakdowns of trades that a reader sees, with their names, and adds the trades that are still open.

import { instrumentNames } from './names.ts';
import type { Summary } from '../summary/summary.ts';
import type { Breakdown, BreakdownRow, TradeBreakdownTable, TradeSummary } from '../trades/statistics.ts';

/** The figures that a row of a breakdown shows. */
type GroupFigures = Pick<TradeBreakdownTable, 'trades' | 'winRate' | 'closedPnl' | 'averageTrade' | 'profitFactor'>;

/** One row of a breakdown. */
export interface TradeGroup extends GroupFigures {
  readonly key: string;
  /** True for the row `end` of the trades that are still open. Its result is unrealised. */
  readonly isOpen: boolean;
}

/** One breakdown. */
export interface TradeGroups {
  readonly by: Breakdown;
  readonly name: string;
  readonly groups: readonly TradeGroup[];
}

/** The breakdowns in the order of the page, with their names. */
const BREAKDOWN_NAMES: readonly { readonly by: Breakdown; readonly name: string }[] = [
  { by: 'instrument', name: 'symbol' },
  { by: 'strategy', name: 'strategy' },
  { by: 'side', name: 'side' },
  { by: 'entryTag', name: 'entry tag' },
  { by: 'exitReason', name: 'exit reason' },
  { by: 'holdTime', name: 'holding time' },
  { by: 'hour', name: 'hour of the entry, UTC' },
];
/** Breakdowns that are shown even with a single group. */
const ALWAYS_SHOWN: readonly Breakdown[] = ['side', 'exitReason', 'holdTime'];

/** Returns the breakdowns to show. A breakdown with a single group is left out, unless it is in `ALWAYS_SHOWN`. */
export function tradeGroups({ run, trades }: Pick<Summary, 'run' | 'trades'>): readonly TradeGroups[] {
  const strategies = [run.strategy].flat().map(({ name }) => name);
  const names = instrumentNames(run.instruments.map(({ id }) => id));
  const nameOf = (by: Breakdown, key: string) => {
    if (by === 'instrument') return names.get(key) ?? key;
    return by === 'strategy' ? (strategies[Number(key)] ?? key) : key;
  };
  return BREAKDOWN_NAMES.flatMap(({ by, name }) => {
    const groups: TradeGroup[] = rowsOf(trades, by).map((row) => ({ ...figuresOf(row), key: nameOf(by, row.key), isOpen: false }));
    if (by === 'exitReason' && trades.openTrades > 0) groups.push(openGroup(trades));
    const minGroups = ALWAYS_SHOWN.includes(by) ? 1 : 2;
    return groups.length >= minGroups ? [{ by, name, groups }] : [];
  });
}

/** Returns the rows of a breakdown. Run folders of older versions have no breakdown by exit reason and holding time. */
function rowsOf({ breakdowns }: TradeSummary, by: Breakdown): readonly BreakdownRow[] {
  return (breakdowns as Partial<TradeSummary['breakdowns']>)[by] ?? [];
}

/** Returns the figures that a row of a breakdown shows. */
function figuresOf({ trades, winRate, closedPnl, averageTrade, profitFactor }: TradeBreakdownTable): GroupFigures {
  return { trades, winRate, closedPnl, averageTrade, profitFactor };
}

/** Returns the row of the trades that are still open. */
function openGroup({ openTrades, openPnl }: TradeSummary): TradeGroup {
  return { key: 'end', isOpen: true, trades: openTrades, winRate: null, closedPnl: openPnl, averageTrade: null, profitFactor: null };
}
