// The envelope of a run: between which figures it lies, whatever the order of events inside its bars was (docs/envelope.md).

import type { RunDecisions } from '../../model/run/decisions.ts';
import { ticksOf } from '../../model/bars/bars.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { executionFeeds } from '../series/daily.ts';
import { entriesOf, Reasons, type Entry } from './entries.ts';
import { figuresOf, hullOf, moneyRange, type Envelope, type PathFigures } from './figures.ts';
import { EntryFollower, type Followed, type TakeSpread } from './followEntry.ts';
import { firstFrom } from '../../base/number/search.ts';
import { PathRows } from './pathRows.ts';
import { isAsRun, isInsideRow, isLiquidated, isNearLiquidation, legsOf, needOf, type Legs } from './runChecks.ts';
import type { EnvelopeTerms, FinerRows } from './terms.ts';
import { TradeMoney } from './tradeMoney.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

const REVERSED = 'its entries close positions of the other side';

/** Standard deviations within which the differences of later trades are expected. */
const DEVIATIONS = 3;

/** The lowest and the highest equity at each instant of the run's equity. */
export interface EquityBand {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

export interface RunEnvelope {
  readonly envelope: Envelope;
  /** Null where both are the run's own equity. */
  readonly band: EquityBand | null;
}

/** Changes of the lowest and the highest profit at the closes of an instrument's rows. */
interface Changes {
  readonly rows: PathRows;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Follows the entries of a run, one after the other, and sums what they leave open. */
export class EnvelopeFinder {
  private readonly record: RunRecord;
  private readonly terms: EnvelopeTerms;
  private readonly finer: FinerRows | null;
  private readonly legs: Legs;
  private readonly reasons = new Reasons();
  private readonly rowsOf = new Map<number, PathRows | null>();
  private readonly changes = new Map<number, Changes>();
  /** By strategy and instrument: until when an earlier entry may be alive. */
  private readonly until = new Map<number, number>();
  /** By instrument: the most money that one of its entries holds. */
  private readonly needs = new Map<number, number>();
  private low = 0;
  private high = 0;
  private openFills = 0;
  /** Entries with anything left open, and the profits of all that were followed: their number, sum and sum of squares. */
  private openEntries = 0;
  private hasApart = false;
  /** What rounding may add, in units; and lots that fees in coins leave, by instrument. */
  private rounding = 0;
  private readonly dust = new Map<number, number>();
  private profits = { count: 0, sum: 0, squares: 0 };

  constructor(record: RunRecord, decisions: RunDecisions, terms: EnvelopeTerms, finer: FinerRows | null) {
    this.record = record;
    this.terms = terms;
    this.finer = finer;
    this.legs = legsOf(record);
    const { always, ifOpen } = this.reasons;
    for (const reason of terms.reasons) always.add(reason);
    for (const reason of terms.reasonsIfOpen) ifOpen.add(reason);
    for (const what of decisions.dependsOn) ifOpen.add(`the strategy reads ${what}`);
    const entries = entriesOf(record, decisions, terms, this.reasons);
    for (const entry of entries) this.follow(entry);
    if (isLiquidated(record)) always.add('a position was liquidated');
  }

  /** True when nothing was left open. */
  get isCertain(): boolean {
    return !this.hasApart;
  }

  /** True when no order of events leads out of the sums of the entries. */
  get isBound(): boolean {
    return this.reasons.always.size === 0 && (this.isCertain || this.reasons.ifOpen.size === 0);
  }

