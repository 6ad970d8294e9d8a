// Finds the entries that the strategies of a run decided, each with its bracket and the cancel or exit that ended it.

import { DECISION_FLAGS, DECISIONS, type RunDecisions } from '../../model/run/decisions.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Ladder } from '../../model/order.ts';
import { ENDINGS, type OrderColumns, type RunRecord } from '../../model/run/run.ts';
import { nearestOf, rungsOfFill } from '../../orders/stops/ladder.ts';
import type { EntryKind, EntryTerms } from './orderPath.ts';
import type { EnvelopeTerms } from './terms.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** The number of ppm in the whole. */
const MILLION = 1_000_000;
/** The codes of the kinds of decisions. */
const ORDER_DECISION = DECISIONS.indexOf('order');
const EXIT = DECISIONS.indexOf('exit');
/** Maximum number of open entries of one position that are remembered. An exit does not end older ones. */
const MAX_OPEN = 8;
const DENIED = ENDINGS.indexOf('denied');
/** Denials that depend on the order alone. They hold for every order of events. */
const CERTAIN_DENIALS: ReadonlySet<string> = new Set(['BAD_INPUT', 'QTY_MAX', 'QTY_MIN', 'NOTIONAL_MAX', 'NOTIONAL_MIN', 'COLLAR']);

/** A part of an entry with a target of its own. */
interface MirroredRung {
  /** The target price, mirrored for a short; Infinity without a target. */
  readonly mirroredPrice: number;
  readonly lots: number;
}

/** One entry order with its bracket. */
export interface Entry {
  readonly id: number;
  readonly strategy: number;
  readonly instrument: number;
  readonly isLong: boolean;
  readonly lots: number;
  readonly terms: EntryTerms;
  /** The lots of each of several targets, and of what no target closes. Null for an entry with at most one target. */
  readonly rungs: readonly MirroredRung[] | null;
  /** Time at which the order arrives at the venue (ms UTC). */
  readonly fromMs: number;
  /** Times at which the strategy cancels the order and closes the position (ms UTC). Infinity when it never does. */
  cancelMs: number;
  exitMs: number;
  /** True when the exit is an entry of the other side. That entry opens a position if this one no longer has any to close. */
  isReversed: boolean;
}

/** Reasons, in words, why the envelope is not a bound. */
export class Reasons {
  /** Reasons that always apply. */
  readonly always = new Set<string>();
  /** Reasons that apply only if a fill was ambiguous, because later decisions might then have differed. */
  readonly ifAmbiguous = new Set<string>();
}

/** The rules of the run, and the reasons to which an entry adds. */
interface EntryContext {
  readonly terms: EnvelopeTerms;
  readonly reasons: Reasons;
}

/** Returns the entries in the order of their decisions. Adds to `reasons` what this model of entries cannot follow. */
export function entriesOf(record: RunRecord, decisions: RunDecisions, terms: EnvelopeTerms, reasons: Reasons): readonly Entry[] {
  const entries: Entry[] = [];
  /** By strategy and instrument: the entries that the next exit ends. */
  const openEntries = new Map<number, Entry[]>();
  const { length, kind, id, strategy, instrument, timeMs } = decisions;
  for (let row = 0; row < length; row++) {
    const arrivedMs = timeMs[row]! + terms.latencyMs;
    const key = strategyInstrumentKey(strategy[row]!, instrument[row]!);
    const positionEntries = openEntries.get(key) ?? [];
    if (kind[row] === EXIT) {
      endAll(positionEntries, arrivedMs);
      continue;
    }
    if (kind[row] !== ORDER_DECISION) {
      const canceledEntry = positionEntries.find((entry) => entry.id === id[row]);
      if (canceledEntry !== undefined) canceledEntry.cancelMs = Math.min(canceledEntry.cancelMs, arrivedMs);
      else reasons.always.add('it cancels orders other than its entries');
      continue;
    }
    const entry = entryAt(record, decisions, row, { terms, reasons });
    if (entry === 'closing') endAll(positionEntries, arrivedMs);
    if (entry === null || entry === 'closing') continue;
    // An entry of the other side closes the open entries, unless long and short positions are separate.
    const hasOtherSide = positionEntries.some(({ isLong }) => isLong !== entry.isLong);
    if (record.isTwoWay !== true && hasOtherSide) {
      for (const openEntry of positionEntries) openEntry.isReversed = true;
      endAll(positionEntries, arrivedMs);
    }
    entries.push(entry);
    positionEntries.push(entry);
    if (positionEntries.length > MAX_OPEN) positionEntries.splice(0, positionEntries.length - MAX_OPEN);
    openEntries.set(key, positionEntries);
  }
  return entries;
}

