// The entries that strategies asked for in a run, each with its bracket and with what ends it: a cancel or an exit.

import { DECISION_FLAGS, DECISIONS, type RunDecisions } from '../../model/run/decisions.ts';
import { ENDINGS, type OrderColumns, type RunRecord } from '../../model/run/run.ts';
import type { EntryKind, EntryTerms } from './orderPath.ts';
import type { EnvelopeTerms } from './terms.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

const MILLION = 1_000_000;
const ORDER = DECISIONS.indexOf('order');
const EXIT = DECISIONS.indexOf('exit');
const DENIED = ENDINGS.indexOf('denied');
/** Denials that depend on the order alone, so that no order of events changes them. */
const CERTAIN_DENIALS: ReadonlySet<string> = new Set(['BAD_INPUT', 'QTY_MAX', 'QTY_MIN', 'NOTIONAL_MAX', 'NOTIONAL_MIN', 'COLLAR']);

export interface Entry {
  readonly id: number;
  readonly strategy: number;
  readonly instrument: number;
  readonly isLong: boolean;
  readonly lots: number;
  readonly terms: EntryTerms;
  readonly fromMs: number;
  /** When its strategy cancels it, or leaves the position; Infinity: never. */
  cancelMs: number;
  exitMs: number;
  /** True when that exit is an entry of the other side: it opens a position where nothing is left to close. */
  isReversed: boolean;
}

/** Why a statement about a run is not a bound, in words. */
export class Reasons {
  /** Whatever the fills were. */
  readonly always = new Set<string>();
  /** Only if a fill was left open: then what came after it might have been otherwise. */
  readonly ifOpen = new Set<string>();
}

/** Returns the entries in the order in which they were asked for. */
export function entriesOf(record: RunRecord, decisions: RunDecisions, terms: EnvelopeTerms, reasons: Reasons): readonly Entry[] {
  const found: Entry[] = [];
  /** By strategy and instrument: the entries that the next exit ends. */
  const alive = new Map<number, Entry[]>();
  const { length, kind, id, strategy, instrument, timeMs } = decisions;
  for (let at = 0; at < length; at++) {
    const arrivedMs = timeMs[at]! + terms.latencyMs;
    const key = strategy[at]! * 65_536 + instrument[at]!;
    const own = alive.get(key) ?? [];
    if (kind[at] === EXIT) endAll(own, arrivedMs);
    else if (kind[at] === ORDER) {
      const entry = entryAt(record, decisions, terms, at, reasons);
      if (entry === 'closing') endAll(own, arrivedMs);
      if (entry === null || entry === 'closing') continue;
      // An entry of the other side closes what is there, except with separate positions.
      if (record.isTwoWay !== true && own.some(({ isLong }) => isLong !== entry.isLong)) {
        for (const each of own) each.isReversed = true;
        endAll(own, arrivedMs);
      }
      found.push(entry);
      own.push(entry);
      if (own.length > 8) own.splice(0, own.length - 8);
      alive.set(key, own);
    } else {
      const entry = own.find((each) => each.id === id[at]);
      if (entry !== undefined) entry.cancelMs = Math.min(entry.cancelMs, arrivedMs);
      else reasons.always.add('it cancels orders other than its entries');
    }
  }
  return found;
}

function endAll(own: Entry[], ms: number): void {
  for (const entry of own) entry.exitMs = Math.min(entry.exitMs, ms);
  own.length = 0;
}