  /**
   * `lanes`: figures of further runs with other orders of events, which join the hull. `refined`: those of a run over finer rows in
   * ambiguous ones, which the sums of the entries alone would not give.
   */
  result(lanes: readonly PathFigures[], refined: PathFigures | null): RunEnvelope {
    const { record, finer, reasons, openFills } = this;
    const { startUnits, equity } = record;
    const band = this.isCertain ? null : this.band();
    const own = figuresOf(record, equity);
    const paths: PathFigures[] = refined === null ? [own, ...lanes] : [own, ...lanes, refined];
    if (band !== null) for (const units of [band.low, band.high]) paths.push(figuresOf(record, { ...equity, units }));
    if (!this.isCertain && this.isShortOfMoney(band)) reasons.ifOpen.add('the money might not have been enough for every entry');
    const why = [...reasons.always, ...(this.isCertain ? [] : reasons.ifOpen)];
    const isRefined = finer !== null && finer.read > 0;
    // What finer rows have settled is no longer open, also where it is not what the run did.
    const nets = isRefined ? [] : [own.net, ...lanes.map(({ net }) => net)];
    // What the finer rows leave open stays on either side of the run over them.
    const left = this.high - this.low;
    // When what is below a lot was sold depends on how the trades before it ended.
    const isSettled = this.isCertain || (refined !== null && left < 1e-6);
    const exactness = isSettled ? 0 : this.rounding + this.dustUnits();
    const apart = exactness + (isRefined ? 0 : this.spreadOfLater());
    const summed = [own.net + this.low - apart, own.net + this.high + apart] as const;
    const [from, to] =
      refined === null ? summed : this.isBound && !isSettled ? summed : [refined.net - left - apart, refined.net + left + apart];
    // A loss is at most the whole equity.
    const sums = [Math.floor(from), Math.ceil(to)].map((net) => Math.max(net, -startUnits));
    return {
      band,
      envelope: {
        netProfit: moneyRange(record.reportingDigits, [...sums, ...nets], own.net),
        maxDrawdown: hullOf(paths, 'maxDrawdown'),
        sharpe: hullOf(paths, 'sharpe'),
        ambiguousFills: openFills,
        ambiguousShare: openFills / Math.max(1, record.fills.length, openFills),
        refinedWith: isRefined ? finer.interval : null,
        refinedRows: isRefined ? { read: finer.read, all: finer.all } : null,
        kind: why.length === 0 ? 'bound' : 'scenario',
        notBoundBecause: why,
      },
    };
  }

  /**
   * How far later trades may be from those of the run where they are decided by earlier fills, in units: an entry that ends at another time
   * has another one come after it, with a profit of its own, until both ways meet again. Three standard deviations of such differences.
   */
  private spreadOfLater(): number {
    const { count, sum, squares } = this.profits;
    if (this.isBound || count < 2) return 0;
    const variance = Math.max(0, squares - (sum * sum) / count) / (count - 1);
    return DEVIATIONS * Math.sqrt(2 * variance * this.openEntries);
  }

  private follow(entry: Entry): void {
    const { until, reasons, terms } = this;
    const { instrument, strategy, terms: wanted } = entry;
    const rows = this.rowsFor(instrument);
    if (rows === null) return;
    const key = strategy * 65_536 + instrument;
    const last = until.get(key) ?? -INFINITY;
    if (entry.fromMs < last) reasons.ifOpen.add('several of its entries may be open at once');
    for (const ms of [entry.fromMs, entry.cancelMs, entry.exitMs])
      if (isInsideRow(rows, ms)) reasons.always.add('it decides while a row runs');
    this.noteNeed(entry, rows);
    this.dust.set(instrument, (this.dust.get(instrument) ?? 0) + rows.money.dustOf(entry.lots, wanted.entryMaker, wanted.entryTaker));
    const isPlain = wanted.kind === 'market' && wanted.target === INFINITY && wanted.stop === -INFINITY && wanted.trailing === 0;
    if (isPlain && terms.leverage <= 1) {
      if (entry.isReversed) reasons.ifOpen.add(REVERSED);
      until.set(key, Math.max(last, entry.exitMs));
      return;
    }
    const followed = new EntryFollower(rows, terms, this.finer).follow(entry, this.takerOf(instrument, rows));
    until.set(key, Math.max(last, followed.overMs));
    this.add(entry, rows, followed);
  }

