// Reads one lifetime from the journal without an engine: its bars, decided instants, orders with outcomes, fills and payments.

import { largestOf } from '../../base/number/extremes.ts';
import { firstAfter } from '../../base/number/search.ts';
import type { JournalRecord, RecordOf } from '../../adapters/journal/records/records.ts';
import { isKillSlice } from '../bot/lifetime/lifetimeRecords.ts';
import type { Lifetime } from '../bot/lifetime/lifetime.ts';
import type { Divergence } from './divergences.ts';

/** A bar as a feed of the bot received it. */
export interface ReceivedBar {
  readonly feed: number;
  readonly openMs: number;
  /** Open, high, low, close, volume. */
  readonly values: readonly number[];
  /** End of a bar from trades, ms UTC. Null for a bar of an interval, which ends with it. */
  readonly closeMs: number | null;
  readonly seq: number;
  /** Time of the instant with which the bar came, ms UTC. */
  readonly atMs: number;
}

/** A fill of the journal. `knownMs` is the first instant with bars at which strategies knew the fill (ms UTC). */
export interface ReportedFill {
  readonly record: RecordOf<'FILL'>;
  readonly knownMs: number;
}

/** The end of an order that was not filled completely. */
export interface ReportedEnd {
  readonly seq: number;
  readonly t: number;
  readonly knownMs: number;
  readonly ending: 'denied' | 'refused' | 'canceled' | 'notSent';
  readonly code: string;
  /** The cause that explains this end. */
  readonly cause: Divergence;
}

/** An order of the journal with its outcome. */
export interface ReportedOrder {
  readonly number: number;
  readonly seq: number;
  readonly createdMs: number;
  /** Null: the order was denied, and the journal does not have its terms. */
  readonly intent: RecordOf<'INTENT'> | null;
  readonly fills: ReportedFill[];
  isFilled: boolean;
  /** True when the bot has asked to cancel the order. */
  isCancelAsked: boolean;
  end: ReportedEnd | null;
}

/** A time that the bot did not follow, because it was down or had no bars. Timers that fell due in it were missed. Times in ms UTC. */
export interface MissedSpan {
  /** The newest instant before it. */
  readonly fromMs: number;
  readonly toMs: number;
  /** When the bot made up for it. */
  readonly resumedMs: number;
}

/** One lifetime of a bot. */
export interface RecordedRun {
  readonly records: readonly JournalRecord[];
  /** By feed and open time. */
  readonly bars: ReadonlyMap<string, ReceivedBar>;
  /** The number of the record by instant, for the instants with bars at which strategies could decide. */
  readonly decided: ReadonlyMap<number, number>;
  /** Spans without a process: from the newest instant before a start to the first one after it. */
  readonly down: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly missed: readonly MissedSpan[];
  /** Times at which only timers decided, ms UTC: instants without a bar, and the times at which missed instants were made up for. */
  readonly timerInstants: ReadonlySet<number>;
  readonly orders: readonly ReportedOrder[];
  /** Orders that still waited for the end of others when the comparison ends. */
  readonly waiting: readonly RecordOf<'DRAFT'>[];
  readonly funded: readonly RecordOf<'FUNDED'>[];
  /** Returns the number of the first record after a time, or of the last record. */
  readonly seqAfter: (timeMs: number) => number;
  readonly lastMs: number;
  readonly fillCount: number;
}

/** Returns the key of a bar by its feed and its opening time. */
export const barKey = (feedIndex: number, openMs: number): string => `${feedIndex} ${openMs}`;

/**
 * Returns the records up to the decisions on the newest bar. Later records have no bar with which a backtest could be compared.
 */
export function comparedRecords(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const last = records.findLastIndex((record) => record.k === 'INSTANT' && record.decided && record.bars.length > 0);
  const after = records.findIndex((record, index) => index > last && endsComparison(record));
  return last < 0 || after < 0 ? records : records.slice(0, after);
}
/** Kinds of records. The first such record after the last decisions ends the comparison. */
const ENDS_COMPARISON: ReadonlySet<string> = new Set(['FILL', 'FUNDED', 'STOP', 'CONFIG', 'INSTANT', 'SEGMENT', 'HUMAN', 'HALT', 'RESUME']);

/** A journal file that the same process continues ends nothing. */
const endsComparison = (record: JournalRecord): boolean =>
  ENDS_COMPARISON.has(record.k) && !(record.k === 'SEGMENT' && record.goesOn === true);

/** Returns why the bot did not follow the time `ms`. */
export const causeOfMissing = ({ down }: RecordedRun, ms: number): Divergence =>
  down.some(({ fromMs, toMs }) => ms > fromMs && ms < toMs) ? 'restart' : 'late bar';