/** Null: an order that is never placed. */
function entryAt(
  { instruments, orders, feeds }: RunRecord,
  decisions: RunDecisions,
  terms: EnvelopeTerms,
  at: number,
  reasons: Reasons,
): Entry | 'closing' | null {
  const row = decisions.id[at]! - 1;
  const flags = decisions.flags[at]!;
  const index = decisions.instrument[at]!;
  const instrument = instruments[index]!;
  const { contract } = instrument;
  const isLong = decisions.sign[at]! > 0;
  const denial = denialOf(orders, row);
  if (denial !== null && CERTAIN_DENIALS.has(denial)) return null;
  if ((flags & DECISION_FLAGS.reduceOnly) !== 0 || (contract === undefined && !isLong)) {
    // A market order leaves nothing open, but what it closes may be another lot.
    const isMarket = (flags & DECISION_FLAGS.limit) === 0 && decisions.trigger[at] === 0;
    (isMarket ? reasons.ifOpen : reasons.always).add('it closes with orders of its own');
    return denial === null ? 'closing' : null;
  }
  if ((flags & DECISION_FLAGS.sizedByEquity) !== 0) reasons.ifOpen.add('its sizes depend on its equity');
  if ((flags & DECISION_FLAGS.trailsOtherwise) !== 0) reasons.always.add('its stops trail in percent, or from a price on');
  if ((flags & DECISION_FLAGS.ladder) !== 0) reasons.always.add('its entries have several targets');
  if (contract === undefined && decisions.trigger[at]! > 0) reasons.always.add('it has stop entries on spot');
  if ((flags & DECISION_FLAGS.timeInForce) !== 0) reasons.always.add('it uses a time in force');
  if (denial !== null) {
    reasons.ifOpen.add('an order was refused that might have been accepted');
    return null;
  }
  const sign = isLong ? 1 : -1;
  const limit = decisions.limit[at]!;
  const trigger = decisions.trigger[at]!;
  const kind: EntryKind = trigger > 0 ? 'trigger' : (flags & DECISION_FLAGS.limit) !== 0 ? 'limit' : 'market';
  const level = sign * (kind === 'trigger' ? trigger : limit);
  const target = decisions.takeProfit[at]! > 0 ? sign * decisions.takeProfit[at]! : INFINITY;
  const stop = decisions.stopLoss[at]! > 0 ? sign * decisions.stopLoss[at]! : -INFINITY;
  if (kind !== 'market' && (target <= level || stop >= level)) reasons.always.add('an entry has its target or stop on the other side');
  const lots = lotsOf(orders, row, decisions.lots[at]!);
  return {
    id: decisions.id[at]!,
    strategy: decisions.strategy[at]!,
    instrument: index,
    isLong,
    lots: Number.isFinite(lots) && feeds.length > 0 ? lots : 0,
    fromMs: decisions.timeMs[at]! + terms.latencyMs,
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
      trailing: decisions.trailing[at]! > 0 ? decisions.trailing[at]! : 0,
      fillsAtTouch: terms.fillsAtTouch,
      entryMaker: contract?.openMakerFeePpm ?? terms.makerPpm,
      entryTaker: contract?.openTakerFeePpm ?? terms.takerPpm,
      exitMaker: contract?.closeMakerFeePpm ?? terms.makerPpm,
      exitTaker: contract?.closeTakerFeePpm ?? terms.takerPpm,
    },
  };
}

/** The code with which the bot or the venue refused an order; null: it was placed. */
function denialOf({ length, ending, code, texts }: OrderColumns, row: number): string | null {
  if (row >= length) return null;
  const isRefused = ending[row] === DENIED || ENDINGS[ending[row]!] === 'refused';
  return isRefused ? (texts[code[row]!] ?? '') : null;
}

/** An order by amount has its lots only once it has filled. */
function lotsOf({ length, lots, quoteUnits, filledLots }: OrderColumns, row: number, asked: number): number {
  if (row >= length) return asked;
  return quoteUnits[row]! > 0 ? filledLots[row]! : lots[row]!;
}

/** Returns the ticks by which a taker is worse off at a price. */
export function slipTicks({ slippageTicks, slippagePpm }: EnvelopeTerms, ticks: number): number {
  return slippagePpm === 0 ? slippageTicks : slippageTicks + Math.ceil((Math.abs(ticks) * slippagePpm) / MILLION - 1e-9);
}
