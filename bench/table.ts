// The benchmark's figures for a reader: one line each, with the limit that a release must keep.

import type { BenchFigures } from './bench.ts';
import type { CliffFigures } from './cliffs.ts';

/** `0.12   (30 us)`. */
const besideCcxt = (of: BenchFigures['restCreate']): string =>
  of === null ? '–' : `${of.ratio.toFixed(2)}   (${of.cpuUsOurs.toFixed(0)} us)`;

type Row = readonly [name: string, value: string, limit: string];

const number = (value: number | null, digits = 2) => (value === null ? '–' : value.toFixed(digits));

/** `1.20; 1.50 s`: without the envelope, and with it. */
const pair = (bare: number, whole: number, unit: string): string => `${number(bare)}; ${number(whole)} ${unit}`;

/** Limits of orders, in ns. All others have a limit in multiples of C. */
const CLIFF_LIMITS: Partial<Record<CliffFigures['name'], string>> = {
  'a market order at every bar': '≤ 80 ns',
  'a limit re-priced at every bar, its number kept': '≤ 120 ns',
  'the same, found among the open orders': '≤ 160 ns',
};

export const cliffRows = (figures: readonly CliffFigures[]): readonly Row[] =>
  figures.map(({ name, nsPerBar, ratio, firstRatio }) => [
    `${name} / C; first run / C`,
    `${number(ratio)} (${number(nsPerBar, 1)} ns); ${number(firstRatio, 0)}`,
    CLIFF_LIMITS[name] ?? '≤ 5',
  ]);

/** Strategies that leave the common path, alone. */
export const cliffsTable = (figures: readonly CliffFigures[]): string => lines(cliffRows(figures));

function lines(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value, limit]) => `  ${name.padEnd(width)}  ${value.padEnd(20)} ${limit}\n`).join('');
}

