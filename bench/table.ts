// Formats the figures of the benchmark as a table. Each line has a name, a value and the limit that a release must keep. In a name, `a / b`
// means the cost of a divided by the cost of b; C is the reference program in C.

import type { BenchFigures } from './bench.ts';
import type { CliffFigures } from './cliffs.ts';
import type { PairsFigures } from './pairs.ts';

/** Returns text such as `0.12   (30 us)`: isobar's CPU time divided by ccxt's, and isobar's CPU time. A dash without figures. */
const ratioToCcxtText = (figures: BenchFigures['restCreate']): string =>
  figures === null ? '–' : `${figures.ratio.toFixed(2)}   (${figures.cpuUsOurs.toFixed(0)} us)`;

/** One line of a table. An empty limit: the figure is for information only. */
type TableRow = readonly [name: string, value: string, limit: string];

/** Returns the number with `digits` decimals; a dash for null. */
const numberText = (value: number | null, digits = 2) => (value === null ? '–' : value.toFixed(digits));

/** Returns text such as `1.20   (3.4 ns)`: a ratio, and the time behind it. */
const ratioAndNsText = (ratio: number | null, ns: number): string => `${numberText(ratio)}   (${numberText(ns, 1)} ns)`;

/** Returns text such as `1.20; 1.50 s`: the figure of a run without the envelope, then with the envelope. */
const withAndWithoutEnvelope = (withoutEnvelope: number, withEnvelope: number, unit: string): string =>
  `${numberText(withoutEnvelope)}; ${numberText(withEnvelope)} ${unit}`;

/** Limits of the strategies that place orders at every bar. All other strategies have the limit `CLIFF_RATIO_LIMIT`. */
const CLIFF_LIMITS: Partial<Record<CliffFigures['name'], string>> = {
  'a market order at every bar': '≤ 80 ns',
  'a limit re-priced at every bar, its number kept': '≤ 120 ns',
  'the same, found among the open orders': '≤ 160 ns',
};

/** Limit of the ratio to C for the strategies that leave the engine's fast path. */
const CLIFF_RATIO_LIMIT = '≤ 5';

/** Returns the table rows of the strategies that leave the engine's fast path. */
export const cliffRows = (figures: readonly CliffFigures[]): readonly TableRow[] =>
  figures.map(({ name, nsPerBar, ratio, firstRatio }) => [
    `${name} / C; first run / C`,
    `${numberText(ratio)} (${numberText(nsPerBar, 1)} ns); ${numberText(firstRatio, 0)}`,
    CLIFF_LIMITS[name] ?? CLIFF_RATIO_LIMIT,
  ]);

/** Returns the table rows of a strategy with twenty series over two feeds. */
const pairsRows = (figures: PairsFigures): readonly TableRow[] => [
  ['twenty series over two feeds / C with running sums', `${numberText(figures.ratio)} (${numberText(figures.nsPerBar, 1)} ns)`, '≤ 2'],
  ['            each read at every bar', `${numberText(figures.readRatio)} (${numberText(figures.readNsPerBar, 1)} ns)`, ''],
  ['            / C with sums over whole windows', numberText(figures.windowsRatio), ''],
];

/** Returns the table that `--cliffs` prints: the strategies that leave the engine's fast path. */
export const cliffsTable = (figures: readonly CliffFigures[]): string => alignedLines(cliffRows(figures));

/** Width of the column of values. */
const VALUE_WIDTH = 20;

/** Returns the rows as lines with aligned columns. */
function alignedLines(rows: readonly TableRow[]): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value, limit]) => `  ${name.padEnd(nameWidth)}  ${value.padEnd(VALUE_WIDTH)} ${limit}\n`).join('');
}

/**
 * Returns the table that compares two versions of Node, given by their names and rows. The fourth column is the change of the first number
 * of a value in per cent.
 */