  private add(entry: Entry, rows: PathRows, followed: Followed): void {
    const { reasons, terms, record, legs } = this;
    if (!isAsRun(record, rows, entry, followed, legs)) reasons.always.add('an order took a path that is not followed');
    if (entry.isReversed && followed.isLeft) reasons.ifOpen.add(REVERSED);
    if (followed.isPaidInside) reasons.always.add('funding was due while a row ran');
    if (rows.bars.instrument.contract !== undefined && isNearLiquidation(followed, terms))
      reasons.always.add('a position may have been liquidated');
    this.low += followed.low;
    this.high += followed.high;
    this.openFills += (followed.isEntryOpen ? 1 : 0) + (followed.isExitOpen ? 1 : 0);
    this.hasApart ||= followed.isApart;
    if (followed.isEntryOpen || followed.isExitOpen) {
      this.openEntries++;
      this.rounding += rows.money.roundingOf(rows.lastMark);
    }
    if (Number.isNaN(followed.entryPrice)) return;
    this.profits.count++;
    this.profits.sum += followed.profit;
    this.profits.squares += followed.profit * followed.profit;
  }

  private noteNeed(entry: Entry, rows: PathRows): void {
    const { instrument } = entry;
    const row = Math.max(0, firstFrom(rows.bars.openMs, rows.bars.length, entry.fromMs) - 1);
    const isContract = rows.bars.instrument.contract !== undefined;
    const need = needOf(rows, entry, rows.close[row] ?? 0, this.terms, isContract);
    if (need > (this.needs.get(instrument) ?? 0)) this.needs.set(instrument, need);
  }

  /** Adds the changes of an entry's spread to those of its instrument. */
  private takerOf(instrument: number, rows: PathRows): TakeSpread {
    let [lastLow, lastHigh] = [0, 0];
    return (row, low, high) => {
      let into = this.changes.get(instrument);
      if (into === undefined) {
        into = { rows, low: new Float64Array(rows.bars.length), high: new Float64Array(rows.bars.length) };
        this.changes.set(instrument, into);
      }
      into.low[row]! += low - lastLow;
      into.high[row]! += high - lastHigh;
      lastLow = low;
      lastHigh = high;
    };
  }

  private rowsFor(instrument: number): PathRows | null {
    const known = this.rowsOf.get(instrument);
    if (known !== undefined) return known;
    const made = this.makeRows(instrument);
    this.rowsOf.set(instrument, made);
    return made;
  }
  private makeRows(index: number): PathRows | null {
    const { record, terms } = this;
    const instrument = record.instruments[index]!;
    const feed = executionFeeds(record.feeds).find(({ bars }) => bars.instrument.id === instrument.id);
    if (feed === undefined) return null;
    const { bars } = feed;
    const close = ticksOf(bars, 'close');
    const lastMark = record.markTicks?.[index]?.[bars.length - 1] ?? close[bars.length - 1]!;
    return new PathRows(bars, feed.firstRow, new TradeMoney(instrument, terms.feesIn), terms.fundingOf(instrument), lastMark);
  }

  /** True when the lowest equity may not have been enough for every entry. */
  private isShortOfMoney(band: EquityBand | null): boolean {
    const { startUnits, equity } = this.record;
    const units = band?.low ?? equity.units;
    let lowest = startUnits;
    for (let at = 0; at < equity.length; at++) if (units[at]! < lowest) lowest = units[at]!;
    let needed = 0;
    for (const need of this.needs.values()) needed += need;
    return needed > lowest;
  }

  /** What lots that could not be sold at once may gain or lose over the whole range of prices. */
  private dustUnits(): number {
    let units = 0;
    for (const [instrument, lots] of this.dust) {
      const rows = this.rowsFor(instrument);
      if (rows !== null && lots > 0) units += rows.money.valueOf(lots, rows.range);
    }
    return units;
  }

  private band(): EquityBand {
    const { timeMs, units, length } = this.record.equity;
    const low = Float64Array.from(units.subarray(0, length));
    const high = Float64Array.from(low);
    for (const { rows, low: lows, high: highs } of this.changes.values()) {
      const { closeMs, length: count } = rows.bars;
      let [row, sumLow, sumHigh] = [0, 0, 0];
      for (let at = 0; at < length; at++) {
        for (; row < count && closeMs[row]! <= timeMs[at]!; row++) {
          sumLow += lows[row]!;
          sumHigh += highs[row]!;
        }
        low[at] = Math.max(0, low[at]! + sumLow);
        high[at]! += sumHigh;
      }
    }
    return { low, high };
  }
}
