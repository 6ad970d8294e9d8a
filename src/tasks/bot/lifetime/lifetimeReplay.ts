// Replays the records of one lifetime of a bot through its strategies and compares their decisions with the records. Sends nothing.

import { fillFromRecord } from '../../../adapters/journal/records/fillRecord.ts';
import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { scaledFromRecord } from '../../../adapters/journal/records/recordDecimals.ts';
import { assertNever } from '../../../base/assert.ts';
import { InvariantError } from '../../../base/errors.ts';
import { adopt } from '../../../engine/router/adoption.ts';
import type { Engine } from '../../../engine/engine.ts';
import { keptTexts } from '../../../engine/host/keptState.ts';
import {
  applyInbox,
  catchUp,
  deliverInstant,
  finishCatchUp,
  finishInstant,
  stopLive,
  notifyOthers,
  runDueBefore,
} from '../../../engine/loop/liveSteps.ts';
import type { OrderId, VenueOrderId } from '../../../model/order.ts';
import { isWatched } from '../../../orders/drafts.ts';
import { levelOf } from '../../../orders/stops/brackets.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import { NEVER_LEFT } from '../../../orders/restoreBotOrder.ts';
import type { BotOrder } from '../../../orders/botOrder.ts';
import { venueIdOfForeignOrder } from '../account/foreignOrderId.ts';
import { appendFacts, beginInstant, beginMissedInstant } from '../feeds/instants.ts';
import { isIncompleteFact, type BarFact } from '../feeds/barFact.ts';
import { rateFrom, growingRatesOf } from '../feeds/fundingRates.ts';
import { replayHalt } from '../safety/replayHalt.ts';
import { DecisionComparison, dropUnsent } from './decisionComparison.ts';
import { isStopLeg, type LifetimeRecords } from './lifetimeRecords.ts';
import type { LifetimeReplayDeps } from './lifetimeReplayDeps.ts';

/** Codes of verdicts: the decision came too late to be sent, and the bot was re-armed after a kill. */
const MISSED = 'MISSED';
const KILLED = 'KILLED';
type OrderReport = RecordOf<'FILL' | 'STATE' | 'REFUSED' | 'ACK' | 'TOMB'>;

/** Replays one lifetime record by record, and counts what it has compared. */
export class LifetimeReplay {
  instants = 0;
  bars = 0;
  /** Bars that closed while the bot was down. */
  missedBars = 0;
  /** Starts after the first one. */
  restarts = 0;
  /** Why the lifetime differs from that of a bot that never stopped; null: it does not. */
  interruption: string | null = null;
  readonly comparison: DecisionComparison;
  readonly #deps: LifetimeReplayDeps;
  readonly #engine: Engine;
  readonly #recorded: LifetimeRecords;
  /** Venue order id of an adopted order. The next INTENT is that order. */
  #adoptedVenueId: VenueOrderId | null = null;
  /** Orders that were sent and not yet acknowledged when a process ended. */
  readonly #unacknowledged = new Set<number>();
  /** Time of the newest instant with bars. Stops that trigger at this time were triggered by those bars. */
  #instantMs = NaN;
  /** The highest order number up to now. */
  #lastOrder = 0;

  constructor(deps: LifetimeReplayDeps) {
    this.#deps = deps;
    this.#engine = deps.engine;
    this.#recorded = deps.recorded;
    this.comparison = new DecisionComparison(deps);
  }

