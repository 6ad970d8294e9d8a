// One life of a bot in its journal: all starts that go on with the same strategies. A start that begins anew begins another one.

import { JournalState } from '../../../adapters/journal/records/journalState.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { TradeHistory } from '../../../adapters/journal/records/history.ts';
import type { BarFact } from '../feeds/barFact.ts';
import { PastRecords } from './pastRecords.ts';

/** Facts of a CONFIG record. */
export const LIFE = 'life';
export const ACCEPTED = 'accepted';

export interface Life {
  /** From 1. */
  readonly number: number;
  /** Of its first start, and of its newest one. */
  readonly first: RecordOf<'CONFIG'>;
  readonly newest: RecordOf<'CONFIG'>;
  /** The time at which its first start had its bars, ms UTC. */
  readonly fromMs: number;
  /** The bars with which it began. */
  readonly warm: readonly BarFact[];
  readonly past: PastRecords;
  /** Position in `past` of the newest start that has accepted changes; -1: there is none. */
  readonly acceptedTo: number;
  /** Records of earlier lives, or from before the point at which this one is entered: their money counts. */
  readonly before: readonly JournalRecord[];
  /** The point at which it is entered; null: its beginning. */
  readonly kept: RecordOf<'KEPT'> | null;
}

const numberOf = ({ limits }: RecordOf<'CONFIG'>): number => Number(limits[LIFE] ?? 1);

/** The newest life of a journal; null: no bot has started yet. */
export function newestLife(records: readonly JournalRecord[]): Life | null {
  let start = -1;
  let newest: RecordOf<'CONFIG'> | null = null;
  for (let at = 0; at < records.length; at++) {
    const record = records[at]!;
    if (record.k !== 'CONFIG') continue;
    if (newest === null || numberOf(newest) !== numberOf(record)) start = at;
    newest = record;
  }
  const first = records[start];
  if (newest === null || first?.k !== 'CONFIG') return null;
  const fromMs = Number(first.limits['fromMs'] ?? 0);
  const warm: BarFact[] = [];
  let at = start + 1;
  for (; at < records.length; at++) {
    const record = records[at]!;
    if (record.k !== 'INSTANT' || record.decided || record.atMs !== fromMs) break;
    for (const bar of record.bars) warm.push(bar as unknown as BarFact);
  }
  const past = new PastRecords(records.slice(at), records.slice(0, at));
  const acceptedTo = past.records.findLastIndex((record) => record.k === 'CONFIG' && record.limits[ACCEPTED] === true);
  return { number: numberOf(first), first, newest, fromMs, warm, past, acceptedTo, before: records.slice(0, start), kept: null };
}

/**
 * The same life, entered at the newest point at which all of its strategies have kept what they need; null: there is none. What was kept
 * before a change of code was accepted is the state of other code.
 */
export function lifeSinceKept(life: Life, records: readonly JournalRecord[]): Life | null {
  const at = records.findLastIndex((record) => record.k === 'KEPT' && record.whole);
  const kept = records[at];
  const first = records.indexOf(life.first);
  const accepted = life.past.records[life.acceptedTo];
  if (kept?.k !== 'KEPT' || at < first || (accepted !== undefined && kept.seq < accepted.seq)) return null;
  const before = records.slice(0, at + 1);
  const warm = before.slice(first).flatMap((record) => (record.k === 'INSTANT' ? (record.bars as unknown as readonly BarFact[]) : []));
  const past = new PastRecords(records.slice(at + 1), before);
  return { ...life, fromMs: kept.atMs, warm, past, acceptedTo: -1, before, kept };
}

/** What the records before a life say, as the start of it has read them. */
export function readBefore(before: readonly JournalRecord[]): { readonly state: JournalState; readonly history: TradeHistory } {
  const [state, history] = [new JournalState(), new TradeHistory()];
  for (const record of before) {
    state.add(record);
    history.add(record);
  }
  return { state, history };
}

/** Rows that the bars of a life need, at most. */
export const rowsOf = ({ warm, past }: Life): number =>
  past.records.reduce((sum, record) => sum + (record.k === 'INSTANT' ? record.bars.length : 0), warm.length);

/** Open time of the newest bar of each feed, ms UTC; -Infinity where there is none. */
export function newestBars({ warm, past }: Life): (feed: number) => number {
  const newest = new Map<number, number>();
  const see = ([feed, openMs]: readonly number[]): void => void newest.set(feed!, Math.max(newest.get(feed!) ?? -Infinity, openMs!));
  warm.forEach(see);
  for (const record of past.records) if (record.k === 'INSTANT') record.bars.forEach(see);
  return (feed) => newest.get(feed) ?? -Infinity;
}
