// Finds the entries that the strategies of a run decided, each with its bracket and the cancel or exit that ended it.

import { DECISION_FLAGS, DECISIONS, type RunDecisions } from '../../model/run/decisions.ts';
import type { Ladder } from '../../model/order.ts';
import { ENDINGS, type OrderColumns, type RunRecord } from '../../model/run/run.ts';
import { nearestOf, rungsOfFill } from '../../orders/stops/ladder.ts';
import type { EntryKind, EntryTerms } from './orderPath.ts';
import type { EnvelopeTerms } from './terms.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

const MILLION = 1_000_000;
const ORDER = DECISIONS.indexOf('order');
const EXIT = DECISIONS.indexOf('exit');
/** Open entries of one position that are remembered. Older ones are not ended by an exit. */
const MAX_OPEN = 8;
const DENIED = ENDINGS.indexOf('denied');
/** Denials that depend on the order alone. They hold for every order of events. */
const CERTAIN_DENIALS: ReadonlySet<string> = new Set(['BAD_INPUT', 'QTY_MAX', 'QTY_MIN', 'NOTIONAL_MAX', 'NOTIONAL_MIN', 'COLLAR']);

/** A part of an entry with a target of its own, mirrored. Infinity without one. */
interface Rung {
  readonly at: number;
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
  readonly rungs: readonly Rung[] | null;
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
  readonly ifOpen = new Set<string>();
}

/** Returns the entries in the order of their decisions. Adds to `reasons` what this model of entries cannot follow. */
export function entriesOf(record: RunRecord, decisions: RunDecisions, terms: EnvelopeTerms, reasons: Reasons): readonly Entry[] {
  const entries: Entry[] = [];
  /** By strategy and instrument: the entries that the next exit ends. */
  const openEntries = new Map<number, Entry[]>();
  const { length, kind, id, strategy, instrument, timeMs } = decisions;
  for (let row = 0; row < length; row++) {
    const arrivedMs = timeMs[row]! + terms.latencyMs;
    const key = strategy[row]! * 65_536 + instrument[row]!;
    const own = openEntries.get(key) ?? [];
    if (kind[row] === EXIT) endAll(own, arrivedMs);
    else if (kind[row] === ORDER) {
      const entry = entryAt(record, decisions, terms, row, reasons);
      if (entry === 'closing') endAll(own, arrivedMs);
      if (entry === null || entry === 'closing') continue;
      // An entry of the other side closes the open entries, unless long and short positions are separate.
      if (record.isTwoWay !== true && own.some(({ isLong }) => isLong !== entry.isLong)) {
        for (const open of own) open.isReversed = true;
        endAll(own, arrivedMs);
      }
      entries.push(entry);
      own.push(entry);
      if (own.length > MAX_OPEN) own.splice(0, own.length - MAX_OPEN);
      openEntries.set(key, own);
    } else {
      const entry = own.find((open) => open.id === id[row]);
      if (entry !== undefined) entry.cancelMs = Math.min(entry.cancelMs, arrivedMs);
      else reasons.always.add('it cancels orders other than its entries');
    }
  }
  return entries;
}

/** Ends the entries of a position at a time, and empties the list. */
function endAll(own: Entry[], ms: number): void {
  for (const entry of own) entry.exitMs = Math.min(entry.exitMs, ms);
  own.length = 0;
}

/**
 * Returns the entry of a decision. Null for an order that is never placed, and for one that only closes after a denial. `closing` for an
 * order that only closes a position.
 */
