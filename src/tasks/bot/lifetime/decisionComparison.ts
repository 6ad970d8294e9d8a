// Compares the decisions of a replay with the journal: recorded orders get their recorded result, and differences are counted.

import { largestOf } from '../../../base/number/extremes.ts';
import { draftOf, guardsOf, sizesOf } from '../../../adapters/journal/records/orderText.ts';
import type { RecordOf } from '../../../adapters/journal/records/records.ts';
import { restoredDraft, sentOrder, writeTerms } from '../../../adapters/journal/records/restoredOrders.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { OrderId } from '../../../model/order.ts';
import { BotOrder } from '../../../orders/botOrder.ts';
import { isWatched } from '../../../orders/drafts.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import { restoreBotOrder } from '../../../orders/restoreBotOrder.ts';
import { REPLACES } from '../../../orders/conflicts.ts';
import type { Waits } from '../../../ports/journal.ts';
import { restoreSlice } from '../journal/restoreEngine.ts';
import type { LifetimeReplayDeps } from './lifetimeReplayDeps.ts';
import { createdMsOf, isKillSlice, type OrderContent, type RecordedOrder } from './lifetimeRecords.ts';
import {
  cancelText,
  draftText,
  hasSameProtection,
  intentText,
  protectionText,
  replayedOrderText,
  riskVerdictText,
} from './decisionText.ts';

/** The first decision that differs. */
export interface ReplayDifference {
  /** Number of the record, or of the next record if the journal does not contain the replayed decision. */
  readonly seq: number;
  readonly timeMs: number;
  readonly recorded: string;
  readonly replayed: string;
}

/** A decision that is not in the journal because the process ended before it was written. */
export interface HeldDecision {
  readonly kind: 'sent' | 'denied' | 'draft' | 'cancel';
  readonly order: BotOrder;
  readonly id: OrderId;
  /** Code of a denial. */
  readonly code: string;
  /** Set for a draft. */
  readonly waits: Waits | null;
  /** The instant of the decision, ms UTC. */
  readonly decidedMs: number;
}

/** Code of the denial of an order that the journal does not contain. */
const CHANGED_CODE = 'CHANGED';
const NOTHING = 'nothing';

/** The comparison of one replay. */
export class DecisionComparison {
  /** Orders, cancels and denials that were decided again as they were recorded. */
  decisions = 0;
  /** The first difference; null: all decisions are equal up to now. */
  difference: ReplayDifference | null = null;
  /** Decisions that the journal does not contain because it ends before them, in order. */
  readonly held: HeldDecision[] = [];
  /** Recorded stop entries that the replay did not ask for. They wait as recorded until the start ends them. */
  readonly unaskedDrafts = new Set<OrderId>();
  /** Position of the current record. */
  recordIndex = 0;
  /** The instant of the current step, ms UTC. */
  #stepMs = -Infinity;
  /** The value of `#isAtEnd` for the current step; null: not computed yet. */
  #isAtEndOfStep: boolean | null = null;
  /** True while `runWithoutComparing` runs. */
  #ignoresCancels = false;
  /** True while risk itself decides, because the journal does not contain the decision. */
  #isAfterEnd = false;
  /** How many orders were denied because the journal does not contain them. */
  #unrecordedOrders = 0;
  /** By instant: how many recorded orders differ, and how many replayed ones. */
  readonly #differencesByInstant = new Map<number, { recorded: number; replayed: number }>();
  readonly #deps: LifetimeReplayDeps;

