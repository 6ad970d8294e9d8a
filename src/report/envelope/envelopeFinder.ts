// Computes the envelope of a run: the range of its figures over all orders of events inside its bars (docs/envelope.md).

import { largestOf } from '../../base/number/extremes.ts';
import type { RunDecisions } from '../../model/run/decisions.ts';
import { tickAt } from '../../model/bars/bars.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { executionFeeds } from '../series/daily.ts';
import { entriesOf, partsOf, strategyInstrumentKey, Reasons, type Entry } from './entries.ts';
import { figuresOf, rangeOver, moneyRange, type Envelope, type PathFigures } from './figures.ts';
import { EntryFollower, type Followed, type TakeSpread } from './entryFollower.ts';
import { firstFrom } from '../../base/number/search.ts';
import { EnvelopeMoney } from './envelopeMoney.ts';
import { PathRows } from './pathRows.ts';
import { isAsRun, isInsideRow, isLiquidated, isNearLiquidation, legsOf, maxReservedUnits, type Legs } from './runChecks.ts';
import type { EnvelopeTerms, FinerRows } from './terms.ts';
import { TradeMoney } from './tradeMoney.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** A reason why the envelope is not a bound. */
const CLOSES_OTHER_SIDE = 'its entries close positions of the other side';

/** A range that is narrower than this, in units, counts as one value. */
const MIN_WIDTH = 1e-6;

/** Number of standard deviations within which later trades are expected to differ. */
const SPREAD_DEVIATIONS = 3;

/** The lowest and the highest equity at each instant of the run's equity. */
export interface EquityBand {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** The envelope and the curves behind it. */
export interface RunEnvelope {
  readonly envelope: Envelope;
  /** Null when both bounds equal the equity of the run. */
  readonly band: EquityBand | null;
}

/** By row of an instrument: how much the lowest and the highest profit change at its close, in units. */
interface SpreadChanges {
  readonly rows: PathRows;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/**
 * Follows the entries of a run one after the other, and sums the ranges of their profits. A fill is ambiguous when the bars do not determine
 * its time or price. The range of the sums is a bound only if no reason speaks against it (`Reasons`).
 */
export class EnvelopeFinder {
  private readonly record: RunRecord;
  private readonly terms: EnvelopeTerms;
  private readonly finer: FinerRows | null;
  private readonly legs: Legs;
  private readonly reasons = new Reasons();
  private readonly rowsByInstrument = new Map<number, PathRows | null>();
  private readonly changes = new Map<number, SpreadChanges>();
  /** By strategy and instrument (`strategyInstrumentKey`): the time until which an earlier entry may be unfinished (ms UTC). */
  private readonly busyUntil = new Map<number, number>();
  /** Values the profits of each instrument in the reporting asset, and knows what each asset has to spend. */
  private readonly money: EnvelopeMoney;
  /** Sums of the lowest and highest profits of the entries, minus their profits in the run, in units. */
  private low = 0;
  private high = 0;
  /** Numbers of ambiguous fills, and of entries with such a fill. */
  private ambiguousFills = 0;
  private ambiguousEntries = 0;
  /** Times at which those entries ended, in order of the entries (ms UTC). */
  private readonly ambiguousEndMs: number[] = [];
  /** True when some entry may have ended differently than in the run. */
  private hasDifferentPath = false;
  /** Largest effect of rounding, in units: of entries with an ambiguous fill, and of those that finer rows decided. */
  private rounding = 0;
  private decidedRounding = 0;
  /** By instrument: lots that fees in coins may leave unsold. */
  private readonly dust = new Map<number, number>();
  /** Number, sum and sum of squares of the profits of all followed entries, in the run. */
  private profits = { count: 0, sum: 0, squares: 0 };

  constructor(record: RunRecord, decisions: RunDecisions, terms: EnvelopeTerms, finer: FinerRows | null) {
    this.record = record;
    this.terms = terms;
    this.finer = finer;
    this.legs = legsOf(record);
    this.money = new EnvelopeMoney(record);
    const { always, ifAmbiguous } = this.reasons;
    for (const reason of terms.reasons) always.add(reason);
    for (const reason of terms.reasonsIfAmbiguous) ifAmbiguous.add(reason);
    for (const name of decisions.dependsOn) ifAmbiguous.add(`the strategy reads ${name}`);
    const entries = entriesOf(record, decisions, terms, this.reasons);
    for (const entry of entries) this.follow(entry);
    if (isLiquidated(record)) always.add('a position was liquidated');
  }

