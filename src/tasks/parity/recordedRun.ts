// What the journal of one lifetime says: bars, decided instants, orders with their outcomes, fills and payments, read without an engine.

import type { JournalRecord, RecordOf } from '../../adapters/journal/records/records.ts';
import { isOfKill } from '../bot/lifetime/lifetimeRecords.ts';
import type { Lifetime } from '../bot/lifetime/lifetime.ts';
import type { Divergence } from './model.ts';

/** A bar as a feed of the bot received it. */
export interface ReceivedBar {
  readonly feed: number;
  readonly openMs: number;
  /** Open, high, low, close, volume. */
  readonly values: readonly number[];
  readonly seq: number;
  /** The instant that brought it. */
  readonly atMs: number;
}

/** A fill of the journal, with the close of the bar before whose decision it was known. */
export interface ReportedFill {
  readonly record: RecordOf<'FILL'>;
  readonly knownMs: number;
}

/** How an order ended otherwise than by its fills. */
export interface ReportedEnd {
  readonly seq: number;
  readonly t: number;
  readonly knownMs: number;
  readonly how: 'denied' | 'refused' | 'canceled' | 'notSent';
  readonly code: string;
  /** The step that explains it. */
  readonly cause: Divergence;
}

export interface ReportedOrder {
  readonly number: number;
  readonly seq: number;
  readonly createdMs: number;
  /** Null: it was denied, and its terms are not in the journal. */
  readonly intent: RecordOf<'INTENT'> | null;
  readonly fills: ReportedFill[];
  isFilled: boolean;
  /** Its bot has asked for its cancel. */
  isCancelAsked: boolean;
  end: ReportedEnd | null;
}

export interface RecordedRun {
  readonly records: readonly JournalRecord[];
  /** By feed and open time. */
  readonly bars: ReadonlyMap<string, ReceivedBar>;
  /** The instants with bars at which strategies could decide, with the record. */
  readonly decided: ReadonlyMap<number, number>;
  /** Spans without a process: from the newest instant before a start to the first one after it. */
  readonly down: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly orders: readonly ReportedOrder[];
  readonly funded: readonly RecordOf<'FUNDED'>[];
  /** Number of the record after the newest one up to a time. */
  readonly seqAfter: (timeMs: number) => number;
  readonly lastMs: number;
  readonly fillCount: number;
}

export const barKey = (feed: number, openMs: number): string => `${feed} ${openMs}`;

/**
 * Returns the records up to the decisions on the newest bar. What came after them has no bar with which a backtest could be compared.
 */
export function comparedRecords(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const last = records.findLastIndex((record) => record.k === 'INSTANT' && record.decided && record.bars.length > 0);
  const after = records.findIndex((record, at) => at > last && ENDS_COMPARISON.has(record.k));
  return last < 0 || after < 0 ? records : records.slice(0, after);
}
const ENDS_COMPARISON: ReadonlySet<string> = new Set(['FILL', 'FUNDED', 'STOP', 'CONFIG', 'INSTANT', 'SEGMENT', 'HUMAN', 'HALT', 'RESUME']);