/** Reads all records of a lifetime. */
export function readRecordedRun(lifetime: Lifetime): RecordedRun {
  return new RecordedRunReader(lifetime).read();
}

/** Reads the records one after the other. */
class RecordedRunReader {
  readonly #records: readonly JournalRecord[];
  readonly #fromMs: number;
  readonly #nextInstants: Float64Array;
  readonly #bars = new Map<string, ReceivedBar>();
  readonly #decided = new Map<number, number>();
  readonly #down: { fromMs: number; toMs: number }[] = [];
  readonly #missed: MissedSpan[] = [];
  readonly #timerInstants = new Set<number>();
  readonly #orders = new Map<number, ReportedOrder>();
  readonly #numbers = new Map<string, number>();
  readonly #funded: RecordOf<'FUNDED'>[] = [];
  readonly #waiting = new Map<string, RecordOf<'DRAFT'>>();
  #newestMs: number;
  /** The newest instant before the process ended, ms UTC; null: the process runs. */
  #stoppedMs: number | null = null;

  constructor({ recorded, warm, fromMs }: Lifetime) {
    this.#records = recorded.records;
    this.#fromMs = this.#newestMs = fromMs;
    this.#nextInstants = nextInstants(this.#records);
    for (const bar of warm) this.#addBar(bar, 0, fromMs);
  }

  /** Returns the run that the records of the lifetime describe. Call it once. */
  read(): RecordedRun {
    const records = this.#records;
    records.forEach((record, index) => this.#addRecord(record, this.#nextInstants[index]!));
    if (this.#stoppedMs !== null) this.#down.push({ fromMs: this.#stoppedMs, toMs: Infinity });
    const orders = [...this.#orders.values()].toSorted((a, b) => a.number - b.number);
    return {
      records,
      bars: this.#bars,
      decided: this.#decided,
      down: this.#down,
      missed: this.#missed,
      timerInstants: this.#timerInstants,
      orders,
      waiting: [...this.#waiting.values()],
      funded: this.#funded,
      seqAfter: seqAfterIn(records),
      lastMs: Math.max(this.#fromMs, largestOf(this.#decided.keys())),
      fillCount: orders.reduce((sum, { fills }) => sum + fills.length, 0),
    };
  }

  /** Adds a bar that the bot received. `seq` is the record that has it, or 0; `atMs` is its instant. */
  #addBar(recordedBar: readonly number[], seq: number, atMs: number): void {
    const [feed = 0, openMs = NaN, open = NaN, high = NaN, low = NaN, close = NaN, volume = NaN, closeMs = null] = recordedBar;
    this.#bars.set(barKey(feed, openMs), { feed, openMs, values: [open, high, low, close, volume], closeMs, seq, atMs });
  }

  /** Adds what a record says to the run. `knownMs`: the time at which the bot knew it. */
  #addRecord(record: JournalRecord, knownMs: number): void {
    const { k } = record;
    if (k === 'DRAFT') this.#waiting.set(record.cid, record);
    else if (k === 'VERDICT' || k === 'STATE') this.#waiting.delete(record.cid);
    if (k === 'INSTANT') this.#addInstant(record);
    else if (k === 'CONFIG' || k === 'STOP') this.#stoppedMs ??= this.#newestMs;
    else if (k === 'VERDICT' || k === 'INTENT') this.#addDecision(record, knownMs);
    else if (k === 'REFUSED' || k === 'STATE' || k === 'FILL') this.#addReport(record, knownMs);
    else if (k === 'FUNDED') this.#funded.push(record);
  }

  /** Adds an instant: its bars, whether strategies decided on it, and the time without the bot before it. */
  #addInstant({ bars, seq, atMs, decided, t }: RecordOf<'INSTANT'>): void {
    for (const bar of bars) this.#addBar(bar, seq, atMs);
    if (bars.length === 0 || !decided) this.#timerInstants.add(decided ? atMs : t);
    if (!decided) {
      this.#missed.push({ fromMs: Math.max(this.#newestMs, this.#missed.at(-1)?.toMs ?? -Infinity), toMs: atMs, resumedMs: t });
      return;
    }
    if (this.#stoppedMs !== null) this.#down.push({ fromMs: this.#stoppedMs, toMs: atMs });
    this.#stoppedMs = null;
    if (bars.length > 0) this.#decided.set(atMs, seq);
    this.#newestMs = Math.max(this.#newestMs, atMs);
  }

  /** Adds a decision: the order, and its end if risk denied it. */
  #addDecision(record: RecordOf<'VERDICT'> | RecordOf<'INTENT'>, knownMs: number): void {
    this.#numbers.set(record.cid, record.order);
    const previous = this.#orders.get(record.order) ?? newOrder(record.order, record.seq);
    const intent = record.k === 'INTENT' ? record : previous.intent;
    const createdMs = intent?.createdMs ?? Number(record.k === 'VERDICT' ? record.inputs['createdMs'] : NaN);
    const order = { ...previous, intent, createdMs };
    if (record.k === 'VERDICT' && !record.ok) {
      const code = record.code ?? '';
      order.end = { seq: record.seq, t: record.t, knownMs, ending: 'denied', code, cause: causeOfDenial(code) };
    }
    this.#orders.set(record.order, order);
  }

  /** Adds a report of the exchange about an order: a fill, or an end with its cause. */
  #addReport(record: RecordOf<'REFUSED'> | RecordOf<'STATE'> | RecordOf<'FILL'>, knownMs: number): void {
    const order = record.cid === null ? undefined : this.#orders.get(this.#numbers.get(record.cid) ?? -1);
    if (order === undefined) return;
    const { seq, t } = record;
    if (record.k === 'REFUSED') {
      const ending = /^-?\d+$/.test(record.code) ? 'refused' : 'notSent';
      order.end = { seq, t, knownMs, ending, code: record.code, cause: causeOfRefusal(record.code) };
    } else if (record.k === 'FILL') {
      order.fills.push({ record, knownMs });
      if (record.last) order.isFilled = true;
    } else if (record.lifecycle === 'cancelSent') order.isCancelAsked = true;
    else if (record.lifecycle === 'done') {
      const { reason } = record;
      if (reason === 'filled') order.isFilled = true;
      if (reason !== 'canceled' && reason !== 'expired' && reason !== 'rejected') return;
      const isForeignCancel = !order.isCancelAsked && order.intent?.role !== 'market';
      order.end ??= { seq, t, knownMs, ending: 'canceled', code: reason, cause: isForeignCancel ? 'operator' : 'fill model' };
    }
  }
}

/** Returns an order before its terms are known. `seq`: the record that names it first. */
function newOrder(number: number, seq: number): ReportedOrder {
  return { number, seq, createdMs: NaN, intent: null, fills: [], isFilled: false, isCancelAsked: false, end: null };
}

/** Returns, for each record, the time of its own or the next instant (ms UTC). Infinity without a later instant. */
function nextInstants(records: readonly JournalRecord[]): Float64Array {
  const times = new Float64Array(records.length);
  let nextMs = Infinity;
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index]!;
    if (record.k === 'INSTANT') nextMs = record.atMs;
    times[index] = nextMs;
  }
  return times;
}