  /** True when the bars determine the outcome of every entry. */
  get isCertain(): boolean {
    return !this.hasDifferentPath;
  }

  /** True when every order of events stays within the sums of the entries. */
  get isBound(): boolean {
    return this.reasons.always.size === 0 && (this.isCertain || this.reasons.ifAmbiguous.size === 0);
  }

  /**
   * Returns the envelope. `lanes` are the figures of further runs with other orders of events, which the ranges also contain. `refined` are
   * the figures of a run over finer rows inside ambiguous rows. Null without such a run.
   */
  result(lanes: readonly PathFigures[], refined: PathFigures | null): RunEnvelope {
    const { record, finer, reasons, ambiguousFills } = this;
    const { equity } = record;
    const band = this.isCertain ? null : this.band();
    const ofRun = figuresOf(record, equity);
    const paths: PathFigures[] = refined === null ? [ofRun, ...lanes] : [ofRun, ...lanes, refined];
    if (band !== null) paths.push(figuresOf(record, { ...equity, units: band.low }), figuresOf(record, { ...equity, units: band.high }));
    if (!this.isCertain && this.money.isShort(band?.low ?? null))
      reasons.ifAmbiguous.add('the money might not have been enough for every entry');
    const notBoundBecause = [...reasons.always, ...(this.isCertain ? [] : reasons.ifAmbiguous)];
    const isRefined = finer !== null && finer.read > 0;
    // Finer rows decide what happened, even where the run did something else. The range then need not contain the run itself.
    const netsOfPaths = isRefined ? [] : [ofRun.net, ...lanes.map(({ net }) => net)];
    const netProfits = [...this.netBounds(ofRun, refined, isRefined), ...netsOfPaths];
    return {
      band: isRefined || band === null ? band : this.widened(band),
      envelope: {
        netProfit: moneyRange(record.reportingDigits, netProfits, ofRun.net),
        maxDrawdown: rangeOver(paths, 'maxDrawdown'),
        sharpe: rangeOver(paths, 'sharpe'),
        ambiguousFills,
        ambiguousShare: ambiguousFills / Math.max(1, record.fills.length, ambiguousFills),
        refinedWith: isRefined ? finer.interval : null,
        refinedRows: isRefined ? { read: finer.read, all: finer.all } : null,
        kind: notBoundBecause.length === 0 ? 'bound' : 'scenario',
        notBoundBecause,
      },
    };
  }

  /**
   * Returns the lowest and the highest net profit in whole units, from the sums of the entries. `ofRun` are the figures of the run, and
   * `refined` those of the run over finer rows, or null. `isRefined` is true when finer rows were read.
   */
  private netBounds(ofRun: PathFigures, refined: PathFigures | null, isRefined: boolean): readonly number[] {
    const width = this.high - this.low;
    // The time at which a remainder below a lot is sold depends on how earlier trades ended, so it counts only while outcomes are open.
    const isDecided = this.isCertain || (refined !== null && width < MIN_WIDTH);
    const inexactness = isDecided ? 0 : this.rounding + this.dustUnits() + this.money.conversionRounding;
    const margin = inexactness + (isRefined ? 0 : this.spreadOfLater());
    const marginOfRun = margin + (isDecided ? 0 : this.decidedRounding);
    const isAroundRun = refined === null || (this.isBound && !isDecided);
    // Outcomes that finer rows leave open lie on either side of the run over them.
    const lowNet = isAroundRun ? ofRun.net + this.low - marginOfRun : refined.net - width - margin;
    const highNet = isAroundRun ? ofRun.net + this.high + marginOfRun : refined.net + width + margin;
    // A loss is at most the whole equity.
    return [Math.floor(lowNet), Math.ceil(highNet)].map((net) => Math.max(net, -this.record.startUnits));
  }

  /**
   * Returns how far the profits of later trades may differ from those of the run, in units. An entry that ends at another time is followed
   * by another entry, until both histories meet again. The result is three standard deviations of such differences. 0 for a bound.
   * `ambiguousEntries`: the number of entries with an ambiguous fill.
   */
  private spreadOfLater(ambiguousEntries = this.ambiguousEntries): number {
    const { count, sum, squares } = this.profits;
    if (this.isBound || count < 2) return 0;
    const variance = Math.max(0, squares - (sum * sum) / count) / (count - 1);
    return SPREAD_DEVIATIONS * Math.sqrt(2 * variance * ambiguousEntries);
  }