  constructor(deps: LifetimeReplayDeps) {
    this.#deps = deps;
    const { journal, recorded } = deps;
    journal.signMs = ({ id, createdMs }) => recorded.order(id)?.send?.signMs ?? createdMs;
    journal.denied = (order, code) => this.#compareDenial(order as BotOrder, code);
    journal.drafted = (order, waits) => this.#compareDraft(order as BotOrder, waits);
    journal.submitted = (order) => (this.#isAfterEnd ? this.#holdDecision('sent', order as BotOrder) : 0);
    journal.cancelSent = (order) => this.#compareCancel(order as BotOrder);
  }

  /** Number of decisions that differ. A recorded decision that the replay replaces by another counts once. */
  get differences(): number {
    return [...this.#differencesByInstant.values()].reduce((sum, { recorded, replayed }) => sum + Math.max(recorded, replayed), 0);
  }

  /** Begins the step of an instant, ms UTC. */
  beginStep(stepMs: number): void {
    this.#stepMs = stepMs;
    this.#isAtEndOfStep = null;
  }
  /** True when the journal may end inside the current step: decisions of it may not be written. */
  get #isAtEnd(): boolean {
    return (this.#isAtEndOfStep ??= this.#deps.recorded.endsIn(this.recordIndex, this.#stepMs));
  }
  /**
   * True when the process may have ended before it wrote this order. It wrote decisions in their order, so one of the same instant that is still to
   * be replayed shows that it did not make this one.
   */
  #mayBeUnwritten({ createdMs }: BotOrder): boolean {
    return this.#isAtEnd && !this.#deps.recorded.hasUnreplayedAt(createdMs, this.recordIndex);
  }
  /** Runs `act` without comparing its cancels. */
  runWithoutComparing(act: () => void): void {
    this.#ignoresCancels = true;
    try {
      act();
    } finally {
      this.#ignoresCancels = false;
    }
  }

  /**
   * Gives an order of the replay its recorded result: it is denied again, sent again, or waits. One that the journal does not contain is denied,
   * or held where the journal ends. Returns its id.
   */
  submitAsRecorded(order: BotOrder): OrderId {
    const { engine } = this.#deps;
    // A draft that waits for other orders is not an order yet.
    const isReplacement = engine.orders.precheck(order, engine.lastTicks(order.instrumentIndex)) === REPLACES;
    if (isReplacement && this.#hadToWait(order)) return engine.drafts.replace(order);
    const recordedOrder = this.#recordedOrderOf(order);
    if (recordedOrder === undefined) {
      if (this.#mayBeUnwritten(order)) return this.#decideAfterEnd(order);
      this.#rejectUnrecorded(order);
      const { id } = order;
      engine.orders.deny(order, CHANGED_CODE);
      engine.notifyOrder(order);
      return id;
    }
    order.id = recordedOrder.number as OrderId;
    const { verdict, intent, send } = recordedOrder;
    const isMissed = verdict?.code === 'MISSED';
    // After a torn write the SEND may be missing. An order without an INTENT was not sent.
    const mayBeSent = send !== null || (intent !== null && this.#deps.isTorn);
    const isApproved = !isMissed && verdict?.ok !== false;
    // The process ended before the request of an approved order could leave.
    if (isApproved && !mayBeSent && this.#isAtEnd) return this.#decideAfterEnd(order);
    recordedOrder.isReplayed = true;
    if (intent !== null) this.#compareOrder(order, intent);
    // Count a verdict, and the order if it was approved.
    this.decisions += intent === null ? 1 : 2;
    if (verdict !== null && !verdict.ok && !isMissed) {
      engine.orders.deny(order, verdict.code ?? 'BAD_INPUT');
      engine.notifyOrder(order);
      return recordedOrder.number as OrderId;
    }
    if (order.triggerTicks > 0) engine.triggerOrders.onSend();
    engine.orders.submit(engine.risk.approvedBefore(order, order.createdMs, engine.lastTicks(order.instrumentIndex)));
    return recordedOrder.number as OrderId;
  }

  /** Returns the recorded order that a replayed order corresponds to. */
  #recordedOrderOf(order: BotOrder): RecordedOrder | undefined {
    const { recorded } = this.#deps;
    const sameNumber = recorded.order(order.id);
    if (sameNumber !== undefined && !sameNumber.isReplayed && createdMsOf(sameNumber) === order.createdMs) {
      const { intent } = sameNumber;
      if (intent === null || intent.fp === sizesOf(order).fp) return sameNumber;
    }
    return recorded.orderLike(contentOf(order));
  }

  /** Compares an order with its record. The recorded terms win, because the order at the exchange has them. */
  #compareOrder(order: BotOrder, intent: RecordOf<'INTENT'>): void {
    const guards = guardsOf(order);
    const isSame =
      replayedOrderText(order) === intentText(intent) && hasSameProtection(guards, intent) && order.amends === (intent.amends ?? 0);
    if (isSame) return;
    this.#noteDifference(
      'recorded',
      order.createdMs,
      intent.seq,
      `${intentText(intent)} ${protectionText(intent)}`,
      `${replayedOrderText(order)} ${protectionText(guards)}`,
    );
    writeTerms(order, intent);
    order.amends = (intent.amends ?? 0) as OrderId;
  }

  /** Notes an order that the journal does not contain. It was never sent, so the caller denies it. */
  #rejectUnrecorded(order: BotOrder): void {
    const other = this.#deps.recorded.orderAt(order.createdMs);
    const recordedTerms = other === undefined ? NOTHING : recordedText(other);
    this.#noteDifference('replayed', order.createdMs, this.#nextSeq(), recordedTerms, replayedOrderText(order));
    // A number below zero belongs to no recorded order, and `#compareDenial` leaves it out.
    this.#unrecordedOrders++;
    order.id = -this.#unrecordedOrders as OrderId;
  }

  /** Handles an order after the end of the journal: risk decides, and the order waits until the start is complete. */
  #decideAfterEnd(order: BotOrder): OrderId {
    const { engine } = this.#deps;
    const recordedOrder = this.#ownNumber(order);
    engine.recordedDecisions = null;
    this.#isAfterEnd = true;
    try {
      return engine.submit(order);
    } finally {
      engine.recordedDecisions = this;
      this.#isAfterEnd = false;
      // The journal may contain its verdict or intent, but its request was never sent.
      if (recordedOrder !== undefined) recordedOrder.isReplayed = true;
    }
  }