function entryAt(
  { instruments, orders, feeds }: RunRecord,
  decisions: RunDecisions,
  terms: EnvelopeTerms,
  decision: number,
  reasons: Reasons,
): Entry | 'closing' | null {
  const row = decisions.id[decision]! - 1;
  const flags = decisions.flags[decision]!;
  const index = decisions.instrument[decision]!;
  const instrument = instruments[index]!;
  const { contract } = instrument;
  const isLong = decisions.sign[decision]! > 0;
  const denial = denialOf(orders, row);
  if (denial !== null && CERTAIN_DENIALS.has(denial)) return null;
  if ((flags & DECISION_FLAGS.reduceOnly) !== 0 || (contract === undefined && !isLong)) {
    // A market order leaves no fill ambiguous, but it may close a different position.
    const isMarket = (flags & DECISION_FLAGS.limit) === 0 && decisions.trigger[decision] === 0;
    (isMarket ? reasons.ifOpen : reasons.always).add('it closes with orders of its own');
    return denial === null ? 'closing' : null;
  }
  if ((flags & DECISION_FLAGS.sizedByEquity) !== 0) reasons.ifOpen.add('its sizes depend on its equity');
  if ((flags & DECISION_FLAGS.trailsOtherwise) !== 0) reasons.always.add('its stops trail in percent, or from a price on');
  const ladder = decisions.ladders.get(decisions.id[decision]!) ?? null;
  if (ladder !== null && contract === undefined && terms.feesIn === 'received')
    reasons.always.add('its entries have several targets, and fees are taken from coins');
  if (contract === undefined && decisions.trigger[decision]! > 0 && (flags & DECISION_FLAGS.limit) !== 0)
    reasons.always.add('it has stop entries with a limit on spot');
  if ((flags & DECISION_FLAGS.timeInForce) !== 0) reasons.always.add('it uses a time in force');
  if (denial !== null) {
    reasons.ifOpen.add('an order was refused that might have been accepted');
    return null;
  }
  const sign = isLong ? 1 : -1;
  const limit = decisions.limit[decision]!;
  const trigger = decisions.trigger[decision]!;
  const untriggeredKind: EntryKind = (flags & DECISION_FLAGS.limit) !== 0 ? 'limit' : 'market';
  const kind: EntryKind = trigger > 0 ? 'trigger' : untriggeredKind;
  const level = sign * (kind === 'trigger' ? trigger : limit);
  const targetTicks = ladder === null ? decisions.takeProfit[decision]! : nearestOf(ladder, isLong);
  const target = targetTicks > 0 ? sign * targetTicks : INFINITY;
  const stop = decisions.stopLoss[decision]! > 0 ? sign * decisions.stopLoss[decision]! : -INFINITY;
  if (kind !== 'market' && (target <= level || stop >= level)) reasons.always.add('an entry has its target or stop on the other side');
  const lots = lotsOf(orders, row, decisions.lots[decision]!);
  return {
    id: decisions.id[decision]!,
    strategy: decisions.strategy[decision]!,
    instrument: index,
    isLong,
    lots: Number.isFinite(lots) && feeds.length > 0 ? lots : 0,
    rungs: ladder === null ? null : rungsOf(ladder, lots, instrument.minLots, sign),
    fromMs: decisions.timeMs[decision]! + terms.latencyMs,
    cancelMs: INFINITY,
    exitMs: INFINITY,
    isReversed: false,
    terms: {
      kind,
      level,
      isChasing: ((flags & DECISION_FLAGS.triggersAbove) !== 0) === isLong,
      collar: kind === 'limit' || limit === 0 ? INFINITY : sign * limit,
      target,
      stop,
      trailing: decisions.trailing[decision]! > 0 ? decisions.trailing[decision]! : 0,
      fillsAtTouch: terms.fillsAtTouch,
      entryMaker: contract?.openMakerFeePpm ?? terms.makerPpm,
      entryTaker: contract?.openTakerFeePpm ?? terms.takerPpm,
      exitMaker: contract?.closeMakerFeePpm ?? terms.makerPpm,
      exitTaker: contract?.closeTakerFeePpm ?? terms.takerPpm,
    },
  };
}

/** Returns the parts of an entry of `lots`. Each is followed like an entry of its own: it ends at its target, or with all others at the stop. */
function rungsOf(ladder: Ladder, lots: number, minLots: number, sign: number): readonly Rung[] {
  const rungs: Rung[] = rungsOfFill(ladder, lots, 0, lots, minLots).map((rung) => ({ at: sign * rung.at, lots: rung.lots }));
  const rest = lots - rungs.reduce((sum, rung) => sum + rung.lots, 0);
  return rest > 0 ? [...rungs, { at: INFINITY, lots: rest }] : rungs;
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
  return slippagePpm === 0 ? slippageTicks : slippageTicks + Math.ceil((Math.abs(ticks) * slippagePpm) / MILLION - 1e-9);
}