/**
 * Returns a function that returns the number of the first record after a time, or of the newest record if none is later. Records are not sorted by
 * time if the clock has stepped back, but the latest times until each record are.
 */
function seqAfterIn(records: readonly JournalRecord[]): (timeMs: number) => number {
  let latestMs = -Infinity;
  const latestTimes = Float64Array.from(records, ({ t }) => (latestMs = Math.max(latestMs, t)));
  return (timeMs) => records[Math.min(firstAfter(latestTimes, 0, records.length, timeMs), records.length - 1)]?.seq ?? 0;
}

/** True for an order of a kill, which no strategy decided. */
export const isForeign = ({ intent }: ReportedOrder): boolean => intent !== null && isKillSlice(intent);

const CLOCK_CODES: ReadonlySet<string> = new Set(['CLOCK', 'STALE', '-1021']);
const SIZE_CODES: ReadonlySet<string> = new Set(['-1111', '-1136', '-1147']);
const RESTART_CODES: ReadonlySet<string> = new Set(['MISSED', 'STARTING']);
const DATA_CODES: ReadonlySet<string> = new Set(['STALE_DATA']);

/** Returns the cause that explains a refusal with this code. */
function causeOfRefusal(code: string): Divergence {
  if (CLOCK_CODES.has(code)) return 'clock';
  if (SIZE_CODES.has(code)) return 'rounding';
  if (/^-?\d+$/.test(code)) return 'fill model';
  return /clock|time/i.test(code) ? 'clock' : 'restart';
}

/** Returns the cause that explains a denial with this code. A halt counts as an act of the operator, also when the bot raised it itself. */
function causeOfDenial(code: string): Divergence {
  if (CLOCK_CODES.has(code)) return 'clock';
  if (RESTART_CODES.has(code)) return 'restart';
  if (DATA_CODES.has(code)) return 'late bar';
  return 'operator';
}