  /** Gives an order another number if the journal has given its own to another order. Returns the recorded order of its number. */
  #ownNumber(order: BotOrder): RecordedOrder | undefined {
    const { engine, recorded } = this.#deps;
    const recordedOrder = recorded.order(order.id);
    if (recordedOrder === undefined || !isOfAnotherOrder(recordedOrder, order)) return recordedOrder;
    const nextNumber = Math.max(recorded.lastOrder, largestOf(this.held.map(({ id }) => id))) + 1;
    engine.orders.restore({ lastOrder: nextNumber, orders: [] }, () => NaN, 0);
    order.id = nextNumber as OrderId;
    return undefined;
  }

  /**
   * Gives an order that asks to wait as a draft its recorded number and result: null if it waited, or the code of its denial. One that the journal
   * does not contain is a difference. Undefined: the journal ends before it, so the engine decides.
   */
  decideDraft(order: BotOrder): string | null | undefined {
    const { recorded } = this.#deps;
    const draft = this.#recordedDraftOf(order);
    if (draft !== undefined) {
      order.id = draft.order as OrderId;
      return null;
    }
    const sameNumber = recorded.order(order.id);
    const wasDenied = sameNumber?.verdict?.ok === false && !sameNumber.isReplayed && createdMsOf(sameNumber) === order.createdMs;
    if (wasDenied && sameNumber.draft === null) return sameNumber.verdict!.code ?? 'BAD_INPUT';
    if (this.#mayBeUnwritten(order)) return void this.#ownNumber(order);
    this.#rejectUnrecorded(order);
    return CHANGED_CODE;
  }
  /** Returns the recorded draft that a draft of the replay corresponds to. */
  #recordedDraftOf(order: BotOrder): RecordOf<'DRAFT'> | undefined {
    return this.#deps.recorded.draftLike(order.id, { ...contentOf(order), isWatched: isWatched(order) })?.draft ?? undefined;
  }

  /** Holds a decision. Returns 0: a held decision has no record number. */
  #holdDecision(kind: HeldDecision['kind'], order: BotOrder, details: Partial<HeldDecision> = {}): number {
    const { id, createdMs: decidedMs } = order;
    this.held.push({ kind, order, id, code: '', decidedMs, waits: null, ...details });
    return 0;
  }

  /** True when the recorded order waited as well, or when the journal ends before it. */
  #hadToWait(order: BotOrder): boolean {
    if (this.#recordedDraftOf(order) !== undefined) return true;
    const recordedOrder = this.#deps.recorded.order(order.id);
    const isRecorded = recordedOrder !== undefined && createdMsOf(recordedOrder) === order.createdMs;
    return !isRecorded && this.#mayBeUnwritten(order);
  }

  /** Compares a draft with its record. Returns 0: the replay writes no record. */
  #compareDraft(order: BotOrder, waits: Waits): number {
    const recordedOrder = this.#deps.recorded.order(order.id);
    const text = draftText(draftOf(order, waits));
    if (recordedOrder?.draft && !recordedOrder.isDrafted) {
      const { draft } = recordedOrder;
      recordedOrder.isDrafted = true;
      this.decisions++;
      const guards = guardsOf(order);
      if (draftText(draft) !== text || !hasSameProtection(guards, draft)) {
        const [recorded, replayed] = [`${draftText(draft)} ${protectionText(draft)}`, `${text} ${protectionText(guards)}`];
        this.#noteDifference('recorded', order.createdMs, draft.seq, recorded, replayed);
        writeTerms(order, draft);
      }
    } else if (this.#isAtEnd) this.#holdDecision('draft', order, { waits: { ...waits, ahead: [...waits.ahead] } });
    else this.#noteDifference('replayed', order.createdMs, this.#nextSeq(), NOTHING, text);
    return 0;
  }

  /** Compares a denial with its record. Returns 0: the replay writes no record. */
  #compareDenial(order: BotOrder, code: string): number {
    const recordedOrder = this.#deps.recorded.order(order.id);
    if (order.id < 0 || recordedOrder?.isReplayed) return 0;
    if (recordedOrder?.verdict && !recordedOrder.verdict.ok && !this.#isAfterEnd) {
      recordedOrder.isReplayed = true;
      this.decisions++;
    } else if (this.#isAtEnd) this.#holdDecision('denied', Object.assign(new BotOrder(), order), { code });
    else this.#noteDifference('replayed', order.createdMs, this.#nextSeq(), NOTHING, riskVerdictText({ order: order.id, code }));
    return 0;
  }
  /** Counts a recorded draft that the replay did not make. A stop entry waits as recorded, and its strategy is notified. */
  countMissingDraft(order: RecordedOrder, draft: RecordOf<'DRAFT'>): void {
    const { engine } = this.#deps;
    order.isDrafted = true;
    this.#noteDifference('recorded', draft.createdMs, draft.seq, draftText(draft), NOTHING);
    const { order: waitingOrder } = restoredDraft({ draft, ended: new Map() }, engine.instruments);
    if (!isWatched(waitingOrder)) return;
    this.unaskedDrafts.add(waitingOrder.id);
    engine.drafts.addRecorded(waitingOrder);
  }

  /** Counts a recorded decision that the replay did not make. If it was an order, the order stays valid and its strategy is notified. */
  countMissingDecision(order: RecordedOrder, record: RecordOf<'VERDICT'> | RecordOf<'INTENT'>): void {
    const { engine } = this.#deps;
    order.isReplayed = true;
    const { intent } = order;
    if (record.k === 'VERDICT' || intent === null)
      return this.#noteDifference('recorded', createdMsOf(order), record.seq, recordedText(order), NOTHING);
    if (isKillSlice(intent)) return restoreSlice(engine, intent, record.t);
    this.#noteDifference('recorded', intent.createdMs, record.seq, recordedText(order), NOTHING);
    const waiting = engine.orders.drafts.find(intent.order as OrderId);
    if (waiting !== undefined) engine.drafts.removeRecorded(waiting);
    const restored = restoreBotOrder(sentOrder(intent, engine.instruments));
    restored.state = STATE.draft;
    engine.orders.restore({ lastOrder: intent.order, orders: [] }, () => NaN, 0);
    if (restored.triggerTicks > 0) engine.triggerOrders.onSend();
    // Like a repeated order, so that limits which count orders count it.
    engine.orders.submit(engine.risk.approvedBefore(restored, restored.createdMs, engine.lastTicks(restored.instrumentIndex)));
    engine.notifyOrder(restored);
  }

  /** Compares a cancel with its record. Returns 0: the replay writes no record. */
  #compareCancel(order: BotOrder): number {
    const { recorded } = this.#deps;
    if (this.#ignoresCancels) return 0;
    const cancel = recorded.cancelOf(order.id);
    if (cancel !== undefined) {
      cancel.isReplayed = true;
      // Where the process ended in this step, a start may have carried out the cancel later.
      const isInTime = cancel.t === this.#stepMs || this.#isAtEnd || recorded.isCarriedOut(cancel, this.recordIndex, this.#stepMs);
      if (isInTime) {
        this.decisions++;
        return 0;
      }
    }
    if (cancel === undefined && !this.#isAtEnd && recorded.isCancelLost(order.id, this.recordIndex, this.#stepMs)) return 0;
    if (!this.#isAtEnd) {
      const replayed = cancel === undefined ? NOTHING : `${cancelText(order.id)} at ${cancel.t}`;
      this.#noteDifference('replayed', this.#stepMs, this.#nextSeq(), replayed, `${cancelText(order.id)} at ${this.#stepMs}`);
    }
    // The order is still working at the exchange.
    if (cancel === undefined) this.#holdDecision('cancel', order);
    return 0;
  }
  /** Counts a recorded cancel that the replay did not make. */
  countMissingCancel(number: number): void {
    const { seq, t } = this.#deps.recorded.records[this.recordIndex]!;
    this.#noteDifference('recorded', t, seq, cancelText(number), NOTHING);
  }

  /** Counts a difference. `side`: the one that has a decision which the other does not have. */
  #noteDifference(side: 'recorded' | 'replayed', createdMs: number, seq: number, recorded: string, replayed: string): void {
    if (this.recordIndex <= this.#deps.acceptedTo) return;
    const counts = this.#differencesByInstant.get(createdMs) ?? { recorded: 0, replayed: 0 };
    this.#differencesByInstant.set(createdMs, counts);
    counts[side]++;
    this.difference ??= { seq, timeMs: createdMs, recorded, replayed };
  }
  #nextSeq(): number {
    const { records } = this.#deps.recorded;
    return (records[this.recordIndex]?.seq ?? 0) + 1;
  }
}