export function bothTable(versions: readonly [string, string], firstRows: readonly TableRow[], secondRows: readonly TableRow[]): string {
  const rows = firstRows.map(([name, firstValue, limit], index): readonly string[] => {
    const secondValue = secondRows[index]![1];
    return [name, firstValue, secondValue, changeText(firstValue, secondValue), limit];
  });
  const lines = [['', ...versions, '', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  const lineText = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => `  ${lineText(line).trimEnd()}\n`).join('');
}

/** Returns the change from the first to the second value, such as `+3 %`; empty text if a value does not begin with a number. */
function changeText(firstValue: string, secondValue: string): string {
  const percent = Math.round((Number.parseFloat(secondValue) / Number.parseFloat(firstValue) - 1) * 100);
  if (!Number.isFinite(percent)) return '';
  return `${percent > 0 ? '+' : ''}${percent} %`;
}

/** Returns the table that a run without options prints: all figures, and the version of Node. */
export const table = (figures: BenchFigures): string => `${alignedLines(rowsOfBench(figures))}  Node ${figures.node}\n`;

/** Returns the table rows of all figures. A name that begins with spaces continues the last name that does not. */
export function rowsOfBench(figures: BenchFigures): readonly TableRow[] {
  return [
    ['equal to the C reference and to blocks of one', figures.equal ? 'yes' : 'NO', 'yes'],
    ...singleFeedRows(figures),
    ...severalFeedsRows(figures),
    ...cliffRows(figures.cliffs),
    ...pairsRows(figures.pairs),
    ['a contract, a row / spot', ratioAndNsText(figures.futures.ratioToSpot, figures.futures.nsPerRow), '≤ 2'],
    ['an order, intent to done', `${numberText(figures.orderPathNs, 0)} ns`, '≤ 200'],
    ['a bar at 5 M / at 50 k', numberText(figures.linearity), '≤ 1.3'],
    ['last 1 M bars after 500 k orders / after none', numberText(figures.finishedOrders), '≤ 1.1'],
    ['a strategy class run after six others / run first', numberText(figures.seventhStrategy), '≤ 1.25'],
    ...manySetsRows(figures),
    ...wholeCommandRows(figures),
    ['first run of a process / settled, onBar, own thread', numberText(figures.firstRun), '≤ 1.6'],
    ['            when', numberText(figures.firstRunWhen), '≤ 1.6'],
    ['CPU of an order to the exchange / by ccxt', ratioToCcxtText(figures.restCreate), '≤ 0.5'],
    ...liveRows(figures.live),
    ...serviceRows(figures.service),
  ];
}

/** Returns the rows of a strategy on one feed, which fills often or seldom, against the reference program in C. */
function singleFeedRows({ fillHeavy, fillLight }: BenchFigures): readonly TableRow[] {
  return [
    ['fill-heavy  C, ns a bar', numberText(fillHeavy.cNsPerBar), ''],
    ['            onBar / C', ratioAndNsText(fillHeavy.onBarRatio, fillHeavy.onBarNsPerBar), '≤ 5'],
    ['            when / C', ratioAndNsText(fillHeavy.whenRatio, fillHeavy.whenNsPerBar), '≤ 4'],
    ['fill-light  C, ns a bar', numberText(fillLight.cNsPerBar), ''],
    ['            onBar / C', ratioAndNsText(fillLight.onBarRatio, fillLight.onBarNsPerBar), '≤ 4.5'],
    ['            when / C', ratioAndNsText(fillLight.whenRatio, fillLight.whenNsPerBar), '≤ 3.5'],
  ];
}

/** Returns the rows of runs whose rows cost more than those of a single feed. */
function severalFeedsRows({ eightFeeds, twoIntervals, undeclaredCustom }: BenchFigures): readonly TableRow[] {
  return [
    ['eight feeds, a row / single feed', ratioAndNsText(eightFeeds.ratioToSingle, eightFeeds.nsPerRow), '≤ 5'],
    ['1m + 1h, a row / single feed', ratioAndNsText(twoIntervals.ratioToSingle, twoIntervals.nsPerRow), '≤ 5'],
    ['undeclared custom, a row / single feed', ratioAndNsText(undeclaredCustom.ratioToSingle, undeclaredCustom.nsPerRow), ''],
  ];
}

/** Returns the rows of runs with many parameter sets. */
function manySetsRows({ sweep, whole }: BenchFigures): readonly TableRow[] {
  const speedupText = `${numberText(sweep.twoWorkerSpeedup)}   (a bare loop: ${numberText(sweep.twoThreadCeiling)})`;
  return [
    ['sweep of 200 sets, a bar and set / C', ratioAndNsText(sweep.ratioToC, sweep.cpuNsPerBarAndSet), '≤ 2'],
    ['            alone / as lanes', numberText(sweep.lanesGain), '≥ 1.3'],
    ['            one thread / two', speedupText, '≥ 1.7'],
    ['            command, 540 sets of 35 136 bars, CPU', `${numberText(whole.setsCpuS)} s`, ''],
  ];
}

/** Returns the rows of whole commands and of whole calls from code. */
function wholeCommandRows({ whole, wholeCommand, bytesPerBar }: BenchFigures): readonly TableRow[] {
  const heavyText = withAndWithoutEnvelope(whole.heavyCpuS, whole.heavyEnvelopeCpuS, 's');
  const lightText = withAndWithoutEnvelope(whole.lightCpuS, whole.lightEnvelopeCpuS, 's');
  const fillText = withAndWithoutEnvelope(whole.fillUs, whole.fillEnvelopeUs, 'us');
  const symbolsText = withAndWithoutEnvelope(whole.symbolsCpuS, whole.symbolsEnvelopeCpuS, 's');
  return [
    ['bytes a bar, whole command', numberText(bytesPerBar, 1), '≤ 80'],
    ['whole command, 1 025 708 bars', `${numberText(wholeCommand.totalMs, 0)} ms`, '≤ 3000'],
    ['CPU of it; of it with the envelope', '', ''],
    ['            5 M bars, 194 940 fills, report', heavyText, '≤ 1.6'],
    ['            the same with --no-report', `${numberText(whole.heavyBareCpuS)} s`, ''],
    ['            5 M bars, 19 566 fills, report', lightText, '≤ 1.2'],
    ['            a fill, of a million', fillText, '≤ 3'],
    ['            500 symbols x 20 000 bars', `${symbolsText}, ${numberText(whole.symbolsPeakMb, 0)} MB`, '≤ 9 s, 900 MB'],
    ['            a symbol of 500 / of 125', numberText(whole.symbolsLinearity), '≤ 1.2'],
    ['isobar/run, 5 M bars, all figures, first call', `${numberText(whole.fromCodeCpuS)} s`, '≤ 0.9'],
    ['            a later call', `${numberText(whole.fromCodeSettledS)} s`, ''],
  ];
}

/** Returns the rows of a live bot, from the bar to its order. */
function liveRows(live: BenchFigures['live']): readonly TableRow[] {
  const barToOrderText = `${numberText(live.ratioToCcxt)}   (${numberText(live.barToBytesCpuUs, 0)} us)`;
  const closeToBytesText = `${numberText(live.closeToBytesMs, 0)} ms   (${numberText(live.closeToBytesCpuUs, 0)} us of CPU)`;
  return [
    ['CPU of a live bot, bar to order / ccxt', barToOrderText, '≤ 0.5'],
    ['            / ccxt up to its socket', numberText(live.ratioToCcxtSocket), ''],
    ['            one in a hundred', `${numberText(live.barToBytesCpuP99Us, 0)} us`, ''],
    ['            wall time, p50 and p99', `${numberText(live.p50Ms)} and ${numberText(live.p99Ms)} ms`, ''],
    ['            close of the bar to bytes, p50', closeToBytesText, ''],
    ['            synced / one fdatasync', `${numberText(live.syncedMs)} / ${numberText(live.bareSyncMs)} ms`, ''],
  ];
}

/** Returns the rows of the paper exchange, against an HTTP server without an exchange. */
function serviceRows(service: BenchFigures['service']): readonly TableRow[] {
  return [
    ['paper exchange / bare HTTP server, ping', numberText(service.pingRatio), '≥ 0.6'],
    ['            depth', numberText(service.depthRatio), '≥ 0.5'],
    ['            create', `${numberText(service.createRatio)}   (p99 ${numberText(service.p99Ms, 1)} ms)`, '≥ 0.35'],
    ['            a create on the disk / a bare sync', `${numberText(service.durableMs)} / ${numberText(service.bareSyncMs)} ms`, ''],
    ['            a create beside 10 000 open orders', numberText(service.openOrdersRatio), '≤ 1.5'],
  ];
}
