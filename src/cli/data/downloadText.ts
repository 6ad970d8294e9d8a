// Output of `isobar data download`, `record` and `instruments` for people: at most 100 columns, times in UTC.

import type { DownloadedSet, FailedSet } from '../../tasks/download/download.ts';
import type { RefreshedInstrument } from '../../tasks/download/refreshInstruments.ts';
import type { RecordNews } from '../../tasks/download/recordBars.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import { assertNever } from '../../base/assert.ts';
import { formatMinute, formatTime } from '../../model/time.ts';
import { wholeText, counted } from '../../base/text/format.ts';
import { barsHeading, instrumentLine, qualityLines } from './barsText.ts';

/** Maximum number of entries of a list that are printed. */
const MAX_SHOWN = 5;

/** Returns the text about one downloaded set. */
export function downloadText(set: DownloadedSet): string {
  const { manifest, instrument } = set;
  return [
    barsHeading(manifest),
    `    exchange    ${exchangeText(set)}`,
    ...revisedLines(set),
    ...(set.openRow === null ? [] : [`    open bar    the last bar had not closed when it was imported: ${set.openRow}`]),
    ...(set.hole === null ? [] : holeLines(set.hole)),
    ...set.refused.slice(0, MAX_SHOWN).map((problem) => `    refused     ${problem}`),
    ...(set.refused.length > MAX_SHOWN ? [`                and ${wholeText(set.refused.length - MAX_SHOWN)} more rows`] : []),
    ...qualityLines(manifest),
    `    instrument  ${instrumentLine(instrument)}`,
    ...set.instrumentChanges.map((change) => `                ${change}`),
    `    ${set.isWritten ? 'written  ' : 'as it was'}   ${set.path}`,
    ...resampledLines(set),
  ].join('\n');
}

/** Returns the number of closed klines that the exchange sent, and how many of them are new. */
function exchangeText({ rows, from, interval, newRows, filledRows, equalRows }: DownloadedSet): string {
  const klines = `${wholeText(rows)} closed ${from === interval ? 'bars' : `bars of ${from}`}`;
  const filled = filledRows > 0 ? ` (${wholeText(filledRows)} fill holes)` : '';
  return `${klines}: ${wholeText(newRows)} new${filled}, ${wholeText(equalRows)} unchanged`;
}

/** Returns the lines about bars that the exchange has changed since they were stored. */
function revisedLines({ revised, rule }: DownloadedSet): string[] {
  if (revised.length === 0) return [];
  const action = rule === 'replace' ? "replaced by the exchange's" : "not changed; --revised replace takes the exchange's";
  const lines = revised
    .slice(0, MAX_SHOWN)
    .map(({ openMs, was, now }) => `                ${minuteText(openMs)}  ${changedText(was, now)}`);
  const more = revised.length > MAX_SHOWN ? [`                and ${wholeText(revised.length - MAX_SHOWN)} more`] : [];
  return [`    revised     ${wholeText(revised.length)} ${revised.length === 1 ? 'bar' : 'bars'}, ${action}`, ...lines, ...more];
}

/** The figures of a bar that the exchange may change. */
type PriceFigures = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', number>>;

/** Returns the changed figures of a bar, such as `close 100 -> 101`. */
function changedText(before: PriceFigures, after: PriceFigures): string {
  const changed = (['open', 'high', 'low', 'close', 'volume'] as const).filter((name) => before[name] !== after[name]);
  return changed.map((name) => `${name} ${before[name]} -> ${after[name]}`).join(', ');
}

/** Returns the lines about bars that the exchange does not give any more. */
function holeLines({ fromMs, bars }: { readonly fromMs: number; readonly bars: number }): string[] {
  return [
    `    hole        ${counted(bars, 'bar')} from ${minuteText(fromMs)} on, older than the newest 300 klines`,
    '                the API has no older bars; import them from archives: isobar data import FILE',
  ];
}

/** Returns the line about bars of a longer interval that were made from the downloaded ones. */
function resampledLines({ created }: DownloadedSet): string[] {
  if (!created) return [];
  const { manifest, path } = created;
  return [`    made        ${counted(manifest.rows, 'bar')} of ${manifest.interval}: ${path}`];
}

/** Returns the error of a set that could not be downloaded. */
export function failedText({ market, symbol, interval, problem, remedy }: FailedSet): string {
  return `${symbol} ${interval} ${market}: ${problem}\n  ${remedy}`;
}

/** Returns an event of `record` as a line that begins with the time, such as `08:00:03`. */
export function newsText(news: RecordNews, timeMs: number): string {
  const timeOfDay = formatTime(timeMs).slice(11, 19);
  return `${timeOfDay}  ${eventText(news)}`;
}

/** Returns the line about an event of a recording. */
function eventText(news: RecordNews): string {
  switch (news.kind) {
    case 'caughtUp': {
      const { set } = news;
      const hole = set.hole === null ? '' : `; a hole of ${counted(set.hole.bars, 'bar')} from ${minuteText(set.hole.fromMs)} on stays`;
      return `${setName(set)}  ${wholeText(set.newRows)} new bars, ${wholeText(set.manifest.rows)} in all${hole}`;
    }
    case 'written': {
      const bars = news.bars === 1 ? 'bar' : `${wholeText(news.bars)} bars to`;
      const resampledText = news.made.length === 0 ? '' : `; also ${news.made.map(({ interval }) => interval).join(', ')}`;
      return `${setName(news.key)}  ${bars} ${minuteText(news.last.openMs)}  close ${news.last.close}${resampledText}`;
    }
    case 'late':
      return `${setName(news.key)}  late: the bar of ${minuteText(news.bar.openMs)}`;
    case 'revised': {
      const { bar, was } = news;
      return `${setName(news.key)}  revised: ${minuteText(bar.openMs)}  ${changedText(was, bar)}`;
    }
    case 'gap': {
      const { bars, fromMs, why } = news.gap;
      const reason = why === 'outOfReach' ? 'older than the newest 300' : 'the exchange does not have them';
      return `${setName(news.key)}  gap: ${counted(bars, 'bar')} from ${minuteText(fromMs)} on (${reason})`;
    }
    case 'trouble': {
      const retry = news.againMs === null ? '' : `; again in ${Math.max(1, Math.round(news.againMs / 1000))} s`;
      return `${setName(news.key)}  ${news.problem}${retry}`;
    }
    default:
      return assertNever(news);
  }
}

const setName = ({ symbol, interval }: BarKey): string => `${symbol} ${interval}`;
/** Returns a time as `2024-01-01 08:30`. */
const minuteText = (ms: number): string => formatMinute(ms).slice(0, 16);

/** Returns the text about a refreshed instrument record and its changes. */
export function refreshedText({ instrument, isNew, isTradable, changes }: RefreshedInstrument): string {
  const changesText = changes.length === 0 ? 'as it was' : changes.join(', ');
  const closedText = isTradable ? '' : '  (not open for trading)';
  return `  ${instrument.wireName} ${instrument.market}  ${instrumentLine(instrument)}${closedText}\n    ${isNew ? 'new' : changesText}`;
}