export function readRecordedRun({ recorded, warm, fromMs }: Lifetime): RecordedRun {
  const { records } = recorded;
  const bars = new Map<string, ReceivedBar>();
  const receive = (fact: readonly number[], seq: number, atMs: number): void => {
    const [feed = 0, openMs = NaN, ...values] = fact;
    bars.set(barKey(feed, openMs), { feed, openMs, values, seq, atMs });
  };
  for (const fact of warm) receive(fact, 0, fromMs);
  const decided = new Map<number, number>();
  const down: { fromMs: number; toMs: number }[] = [];
  const orders = new Map<number, ReportedOrder>();
  const numbers = new Map<string, number>();
  const funded: RecordOf<'FUNDED'>[] = [];
  const nextInstants = instantsBehind(records);
  let newestMs = fromMs;
  let stoppedMs: number | null = null;
  const orderOf = (cid: string): ReportedOrder | undefined => orders.get(numbers.get(cid) ?? -1);
  const halts = new Map<string, RecordOf<'HALT'>>();
  records.forEach((record, at) => {
    const knownMs = nextInstants[at]!;
    switch (record.k) {
      case 'INSTANT': {
        for (const fact of record.bars) receive(fact, record.seq, record.atMs);
        if (record.decided && stoppedMs !== null) {
          down.push({ fromMs: stoppedMs, toMs: record.atMs });
          stoppedMs = null;
        }
        if (record.decided && record.bars.length > 0) decided.set(record.atMs, record.seq);
        if (record.decided) newestMs = Math.max(newestMs, record.atMs);
        return;
      }
      case 'CONFIG':
      case 'STOP':
        stoppedMs ??= newestMs;
        return;
      case 'HALT':
        halts.set(`${record.scope} ${record.code}`, record);
        return;
      case 'RESUME':
        halts.delete(`${record.scope} ${record.code}`);
        return;
      case 'VERDICT':
      case 'INTENT': {
        numbers.set(record.cid, record.order);
        const known = orders.get(record.order);
        const intent = record.k === 'INTENT' ? record : (known?.intent ?? null);
        const createdMs = intent?.createdMs ?? Number(record.k === 'VERDICT' ? record.inputs['createdMs'] : NaN);
        const { number, seq, fills, isFilled, isCancelAsked, end } = known ?? madeOrder(record.order, record.seq);
        const order = { number, seq, createdMs, intent, fills, isFilled, isCancelAsked, end };
        if (record.k === 'VERDICT' && !record.ok) {
          const code = record.code ?? '';
          order.end = { seq: record.seq, t: record.t, knownMs, how: 'denied', code, cause: causeOfDenial(code, [...halts.values()]) };
        }
        orders.set(record.order, order);
        return;
      }
      case 'REFUSED': {
        const order = orderOf(record.cid);
        if (order === undefined) return;
        const isVenue = /^-?\d+$/.test(record.code);
        const how = isVenue ? 'refused' : 'notSent';
        order.end = { seq: record.seq, t: record.t, knownMs, how, code: record.code, cause: causeOfRefusal(record.code) };
        return;
      }
      case 'STATE': {
        const order = orderOf(record.cid);
        if (order === undefined) return;
        if (record.lifecycle === 'cancelSent') order.isCancelAsked = true;
        if (record.lifecycle !== 'done') return;
        if (record.reason === 'filled') order.isFilled = true;
        if (record.reason !== 'canceled' && record.reason !== 'expired' && record.reason !== 'rejected') return;
        const isByHand = !order.isCancelAsked && order.intent?.role !== 'market';
        const cause = isByHand ? 'operator' : 'fill model';
        order.end ??= { seq: record.seq, t: record.t, knownMs, how: 'canceled', code: record.reason, cause };
        return;
      }
      case 'FILL': {
        const order = record.cid === null ? undefined : orderOf(record.cid);
        if (order === undefined) return;
        order.fills.push({ record, knownMs });
        if (record.last) order.isFilled = true;
        return;
      }
      case 'FUNDED':
        funded.push(record);
        return;
      default:
        return;
    }
  });
  if (stoppedMs !== null) down.push({ fromMs: stoppedMs, toMs: Infinity });
  const all = [...orders.values()].toSorted((a, b) => a.number - b.number);
  return {
    records,
    bars,
    decided,
    down,
    orders: all,
    funded,
    seqAfter: (timeMs) => (records.find(({ t }) => t > timeMs) ?? records.at(-1))?.seq ?? 0,
    lastMs: Math.max(fromMs, ...decided.keys()),
    fillCount: all.reduce((sum, { fills }) => sum + fills.length, 0),
  };
}

function madeOrder(number: number, seq: number): ReportedOrder {
  return { number, seq, createdMs: NaN, intent: null, fills: [], isFilled: false, isCancelAsked: false, end: null };
}

/** Returns, for each record, the instant of the next decided bars; Infinity: there are none. */
function instantsBehind(records: readonly JournalRecord[]): readonly number[] {
  const found: number[] = [];
  let nextMs = Infinity;
  for (let at = records.length - 1; at >= 0; at--) {
    const record = records[at]!;
    if (record.k === 'INSTANT') nextMs = record.atMs;
    found[at] = nextMs;
  }
  return found;
}

/** True for an order that no strategy decided on: a slice of a kill. */
export const isForeign = ({ intent }: ReportedOrder): boolean => intent !== null && isOfKill(intent);

const CLOCK_CODES: ReadonlySet<string> = new Set(['CLOCK', '-1021']);
const SIZE_CODES: ReadonlySet<string> = new Set(['-1111', '-1136', '-1147']);
const RESTART_CODES: ReadonlySet<string> = new Set(['MISSED', 'STARTING']);
const DATA_CODES: ReadonlySet<string> = new Set(['STALE_DATA']);

function causeOfRefusal(code: string): Divergence {
  if (CLOCK_CODES.has(code)) return 'clock';
  if (SIZE_CODES.has(code)) return 'rounding';
  if (/^-?\d+$/.test(code)) return 'fill model';
  return /clock|time/i.test(code) ? 'clock' : 'restart';
}

function causeOfDenial(code: string, halts: readonly RecordOf<'HALT'>[]): Divergence {
  if (CLOCK_CODES.has(code)) return 'clock';
  if (RESTART_CODES.has(code)) return 'restart';
  if (DATA_CODES.has(code)) return 'late bar';
  const halt = halts.find((each) => each.code === code);
  if (halt !== undefined && halt.who === 'bot' && code !== 'OPERATOR' && code !== 'KILLED') return 'fill model';
  return 'operator';
}