/**
 * Returns true where the journal has given the number of an order of the replay to another one. A draft keeps its number when it is released,
 * although its record has the time of the draft.
 */
function isOfAnotherOrder(recordedOrder: RecordedOrder, order: BotOrder): boolean {
  const { isReplayed, isDrafted, verdict, intent } = recordedOrder;
  if (isReplayed) return true;
  const isReleasedDraft = isDrafted && verdict === null && intent === null;
  return !isReleasedDraft && createdMsOf(recordedOrder) !== order.createdMs;
}

/** Returns the content by which an order of the replay is found in the journal. */
function contentOf(order: BotOrder): OrderContent {
  const { createdMs, strategy, slot, side, role } = order;
  const { qty, amount } = sizesOf(order);
  return { createdMs, strategy, slot, side, role, qty, amount };
}

/** Returns the recorded decision about an order as text. */
function recordedText({ intent, verdict }: RecordedOrder): string {
  if (intent !== null) return intentText(intent);
  return verdict === null ? NOTHING : riskVerdictText(verdict);
}

/** Ends an order that the last process decided on but did not send, because it is too late to send it now. */
export function dropUnsent(engine: Engine, order: BotOrder): void {
  if (order.state !== STATE.sent) return;
  engine.orders.missed(order, engine.nowMs);
  engine.orderEnded(order);
  if (order.role === 'takeProfit') engine.bracketManager.retryTarget(order);
}
