// A lifetime of a bot in its journal: all starts that continue with the same strategy state. A start with fresh strategies begins another.

import { JournalState } from '../../../adapters/journal/records/journalState.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { JournalHistory } from '../../../adapters/journal/records/journalHistory.ts';
import type { BarFact } from '../feeds/barFact.ts';
import { LifetimeRecords } from './lifetimeRecords.ts';

/** Fact of a CONFIG record: the number of the lifetime to which the start belongs. */
export const LIFETIME_FACT = 'life';
/** Fact of a start whose differences from the config before the operator has accepted. */
export const ACCEPTED = 'accepted';

/** A lifetime and its records. */
export interface Lifetime {
  /** Counts from 1. */
  readonly number: number;
  /** CONFIG records of the first and the newest start. */
  readonly first: RecordOf<'CONFIG'>;
  readonly newest: RecordOf<'CONFIG'>;
  /** Time at which the first start had loaded its bars, ms UTC. */
  readonly fromMs: number;
  /** The warm-up bars of the first start. */
  readonly warm: readonly BarFact[];
  readonly recorded: LifetimeRecords;
  /** Position in `recorded` of the newest start that accepted changes; -1: none did. */
  readonly acceptedTo: number;
  /** Records before this lifetime, or before its entry point. Their fills and payments count. */
  readonly before: readonly JournalRecord[];
  /** The entry point, a KEPT record; null: the lifetime is replayed from its beginning. */
  readonly kept: RecordOf<'KEPT'> | null;
}

/** Returns the number of the lifetime to which a start belongs. */
const lifetimeNumberOf = ({ limits }: RecordOf<'CONFIG'>): number => Number(limits[LIFETIME_FACT] ?? 1);

/** Returns the newest lifetime of a journal; null: no bot has started yet. */
export function newestLifetime(records: readonly JournalRecord[]): Lifetime | null {
  let firstIndex = -1;
  let newest: RecordOf<'CONFIG'> | null = null;
  for (let index = 0; index < records.length; index++) {
    const record = records[index]!;
    if (record.k !== 'CONFIG') continue;
    if (newest === null || lifetimeNumberOf(newest) !== lifetimeNumberOf(record)) firstIndex = index;
    newest = record;
  }
  const first = records[firstIndex];
  if (newest === null || first?.k !== 'CONFIG') return null;
  const fromMs = Number(first.limits['fromMs'] ?? 0);
  const warm: BarFact[] = [];
  // The instants of the warm-up directly follow the first CONFIG.
  let afterWarmup = firstIndex + 1;
  for (; afterWarmup < records.length; afterWarmup++) {
    const record = records[afterWarmup]!;
    if (record.k !== 'INSTANT' || record.decided || record.atMs !== fromMs) break;
    for (const bar of record.bars) warm.push(bar as unknown as BarFact);
  }
  const recorded = new LifetimeRecords(records.slice(afterWarmup), records.slice(0, afterWarmup));
  const acceptedTo = recorded.records.findLastIndex((record) => record.k === 'CONFIG' && record.limits[ACCEPTED] === true);
  return {
    number: lifetimeNumberOf(first),
    first,
    newest,
    fromMs,
    warm,
    recorded,
    acceptedTo,
    before: records.slice(0, firstIndex),
    kept: null,
  };
}

/**
 * Returns the same lifetime, entered at the newest point at which all strategies had kept their state; null: no such point. A state from before
 * the last accepted change belongs to other code and is not used.
 */
export function lifetimeFromKeptState(lifetime: Lifetime, records: readonly JournalRecord[]): Lifetime | null {
  const keptIndex = records.findLastIndex((record) => record.k === 'KEPT' && record.whole);
  const keptRecord = records[keptIndex];
  const firstIndex = records.indexOf(lifetime.first);
  if (keptRecord?.k !== 'KEPT' || keptIndex < firstIndex) return null;
  const accepted = lifetime.recorded.records[lifetime.acceptedTo];
  if (accepted !== undefined && keptRecord.seq < accepted.seq) return null;
  const before = records.slice(0, keptIndex + 1);
  const warm = before.slice(firstIndex).flatMap((record) => (record.k === 'INSTANT' ? (record.bars as unknown as readonly BarFact[]) : []));
  const recorded = new LifetimeRecords(records.slice(keptIndex + 1), before);
  return { ...lifetime, fromMs: keptRecord.atMs, warm, recorded, acceptedTo: -1, before, kept: keptRecord };
}

/** Returns the state and the trade history of the records before a lifetime. */
export function readBefore(before: readonly JournalRecord[]): { readonly state: JournalState; readonly history: JournalHistory } {
  const state = new JournalState();
  const history = new JournalHistory();
  for (const record of before) {
    state.add(record);
    history.add(record);
  }
  return { state, history };
}

/** Returns an upper bound of the rows that the bars of a lifetime need. */
export const maxRowsOf = ({ warm, recorded }: Lifetime): number =>
  recorded.records.reduce((sum, record) => sum + (record.k === 'INSTANT' ? record.bars.length : 0), warm.length);

/** Returns the open time of the newest bar of each feed, ms UTC, and of a bar from trades its end; -Infinity: no bar. */
export function newestBars({ warm, recorded }: Lifetime): (feedIndex: number) => number {
  const newestMsByFeed = new Map<number, number>();
  const noteBar = (bar: readonly number[]): void => {
    const [feed, openMs, , , , , , closeMs] = bar as BarFact;
    newestMsByFeed.set(feed, Math.max(newestMsByFeed.get(feed) ?? -Infinity, closeMs ?? openMs));
  };
  warm.forEach(noteBar);
  for (const record of recorded.records) if (record.k === 'INSTANT') record.bars.forEach(noteBar);
  return (feed) => newestMsByFeed.get(feed) ?? -Infinity;
}
