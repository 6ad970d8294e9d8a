// One life of a bot in its journal: all starts that continue with the same strategy state. A start with fresh strategies begins a new life.

import { JournalState } from '../../../adapters/journal/records/journalState.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { TradeHistory } from '../../../adapters/journal/records/history.ts';
import type { BarFact } from '../feeds/barFact.ts';
import { PastRecords } from './pastRecords.ts';

/** Names of facts in a CONFIG record. */
export const LIFE = 'life';
export const ACCEPTED = 'accepted';

export interface Life {
  /** Counts from 1. */
  readonly number: number;
  /** CONFIG records of the first and the newest start. */
  readonly first: RecordOf<'CONFIG'>;
  readonly newest: RecordOf<'CONFIG'>;
  /** Time at which the first start had loaded its bars, ms UTC. */
  readonly fromMs: number;
  /** The warm-up bars of the first start. */
  readonly warm: readonly BarFact[];
  readonly past: PastRecords;
  /** Position in `past` of the newest start that accepted changes; -1: none did. */
  readonly acceptedTo: number;
  /** Records before this life, or before its entry point. Their fills and payments count. */
  readonly before: readonly JournalRecord[];
  /** The entry point, a KEPT record; null: the life is replayed from its beginning. */
  readonly kept: RecordOf<'KEPT'> | null;
}

const numberOf = ({ limits }: RecordOf<'CONFIG'>): number => Number(limits[LIFE] ?? 1);

/** Returns the newest life of a journal; null: no bot has started yet. */
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
 * Returns the same life, entered at the newest point at which all strategies had kept their state; null: no such point. Earlier states than
 * the last accepted change belong to other code and are not used.
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

/** Returns the state and the trade history of the records before a life. */
export function readBefore(before: readonly JournalRecord[]): { readonly state: JournalState; readonly history: TradeHistory } {
  const [state, history] = [new JournalState(), new TradeHistory()];
  for (const record of before) {
    state.add(record);
    history.add(record);
  }
  return { state, history };
}

/** Returns an upper bound of the rows that the bars of a life need. */
export const rowsOf = ({ warm, past }: Life): number =>
  past.records.reduce((sum, record) => sum + (record.k === 'INSTANT' ? record.bars.length : 0), warm.length);

/** Returns the open time of the newest bar of each feed, ms UTC; -Infinity: no bar. */
export function newestBars({ warm, past }: Life): (feed: number) => number {
  const newest = new Map<number, number>();
  const see = ([feed, openMs]: readonly number[]): void => void newest.set(feed!, Math.max(newest.get(feed!) ?? -Infinity, openMs!));
  warm.forEach(see);
  for (const record of past.records) if (record.k === 'INSTANT') record.bars.forEach(see);
  return (feed) => newest.get(feed) ?? -Infinity;
}