/** Returns one number for a strategy and an instrument, both given by their index. An index of an instrument has at most 16 bits. */
export function strategyInstrumentKey(strategyIndex: number, instrumentIndex: number): number {
  return strategyIndex * 65_536 + instrumentIndex;
}

/** Ends the entries of a position at a time, and empties the list. */
function endAll(positionEntries: Entry[], timeMs: number): void {
  for (const entry of positionEntries) entry.exitMs = Math.min(entry.exitMs, timeMs);
  positionEntries.length = 0;
}

/** One decision of the run, with what the model of entries needs to know of its instrument and of its order. */
interface EntryDecision {
  readonly decisions: RunDecisions;
  /** Row of the decision. */
  readonly row: number;
  readonly instrument: Instrument;
  readonly isLong: boolean;
  /** Targets of the entry. Null for at most one. */
  readonly ladder: Ladder | null;
}

/**
 * Returns the entry of a decision. Null for an order that is never placed, and for one that only closes after a denial. `closing` for an
 * order that only closes a position.
 */
function entryAt(record: RunRecord, decisions: RunDecisions, row: number, context: EntryContext): Entry | 'closing' | null {
  const { terms, reasons } = context;
  const id = decisions.id[row]!;
  const instrument = record.instruments[decisions.instrument[row]!]!;
  const decision: EntryDecision = {
    decisions,
    row,
    instrument,
    isLong: decisions.sign[row]! > 0,
    ladder: decisions.ladders.get(id) ?? null,
  };
  const denial = denialOf(record.orders, id - 1);
  if (denial !== null && CERTAIN_DENIALS.has(denial)) return null;
  if (isReduction(decision)) {
    // A market order leaves no fill ambiguous, but it may close a different position.
    const affected = isMarketOrder(decision) ? reasons.ifAmbiguous : reasons.always;
    affected.add('it closes with orders of its own');
    return denial === null ? 'closing' : null;
  }
  noteUnfollowed(decision, context);
  if (denial !== null) {
    reasons.ifAmbiguous.add('an order was refused that might have been accepted');
    return null;
  }
  const entryTerms = entryTermsOf(decision, terms);
  const { kind, level, target, stop } = entryTerms;
  const isOnOtherSide = target <= level || stop >= level;
  if (kind !== 'market' && isOnOtherSide) reasons.always.add('an entry has its target or stop on the other side');
  const lots = lotsOf(record.orders, id - 1, decisions.lots[row]!);
  const sign = decision.isLong ? 1 : -1;
  return {
    id,
    strategy: decisions.strategy[row]!,
    instrument: decisions.instrument[row]!,
    isLong: decision.isLong,
    lots: Number.isFinite(lots) && record.feeds.length > 0 ? lots : 0,
    rungs: decision.ladder === null ? null : rungsOf(decision.ladder, lots, instrument.minLots, sign),
    fromMs: decisions.timeMs[row]! + terms.latencyMs,
    cancelMs: INFINITY,
    exitMs: INFINITY,
    isReversed: false,
    terms: entryTerms,
  };
}

/** True when the order was decided with a flag. */
const hasFlag = ({ decisions, row }: EntryDecision, flag: keyof typeof DECISION_FLAGS): boolean =>
  (decisions.flags[row]! & DECISION_FLAGS[flag]) !== 0;

/** True when the order can only close a position: it is reduce-only, or it sells on spot. */
function isReduction(decision: EntryDecision): boolean {
  return hasFlag(decision, 'reduceOnly') || (decision.instrument.contract === undefined && !decision.isLong);
}

/** True when the order has neither a limit nor a trigger. */
function isMarketOrder(decision: EntryDecision): boolean {
  return !hasFlag(decision, 'limit') && decision.decisions.trigger[decision.row] === 0;
}