  /** Returns the band, widened at each instant by how much the trades after the ambiguous entries that have ended may differ. */
  private widened({ low, high }: EquityBand): EquityBand {
    const { timeMs } = this.record.equity;
    const endsMs = this.ambiguousEndMs.toSorted((a, b) => a - b);
    const wideBand = { low: low.slice(), high: high.slice() };
    let endedCount = 0;
    let spread = 0;
    for (let instant = 0; instant < low.length; instant++) {
      const countBefore = endedCount;
      while (endedCount < endsMs.length && endsMs[endedCount]! <= timeMs[instant]!) endedCount++;
      if (endedCount > countBefore) spread = this.spreadOfLater(endedCount);
      wideBand.low[instant] = Math.max(0, low[instant]! - spread);
      wideBand.high[instant]! += spread;
    }
    return wideBand;
  }

  /** Follows an entry, unless it is a plain market order, and adds its range to the sums. */
  private follow(entry: Entry): void {
    const { busyUntil, reasons, terms } = this;
    const { instrument, strategy, terms: entryTerms } = entry;
    const rows = this.rowsFor(instrument);
    if (rows === null) return;
    const key = strategyInstrumentKey(strategy, instrument);
    const busyMs = busyUntil.get(key) ?? -INFINITY;
    if (entry.fromMs < busyMs) reasons.ifAmbiguous.add('several of its entries may be open at once');
    const decidesInsideRow = [entry.fromMs, entry.cancelMs, entry.exitMs].some((ms) => isInsideRow(rows, ms));
    if (decidesInsideRow) reasons.always.add('it decides while a row runs');
    this.noteNeed(entry, rows);
    const dustLots = rows.money.dustOf(entry.lots, entryTerms.entryMaker, entryTerms.entryTaker);
    this.dust.set(instrument, (this.dust.get(instrument) ?? 0) + dustLots);
    const hasBracket = entryTerms.target !== INFINITY || entryTerms.stop !== -INFINITY || entryTerms.trailing !== 0;
    const isPlain = entryTerms.kind === 'market' && !hasBracket;
    if (isPlain && terms.leverage <= 1) {
      if (entry.isReversed) reasons.ifAmbiguous.add(CLOSES_OTHER_SIDE);
      busyUntil.set(key, Math.max(busyMs, entry.exitMs));
      return;
    }
    const follower = new EntryFollower(rows, terms, this.finer);
    const paths = partsOf(entry).map((part) => follower.follow(part, this.spreadTaker(instrument, rows)));
    busyUntil.set(key, Math.max(busyMs, largestOf(paths.map(({ endMs }) => endMs))));
    if (!isAsRun({ record: this.record, rows, entry, paths, legs: this.legs }))
      reasons.always.add('an order took a path that is not followed');
    for (const path of paths) this.addRange(entry, rows, path);
  }

  /** Adds the range of a followed entry, or of a part of it, to the sums, and notes why it may not be a bound. */
  private addRange(entry: Entry, rows: PathRows, followed: Followed): void {
    this.noteUnboundPath(entry, rows, followed);
    const { instrument } = entry;
    const unitValue = this.money.unitValueAtEnd(instrument);
    this.low += followed.low * unitValue;
    this.high += followed.high * unitValue;
    this.money.noteLoss(instrument, followed.low);
    this.ambiguousFills += (followed.isEntryAmbiguous ? 1 : 0) + (followed.isExitAmbiguous ? 1 : 0);
    this.hasDifferentPath ||= followed.mayDiffer;
    if (followed.isEntryAmbiguous || followed.isExitAmbiguous) {
      this.ambiguousEntries++;
      this.ambiguousEndMs.push(followed.endMs);
      this.rounding += rows.money.roundingOf(rows.lastMark) * unitValue;
    } else if (followed.mayDiffer) this.decidedRounding += rows.money.roundingOf(rows.lastMark) * unitValue;
    if (Number.isNaN(followed.entryPrice)) return;
    this.profits.count++;
    const profit = followed.profitUnits * unitValue;
    this.profits.sum += profit;
    this.profits.squares += profit * profit;
  }

