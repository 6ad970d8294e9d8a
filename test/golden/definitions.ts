// The shipped definitions, the command that makes or imports their bars, and the figures of a run that a golden summary holds.

import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BacktestResult } from 'isobar/run';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = `${ROOT}dist/cli/isobar.js`;

export interface Shipped {
  readonly name: string;
  readonly file: string;
  /** What follows `isobar` in the commands that its comment names, one a line: `# Bars: isobar data ...`. */
  readonly bars: readonly string[];
}

/** The definitions of a folder below `backtests`. */
export function definitionsIn(folder: string): readonly Shipped[] {
  const files = readdirSync(`${ROOT}${folder}`).filter((file) => file.endsWith('.yaml'));
  return files.toSorted().map((each) => {
    const file = `${ROOT}${folder}/${each}`;
    const commands = [...readFileSync(file, 'utf8').matchAll(/^# Bars: isobar (data .*)$/gm)].map((match) => match[1]!);
    return { name: basename(each, '.yaml'), file, bars: commands };
  });
}

/** Runs `isobar words` in `folder` through the shell, as a reader of the comment would. Throws when it fails. */
export function isobar(folder: string, words: string): void {
  execSync(`"${process.execPath}" "${COMMAND}" ${words}`, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Changes to a definition for a run outside of the package's folder: its strategies by absolute path, its catalog in `folder`. */
export function placed(file: string, folder: string): string[] {
  const text = readFileSync(file, 'utf8');
  const several = [...text.matchAll(/^ +- \{ file: (strategies\/\S+\.ts)/gm)].map((match, at) => `strategy.${at}.file=${ROOT}${match[1]}`);
  const [, alone] = /^strategy: (strategies\/\S+)$/m.exec(text) ?? [];
  const [, catalog = ''] = /^catalog: (\S+)$/m.exec(text) ?? [];
  return [`catalog=${join(folder, catalog)}`, ...several, ...(alone === undefined ? [] : [`strategy=${ROOT}${alone}`])];
}

const bridgeOf = (of: BacktestResult['summary']['costBridge']) => ({ signal: of.grossSignalPnl, funding: of.funding, liquidations: of.liquidationLoss });

/** What a change of the code must not change unnoticed: money exact, ratios to nine digits, all as decimal text. */
export function goldenOf({ summary }: BacktestResult): Readonly<Record<string, string>> {
  const { metrics, trades, orders, run } = summary;
  const ratio = (value: number | null) => (value === null ? '' : value.toFixed(9));
  return {
    resultHash: summary.resultHash,
    bars: String(summary.dataQuality.rows),
    endEquity: run.endEquity,
    netProfit: metrics.netProfit ?? '',
    maxDrawdown: metrics.maxDrawdownAbs ?? '',
    fees: orders.fees,
    volume: orders.volume,
    grossProfit: trades.grossProfit,
    grossLoss: trades.grossLoss,
    totalReturn: ratio(metrics.totalReturn),
    sharpe: ratio(metrics.sharpe),
    sortino: ratio(metrics.sortino),
    exposureTime: ratio(metrics.exposureTime),
    trades: String(trades.trades),
    wins: String(trades.wins),
    orders: String(orders.created),
    filled: String(orders.filled),
    cancelled: String(orders.cancelled),
    refusedByRisk: String(orders.refusedByRisk),
    fills: String(orders.fills),
    makerShare: ratio(orders.makerShare),
    // Of futures, which have payments.
    ...(run.instruments.some(({ id }) => id.startsWith('futures:')) ? bridgeOf(summary.costBridge) : {}),
  };
}