/** Adds the terms of an entry that this model does not follow to the reasons. */
function noteUnfollowed(decision: EntryDecision, { terms, reasons }: EntryContext): void {
  const { decisions, row, instrument, ladder } = decision;
  const isSpot = instrument.contract === undefined;
  if (hasFlag(decision, 'sizedByEquity')) reasons.ifAmbiguous.add('its sizes depend on its equity');
  if (hasFlag(decision, 'trailsOtherwise')) reasons.always.add('its stops trail in percent, or from a price on');
  if (ladder !== null && isSpot && terms.feesIn === 'received')
    reasons.always.add('its entries have several targets, and fees are taken from coins');
  if (isSpot && decisions.trigger[row]! > 0 && hasFlag(decision, 'limit')) reasons.always.add('it has stop entries with a limit on spot');
  if (hasFlag(decision, 'timeInForce')) reasons.always.add('it uses a time in force');
}

/** Returns the kind, the mirrored prices and the fee rates of an entry. */
function entryTermsOf(decision: EntryDecision, terms: EnvelopeTerms): EntryTerms {
  const { decisions, row, isLong, ladder } = decision;
  const { contract } = decision.instrument;
  const sign = isLong ? 1 : -1;
  const limit = decisions.limit[row]!;
  const trigger = decisions.trigger[row]!;
  const untriggeredKind: EntryKind = hasFlag(decision, 'limit') ? 'limit' : 'market';
  const kind: EntryKind = trigger > 0 ? 'trigger' : untriggeredKind;
  const targetTicks = ladder === null ? decisions.takeProfit[row]! : nearestOf(ladder, isLong);
  return {
    kind,
    level: sign * (kind === 'trigger' ? trigger : limit),
    isChasing: hasFlag(decision, 'triggersAbove') === isLong,
    collar: kind === 'limit' || limit === 0 ? INFINITY : sign * limit,
    target: targetTicks > 0 ? sign * targetTicks : INFINITY,
    stop: decisions.stopLoss[row]! > 0 ? sign * decisions.stopLoss[row]! : -INFINITY,
    trailing: decisions.trailing[row]! > 0 ? decisions.trailing[row]! : 0,
    fillsAtTouch: terms.fillsAtTouch,
    entryMaker: contract?.openMakerFeePpm ?? terms.makerPpm,
    entryTaker: contract?.openTakerFeePpm ?? terms.takerPpm,
    exitMaker: contract?.closeMakerFeePpm ?? terms.makerPpm,
    exitTaker: contract?.closeTakerFeePpm ?? terms.takerPpm,
  };
}

/** Returns the parts of an entry that are followed like entries of their own: one for each of several targets, else the entry itself. */
export function partsOf(entry: Entry): readonly Entry[] {
  const { rungs, terms } = entry;
  if (rungs === null) return [entry];
  return rungs.map(({ mirroredPrice, lots }) => ({ ...entry, lots, terms: { ...terms, target: mirroredPrice } }));
}

/** Returns the rungs of an entry of `lots`. Each ends at its target, or with all others at the stop. */
function rungsOf(ladder: Ladder, lots: number, minLots: number, sign: number): readonly MirroredRung[] {
  const rungs: MirroredRung[] = rungsOfFill(ladder, lots, 0, lots, minLots).map((rung) => ({
    mirroredPrice: sign * rung.targetTicks,
    lots: rung.lots,
  }));
  const remainder = lots - rungs.reduce((sum, rung) => sum + rung.lots, 0);
  return remainder > 0 ? [...rungs, { mirroredPrice: INFINITY, lots: remainder }] : rungs;
}

/** Returns the code with which the bot denied or the venue refused an order. Null when the order was placed. */
function denialOf({ length, ending, code, texts }: OrderColumns, row: number): string | null {
  if (row >= length) return null;
  const isRefused = ending[row] === DENIED || ENDINGS[ending[row]!] === 'refused';
  return isRefused ? (texts[code[row]!] ?? '') : null;
}

/** Returns the lots of an order. An order by amount gets its lots when it fills. `decided` counts for an order without a record. */
function lotsOf({ length, lots, quoteUnits, filledLots }: OrderColumns, row: number, decided: number): number {
  if (row >= length) return decided;
  return quoteUnits[row]! > 0 ? filledLots[row]! : lots[row]!;
}

/** Returns the slippage of a taker at a price, in ticks. */
export function slipTicks({ slippageTicks, slippagePpm }: EnvelopeTerms, ticks: number): number {
  if (slippagePpm === 0) return slippageTicks;
  const shareTicks = (Math.abs(ticks) * slippagePpm) / MILLION;
  // A value just above a whole tick is a rounding error.
  return slippageTicks + Math.ceil(shareTicks - 1e-9);
}