  /** Adds the reasons for which the path of an entry may lie outside the sums. */
  private noteUnboundPath(entry: Entry, rows: PathRows, followed: Followed): void {
    const { always, ifAmbiguous } = this.reasons;
    const isSpot = rows.bars.instrument.contract === undefined;
    if (entry.isReversed && followed.isUnfinishedAtExit) ifAmbiguous.add(CLOSES_OTHER_SIDE);
    if (followed.isFundingDueInside) always.add('funding was due while a row ran');
    if (isSpot && followed.isCapped) always.add('a market order rested at its price cap');
    if (!isSpot && isNearLiquidation(followed, this.terms)) always.add('a position may have been liquidated');
  }

  /** Notes the money that an entry reserves, if it is the largest amount of its instrument. */
  private noteNeed(entry: Entry, rows: PathRows): void {
    const { instrument } = entry;
    const row = Math.max(0, firstFrom(rows.bars.openMs, rows.bars.length, entry.fromMs) - 1);
    this.money.noteNeed(instrument, maxReservedUnits(rows, entry, rows.close[row] ?? 0, this.terms));
  }

  /** Returns a function that takes the spread of one entry row by row, and adds its changes to those of the instrument. */
  private spreadTaker(instrumentIndex: number, rows: PathRows): TakeSpread {
    let lastLow = 0;
    let lastHigh = 0;
    return (row, low, high) => {
      let changes = this.changes.get(instrumentIndex);
      if (changes === undefined) {
        changes = { rows, low: new Float64Array(rows.bars.length), high: new Float64Array(rows.bars.length) };
        this.changes.set(instrumentIndex, changes);
      }
      changes.low[row]! += low - lastLow;
      changes.high[row]! += high - lastHigh;
      lastLow = low;
      lastHigh = high;
    };
  }

  /** Returns the rows of an instrument, built on first use. Null for an instrument without execution rows. */
  private rowsFor(instrumentIndex: number): PathRows | null {
    const cached = this.rowsByInstrument.get(instrumentIndex);
    if (cached !== undefined) return cached;
    const rows = this.createRows(instrumentIndex);
    this.rowsByInstrument.set(instrumentIndex, rows);
    return rows;
  }

  /** Returns new rows for an instrument. Null if its execution feed is not recorded. */
  private createRows(index: number): PathRows | null {
    const { record, terms } = this;
    const instrument = record.instruments[index]!;
    const feed = executionFeeds(record.feeds).find(({ bars }) => bars.instrument.id === instrument.id);
    if (feed === undefined) return null;
    const { bars } = feed;
    const lastRow = bars.length - 1;
    const lastMark = record.markTicks?.[index]?.[lastRow] ?? tickAt(bars, 'close', lastRow);
    return new PathRows({
      bars,
      firstRow: feed.firstRow,
      money: new TradeMoney(instrument, terms.feesIn),
      funding: terms.fundingOf(instrument),
      lastMark,
    });
  }

  /** Returns the largest gain or loss on lots that could not be sold at once, in units: their value over the whole range of prices. */
  private dustUnits(): number {
    let units = 0;
    for (const [instrument, lots] of this.dust) {
      const rows = this.rowsFor(instrument);
      if (rows !== null && lots > 0) units += rows.money.valueOf(lots, rows.range) * this.money.unitValueAtEnd(instrument);
    }
    return units;
  }

  /** Returns the lowest and the highest equity at each instant of the run. */
  private band(): EquityBand {
    const { timeMs, units, length } = this.record.equity;
    const low = Float64Array.from(units.subarray(0, length));
    const high = Float64Array.from(low);
    for (const [instrument, { rows, low: lowChanges, high: highChanges }] of this.changes) {
      const { closeMs, length: rowCount } = rows.bars;
      let row = 0;
      let sumLow = 0;
      let sumHigh = 0;
      for (let instant = 0; instant < length; instant++) {
        for (; row < rowCount && closeMs[row]! <= timeMs[instant]!; row++) {
          sumLow += lowChanges[row]!;
          sumHigh += highChanges[row]!;
        }
        // Profits stay in their own asset, so the closes of this instant value them.
        const unitValue = this.money.unitValue(instrument, timeMs[instant]!);
        low[instant] = Math.max(0, low[instant]! + sumLow * unitValue);
        high[instant]! += sumHigh * unitValue;
      }
    }
    return { low, high };
  }
}