  /** Replays up to the last record. */
  run(): void {
    const { risk } = this.#engine;
    const { records } = this.#recorded;
    risk.halts.isReplayed = true;
    this.#engine.recordedDecisions = this.comparison;
    this.#setTrades(true);
    for (let index = 0; index < records.length; index++) {
      if (this.#deps.onRecord?.(index) === false) break;
      this.comparison.recordIndex = index;
      this.#replayRecord(records[index]!);
      if (this.#deps.stopsAtDifference && this.comparison.difference !== null) break;
    }
    this.#setTrades(false);
    this.#engine.recordedDecisions = null;
    risk.halts.isReplayed = false;
    this.#engine.orders.restore({ lastOrder: this.#recorded.lastOrder, orders: [] }, () => NaN, 0);
  }

  /** Replays one record. Kinds that change nothing in the engine are skipped. */
  #replayRecord(record: JournalRecord): void {
    switch (record.k) {
      case 'INSTANT':
        return this.#replayInstant(record);
      case 'VERDICT':
      case 'INTENT':
        return this.#replayDecision(record);
      case 'DRAFT':
        return this.#replayDraft(record);
      case 'CONFIG':
        return this.#replayRestart();
      case 'STOP':
        return this.#replayStop(record);
      case 'HALT':
      case 'RESUME':
        return this.#step(record.t, () => replayHalt(this.#engine, record));
      case 'FUNDED':
        return this.#replayFunding(record);
      case 'RATES':
        return this.#replayRates(record);
      case 'HUMAN':
        if (record.what === 'adopt') this.#adoptedVenueId = venueIdOfForeignOrder(record.id) as VenueOrderId;
        return;
      case 'ACK':
      case 'REFUSED':
      case 'TOMB':
      case 'STATE':
      case 'FILL':
        if (record.cid !== null) this.#applyReport(record, record.cid);
        return;
      case 'SEGMENT':
      case 'SEND':
      case 'EVID':
      case 'CURSOR':
      case 'SETTING':
      case 'KEPT':
      case 'AMEND':
      // The plan already has the values, each with the time at which it becomes visible.
      case 'SERIES':
        return;
      default:
        return assertNever(record);
    }
  }

  /** Sets whether the bot trades. Before it does, strategies are notified at once. */
  #setTrades(isTrading: boolean): void {
    this.#engine.defersCallbacks = isTrading && this.#deps.defersCallbacks === true;
  }
  #step(timeMs: number, act: () => void): void {
    this.comparison.beginStep(timeMs);
    this.#runGuarded(() => applyInbox(this.#engine, timeMs, act));
  }

  /** Runs `act`. As in the live bot, a strategy that throws is stopped, and `finish` continues with the others. */
  #runGuarded(act: () => void, finish: () => void = () => {}): void {
    try {
      act();
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      this.#engine.runs[this.#engine.currentStrategy]!.fail();
      const others = (): void => {
        notifyOthers(this.#engine);
        finish();
      };
      this.#runGuarded(others, finish);
    }
  }

  /** Replays an instant: the bars are appended, and strategies decide if they did so then. */
  #replayInstant({ atMs, decided, bars, t }: RecordOf<'INSTANT'>): void {
    const engine = this.#engine;
    this.bars += bars.length;
    if (this.restarts > 0 && bars.some(isIncompleteFact)) this.#noteInterruption('trades were missed');
    const append = (): void => appendFacts(engine, bars as unknown as readonly BarFact[]);
    this.comparison.beginStep(t);
    this.#instantMs = bars.length > 0 ? t : NaN;
    if (decided) {
      this.instants++;
      this.#runGuarded(
        () => {
          runDueBefore(engine, t);
          beginInstant(engine, atMs, append);
          deliverInstant(engine, atMs);
        },
        () => finishInstant(engine, atMs),
      );
      // As in the live bot: a strategy whose state cannot be kept has failed.
      this.#runGuarded(() => void keptTexts(engine));
      return;
    }
    this.missedBars += bars.length;
    if (bars.length > 0) this.#noteInterruption('bars went by without a decision');
    if (engine.timers.nextMs <= atMs) this.#noteInterruption('timers fell due while the bot was down');
    this.#runGuarded(
      () => {
        beginMissedInstant(engine, t, append);
        catchUp(engine, atMs, t);
      },
      () => finishCatchUp(engine, atMs),
    );
    this.#setTrades(true);
  }

  /** Handles a start: the process before it has ended. Callbacks and drafts wait until the new process has passed its audits. */
  #replayRestart(): void {
    this.restarts++;
    this.#setTrades(false);
    this.#engine.drafts.hold();
    this.#engine.callbacks.holdBack();
    for (const { state, id } of this.#engine.orders.active()) if (state === STATE.sent) this.#unacknowledged.add(id);
    this.#engine.orders.restore({ lastOrder: this.#lastOrder, orders: [] }, () => NaN, 0);
  }

  /** Replays the end of a process. `cancels`: the bot then cancelled all of its orders. */
  #replayStop({ cancels, t }: RecordOf<'STOP'>): void {
    const engine = this.#engine;
    this.#noteInterruption('the bot was stopped');
    engine.drafts.hold();
    if (cancels) {
      this.#step(t, () => engine.drafts.withdrawAll(() => true));
      const newestFirst = (): readonly BotOrder[] => engine.orders.active().toReversed();
      this.#step(t, () => newestFirst().forEach((order) => engine.orders.cancel(order, engine.nowMs)));
    }
    this.comparison.beginStep(t);
    const notifyStop = (): void => stopLive(engine);
    this.#runGuarded(notifyStop, notifyStop);
  }
  /** Notes the first reason why this lifetime differs from one that never stopped. */
  #noteInterruption(reason: string): void {
    this.interruption ??= reason;
  }

  /** Handles a verdict or an order. If the strategies have not made the decision yet, time passes until the record first. */
  #replayDecision(record: RecordOf<'VERDICT'> | RecordOf<'INTENT'>): void {
    if (record.k === 'INTENT' && this.#adoptedVenueId !== null) return this.#replayAdoption(record, this.#adoptedVenueId);
    const order = this.#recorded.order(record.order)!;
    this.#lastOrder = Math.max(this.#lastOrder, record.order);
    if (!order.isReplayed) this.#step(record.t, () => {});
    if (!order.isReplayed && isStopLeg(order.intent)) this.#triggerStop(order.intent.parent, record.t);
    if (!order.isReplayed) this.#sendStopEntry(record.order as OrderId, record.t);
    const isOfKill = record.k === 'VERDICT' && record.code === KILLED;
    if (isOfKill && !order.isReplayed) this.#step(record.t, () => this.#engine.drafts.dropAll(KILLED));
    if (!order.isReplayed && (record.k === 'INTENT' || !record.ok)) this.comparison.countMissingDecision(order, record);
    if (record.k === 'VERDICT' && record.code === MISSED && record === order.verdict) {
      this.#noteInterruption('a decision came too late');
      const lateOrder = this.#engine.orders.get(record.order as OrderId);
      if (lateOrder !== undefined) this.#step(record.t, () => dropUnsent(this.#engine, lateOrder));
    }
  }

  #replayDraft(record: RecordOf<'DRAFT'>): void {
    const order = this.#recorded.order(record.order)!;
    this.#lastOrder = Math.max(this.#lastOrder, record.order);
    if (!order.isDrafted) this.#step(record.t, () => {});
    if (!order.isDrafted) this.comparison.countMissingDraft(order, record);
  }

  /** Replays the adoption of a foreign order under the number that it had. */
  #replayAdoption({ symbol, strategy, side, qty, price, reduceOnly, order, t }: RecordOf<'INTENT'>, venueId: VenueOrderId): void {
    const engine = this.#engine;
    this.#adoptedVenueId = null;
    const instrument = engine.instruments.findIndex(({ id }) => id === symbol);
    const recordedOrder = this.#recorded.order(order);
    if (recordedOrder !== undefined) recordedOrder.isReplayed = true;
    if (instrument < 0 || qty === null || price === null) return;
    const { quantityDigits, priceDigits } = engine.instruments[instrument]!;
    const terms = {
      instrument,
      side,
      lots: scaledFromRecord(qty, quantityDigits),
      limit: scaledFromRecord(price, priceDigits),
      reduceOnly,
    };
    const setNumber = (adopted: BotOrder): void => void (adopted.id = order as OrderId);
    this.#step(t, () => void adopt(engine, strategy, terms, venueId, setNumber));
  }

  /** Applies what the exchange reported about an order, in a reply or a list. */
  #applyReport(record: OrderReport, cid: string): void {
    const engine = this.#engine;
    const number = this.#recorded.numberOf(cid);
    if (number === undefined) return record.k === 'FILL' ? this.#replayLiquidation(record) : undefined;
    const id = number as OrderId;
    const order = engine.orders.get(id);
    if (order === undefined) return;
    const isUnacknowledged = order.state === STATE.sent || order.state === STATE.unknown;
    if (record.k === 'FILL') this.#step(record.t, () => engine.filled(id, fillFromRecord(record, order.instrument)));
    else if (record.k === 'STATE') this.#replayState(order, number, record);
    else if (record.k === 'REFUSED') this.#replayRefusal(id, record);
    else if (record.k === 'ACK') this.#replayAck(order, record, isUnacknowledged);
    else if (isUnacknowledged) {
      if (this.#unacknowledged.has(id)) this.#noteInterruption('an order was lost with the process');
      this.#step(record.t, () => void engine.outcomes.resolve(id, null));
    }
  }

  /** Replays an acknowledgement: of an order that waits for one, or of one that was believed to have no effect. */
  #replayAck(order: BotOrder, { orderId, t }: RecordOf<'ACK'>, isUnacknowledged: boolean): void {
    const engine = this.#engine;
    const { id, state } = order;
    const venueId = orderId === '' ? null : (orderId as VenueOrderId);
    // Without an id, a fill implied this ACK. The record of the fill follows.
    if (venueId === null) return;
    if (isUnacknowledged || (state !== STATE.done && order.venueId === null)) this.#step(t, () => engine.acked(id, venueId, t));
    else if (state === STATE.done && order.isWithoutEffect) this.#step(t, () => engine.arrivedLate(id, venueId, t));
  }

  #replayRefusal(id: OrderId, { code, t }: RecordOf<'REFUSED'>): void {
    const engine = this.#engine;
    if (code === NEVER_LEFT) this.#noteInterruption('an order was lost with the process');
    this.#step(t, () => (/^-?\d+$/.test(code) ? engine.refused(id, code) : engine.notSent(id, code)));
  }

  /** Replays a change of the lifecycle that no other record implies. */
  #replayState({ id, state }: BotOrder, number: number, { lifecycle, reason, t }: RecordOf<'STATE'>): void {
    const engine = this.#engine;
    if (lifecycle === 'unknown') {
      // A working order becomes unknown when the exchange has given its id to another order as well.
      const isContested = state === STATE.working || state === STATE.cancelSent;
      return this.#step(t, () => engine.outcomeUnknown(id, '', isContested));
    }
    if (lifecycle === 'cancelSent') return this.#replayCancel(id, number, t);
    if (lifecycle !== 'done') return;
    if (state === STATE.draft) return this.#step(t, () => void engine.drafts.withdraw(engine.orders.get(id)!));
    // A slice of a kill whose request was never sent, or had no effect.
    if (reason === 'notSent' && state === STATE.sent) this.#step(t, () => engine.notSent(id, 'it was not sent'));
    // An end by a fill has the time of that fill, as the exchange reported it.
    const endMs = reason === 'filled' ? this.#recorded.order(number)?.lastFillMs || t : t;
    if (reason === 'filled' || reason === 'canceled' || reason === 'rejected' || reason === 'expired')
      this.#step(t, () => engine.ended(id, reason, endMs));
  }

  /** Replays a cancel that the replayed decisions have not made: of a stop, or else one that the strategy failed to repeat. */
  #replayCancel(id: OrderId, number: number, t: number): void {
    const cancel = this.#recorded.cancelOf(number);
    if (cancel === undefined || cancel.t > t) return;
    this.#step(t, () => {});
    const entry = this.#engine.orders.get(id)?.parent || id;
    if (!cancel.isReplayed && this.#isCancelOfStop(entry)) this.#triggerStop(entry, t);
    if (cancel.isReplayed) return;
    cancel.isReplayed = true;
    this.comparison.countMissingCancel(number);
    const order = this.#engine.orders.get(id);
    if (order !== undefined) this.#step(t, () => this.comparison.runWithoutComparing(() => this.#engine.orders.cancel(order, t)));
  }

  /** True when a stop triggered inside a row. A live bot triggers stops only at instants; a driver that steps inside rows also between them. */
  #isMidRow(t: number): boolean {
    return t !== this.#instantMs;
  }
  /**
   * True when a local stop of `entryId` made the cancel at the current record: the order of the stop follows it. If the process ended
   * before that order, only a driver that steps inside rows can have made it. The cancel of a live bot must not count as such a driver's.
   */
  #isCancelOfStop(entryId: number): boolean {
    const { recordIndex } = this.comparison;
    const isLeg = (record: JournalRecord): boolean => record.k === 'INTENT' && isStopLeg(record) && record.parent === entryId;
    return this.#deps.defersCallbacks === true || this.#recorded.records.some((record, index) => index > recordIndex && isLeg(record));
  }
  /** Triggers a stop inside a row. Its recorded order, or a cancel of it, shows that it triggered. */
  #triggerStop(entryId: number, t: number): void {
    const engine = this.#engine;
    for (let index = 0; this.#isMidRow(t) && index < engine.instruments.length; index++) {
      const bracket = engine.brackets.of({ instrumentIndex: index, id: entryId });
      if (bracket !== undefined) return this.#step(t, () => engine.bracketManager.hit(bracket, levelOf(bracket)));
    }
  }
  /** Sends a stop entry that triggered inside a row. Its recorded order shows that it did. */
  #sendStopEntry(id: OrderId, t: number): void {
    const { drafts, orders } = this.#engine;
    const entry = this.#isMidRow(t) ? orders.drafts.find(id) : undefined;
    if (entry !== undefined && isWatched(entry)) this.#step(t, () => drafts.entries.fire(entry, entry.triggerTicks));
  }

  /** Handles a fill of a liquidation, which the exchange itself has ordered. */
  #replayLiquidation(record: RecordOf<'FILL'>): void {
    const engine = this.#engine;
    const index = engine.instruments.findIndex(({ id }) => id === record.symbol);
    if (index < 0) return;
    this.#step(record.t, () => engine.liquidated(index, record.side === 'sell', fillFromRecord(record, engine.instruments[index]!)));
  }

  #replayFunding({ symbol, long, amount, paidMs, t }: RecordOf<'FUNDED'>): void {
    const engine = this.#engine;
    const index = engine.instruments.findIndex(({ id }) => id === symbol);
    if (index >= 0)
      this.#step(t, () => engine.funded(index, long, scaledFromRecord(amount, engine.instruments[index]!.quoteDigits), paidMs));
  }

  #replayRates({ symbol, times, rates }: RecordOf<'RATES'>): void {
    const knownRates = growingRatesOf(this.#deps.plan, symbol);
    knownRates.removeFrom(times[0]!); // A start at a kept point had no rates, and journalled all that it knew.
    times.forEach((timeMs, index) => knownRates.set(timeMs, rateFrom(rates[index]!)));
  }
}