/** Rows on two versions of Node, and by how much the first number of a row differs. */
export function bothTable(versions: readonly [string, string], one: readonly Row[], other: readonly Row[]): string {
  const wide = one.map(([name, value, limit], at): readonly string[] => {
    const later = other[at]![1];
    const change = Math.round((Number.parseFloat(later) / Number.parseFloat(value) - 1) * 100);
    return [name, value, later, Number.isFinite(change) ? `${change > 0 ? '+' : ''}${change} %` : '', limit];
  });
  const all = [['', ...versions, '', ''], ...wide];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map(
      (row) =>
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export const table = (of: BenchFigures): string => `${lines(rowsOfBench(of))}  Node ${of.node}\n`;

export function rowsOfBench(of: BenchFigures): readonly Row[] {
  return [
    ['equal to the C reference and to blocks of one', of.equal ? 'yes' : 'NO', 'yes'],
    ['fill-heavy  C, ns a bar', number(of.fillHeavy.cNsPerBar), ''],
    ['            onBar / C', `${number(of.fillHeavy.onBarRatio)}   (${number(of.fillHeavy.onBarNsPerBar, 1)} ns)`, '≤ 5'],
    ['            when / C', `${number(of.fillHeavy.whenRatio)}   (${number(of.fillHeavy.whenNsPerBar, 1)} ns)`, '≤ 4'],
    ['fill-light  C, ns a bar', number(of.fillLight.cNsPerBar), ''],
    ['            onBar / C', `${number(of.fillLight.onBarRatio)}   (${number(of.fillLight.onBarNsPerBar, 1)} ns)`, '≤ 4.5'],
    ['            when / C', `${number(of.fillLight.whenRatio)}   (${number(of.fillLight.whenNsPerBar, 1)} ns)`, '≤ 3.5'],
    ['eight feeds, a row / single feed', `${number(of.eightFeeds.ratioToSingle)}   (${number(of.eightFeeds.nsPerRow, 1)} ns)`, '≤ 5'],
    ['1m + 1h, a row / single feed', `${number(of.twoIntervals.ratioToSingle)}   (${number(of.twoIntervals.nsPerRow, 1)} ns)`, '≤ 5'],
    [
      'undeclared custom, a row / single feed',
      `${number(of.undeclaredCustom.ratioToSingle)}   (${number(of.undeclaredCustom.nsPerRow, 1)} ns)`,
      '',
    ],
    ...cliffRows(of.cliffs),
    ['a contract, a row / spot', `${number(of.futures.ratioToSpot)}   (${number(of.futures.nsPerRow, 1)} ns)`, '≤ 2'],
    ['an order, intent to done', `${number(of.orderPathNs, 0)} ns`, '≤ 200'],
    ['a bar at 5 M / at 50 k', number(of.linearity), '≤ 1.3'],
    ['last 1 M bars after 500 k orders / after none', number(of.finishedOrders), '≤ 1.1'],
    ['as seventh strategy class / as first', number(of.seventhStrategy), '≤ 1.25'],
    ['sweep of 200 sets, a bar and set / C', `${number(of.sweep.ratioToC)}   (${number(of.sweep.cpuNsPerBarAndSet, 1)} ns)`, '≤ 2'],
    ['            alone / as lanes', number(of.sweep.lanesGain), '≥ 1.3'],
    ['            one thread / two', `${number(of.sweep.twoWorkerSpeedup)}   (a bare loop: ${number(of.sweep.twoThreadCeiling)})`, '≥ 1.7'],
    ['            command, 540 sets of 35 136 bars, CPU', `${number(of.whole.setsCpuS)} s`, ''],
    ['bytes a bar, whole command', number(of.bytesPerBar, 1), '≤ 80'],
    ['whole command, 1 025 708 bars', `${number(of.wholeCommand.totalMs, 0)} ms`, '≤ 3000'],
    ['CPU of it; of it with the envelope', '', ''],
    ['            5 M bars, 194 940 fills, report', pair(of.whole.heavyCpuS, of.whole.heavyEnvelopeCpuS, 's'), '≤ 1.6'],
    ['            the same with --no-report', `${number(of.whole.heavyBareCpuS)} s`, ''],
    ['            5 M bars, 19 566 fills, report', pair(of.whole.lightCpuS, of.whole.lightEnvelopeCpuS, 's'), '≤ 1.2'],
    ['            a fill, of a million', pair(of.whole.fillUs, of.whole.fillEnvelopeUs, 'us'), '≤ 3'],
    [
      '            500 symbols x 20 000 bars',
      `${pair(of.whole.symbolsCpuS, of.whole.symbolsEnvelopeCpuS, 's')}, ${number(of.whole.symbolsPeakMb, 0)} MB`,
      '≤ 9 s, 900 MB',
    ],
    ['            a symbol of 500 / of 125', number(of.whole.symbolsLinearity), '≤ 1.2'],
    ['isobar/run, 5 M bars, all figures, first call', `${number(of.whole.fromCodeCpuS)} s`, '≤ 0.9'],
    ['            a later call', `${number(of.whole.fromCodeSettledS)} s`, ''],
    ['first run of a process / settled, onBar, own thread', number(of.firstRun), '≤ 1.6'],
    ['            when', number(of.firstRunWhen), '≤ 1.6'],
    ['CPU of an order to the exchange / by ccxt', besideCcxt(of.restCreate), '≤ 0.5'],
    ['CPU of a live bot, bar to order / ccxt', `${number(of.live.ratioToCcxt)}   (${number(of.live.barToBytesCpuUs, 0)} us)`, '≤ 0.5'],
    ['            / ccxt up to its socket', number(of.live.ratioToCcxtSocket), ''],
    ['            one in a hundred', `${number(of.live.barToBytesCpuP99Us, 0)} us`, ''],
    ['            time of day, p50 and p99', `${number(of.live.p50Ms)} and ${number(of.live.p99Ms)} ms`, ''],
    [
      '            close of the bar to bytes, p50',
      `${number(of.live.closeToBytesMs, 0)} ms   (${number(of.live.closeToBytesCpuUs, 0)} us of CPU)`,
      '',
    ],
    ['            synced / one fdatasync', `${number(of.live.syncedMs)} / ${number(of.live.bareSyncMs)} ms`, ''],
    ['paper exchange / bare HTTP server, ping', number(of.service.pingRatio), '≥ 0.6'],
    ['            depth', number(of.service.depthRatio), '≥ 0.5'],
    ['            create', `${number(of.service.createRatio)}   (p99 ${number(of.service.p99Ms, 1)} ms)`, '≥ 0.35'],
    ['            a create on the disk / a bare sync', `${number(of.service.durableMs)} / ${number(of.service.bareSyncMs)} ms`, ''],
    ['            a create beside 10 000 open orders', number(of.service.openOrdersRatio), '≤ 1.5'],
  ];
}
