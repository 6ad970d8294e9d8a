// Holds drafts until they may be sent. A replacement waits for the end of the old order, and a reversal for the end of the old side's stops. The
// buys of a rebalance wait for its sales, and a stop entry for its price.

import type { Lots, TimeMs, Units } from '../../base/brand.ts';
import type { OrderId } from '../../model/order.ts';
import { isOfRebalance, isSameSlot, isWatched, sizeLeft, type OrderEnd, type WaitingDraft } from '../../orders/drafts.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { StopEntryManager, type StopEntryHost } from '../entries/stopEntryManager.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Deny code: the orders ahead of the draft have already filled what it should fill. */
const NOTHING_LEFT_CODE = 'REPLACED_FILLED';
/** Code of the cause that halts a live bot until its start is complete. */
const STARTING_CODE = 'STARTING';

/** What `WaitingDrafts` needs of the engine. */
export interface DraftHost extends StopEntryHost {
  readonly runs: readonly DraftingRun[];
  /** Null for a replayed bot, whose drafts are sent in turn with its callbacks. */
  readonly haltActions: object | null;
  readonly callbacks: { addAction(act: () => void): void };
  followUps: number;
  /** While a journal is replayed: the recorded result of a draft, or undefined if the engine decides. */
  readonly recordedDecisions: { decideDraft?(order: BotOrder): string | null | undefined } | null;
  notifyOrder(order: BotOrder): void;
}
/** A strategy whose draft is about to be sent. */
interface DraftingRun {
  /** Sizes an order for the lots that are missing to hold `targetLots`. Returns them; 0 when none are missing on its side. */
  sizeToTarget(order: BotOrder, targetLots: number): number;
  /** Adapts a draft to a new number of lots: a market order gets its collar at the newest price. */
  resize(order: BotOrder): void;
  reverse(order: BotOrder): OrderId;
  /** Brings stops back that were set aside for an order, unless an exit or a target is still closing what they protect. */
  restoreStops(instrumentIndex: number): void;
  /** Limits an order of a rebalance to the free cash. `decidedTicks`: the price of its decision. False when that is too little for an order. */
  fitToCash(order: BotOrder, decidedTicks: number): boolean;
}

/** Holds orders back until what they wait for has happened, then sends or ends them. */
export class WaitingDrafts {
  private readonly engine: DraftHost;
  /** Drafts that may be sent now. */
  private ready: WaitingDraft[] = [];
  /** True while no draft may be sent: after a restore until the start has begun, and once the bot stops. */
  isHeld = false;

  /** Stop entries that wait for their price. */
  readonly entries: StopEntryManager;

  constructor(engine: DraftHost) {
    this.engine = engine;
    this.entries = new StopEntryManager(engine, (draft) => this.remove(draft));
  }

  /** Makes an order wait for the end of the order in its slot whose cancel was requested. Returns its id; it may be denied at once. */
  replace(order: BotOrder): OrderId {
    const { orders } = this.engine;
    const oldOrder = orders.active().find((other) => isSameSlot(order, other));
    const recordedCode = this.engine.recordedDecisions?.decideDraft?.(order) ?? null;
    if (recordedCode !== null) return this.deny(order, recordedCode);
    const isValid = order.lots > 0 || order.quoteUnits > 0;
    const isBusy = orders.drafts.waiting.some((draft) => isSameSlot(order, draft.order));
    if (oldOrder === undefined || !isValid || isBusy) return this.deny(order, isValid ? 'SLOT_BUSY' : 'BAD_INPUT');
    const { id, side, lots, quoteUnits, filledLots, filledUnits } = oldOrder;
    const replaced = { id, side, lots, quoteUnits, filledLots, filledUnits };
    return this.startWaiting({ order, ahead: [id], replaced, targetLots: NAN, remainingSize: NAN });
  }

  /**
   * Makes an order wait until the orders `ahead` have ended. For a reversal they close the old side; for a rebalance they free its money.
   * The order is sized then.
   */
  reverse(order: BotOrder, ahead: OrderId[], targetLots: number): OrderId {
    const recordedCode = this.engine.recordedDecisions?.decideDraft?.(order) ?? null;
    if (recordedCode !== null) return this.deny(order, recordedCode);
    return this.startWaiting({ order, ahead, replaced: null, targetLots, remainingSize: NAN });
  }

  /** Makes a stop entry wait until a row reaches its trigger. */
  watch(order: BotOrder): OrderId {
    const recordedCode = this.engine.recordedDecisions?.decideDraft?.(order);
    const code = recordedCode === undefined ? this.entries.denyCode(order) : recordedCode;
    if (code !== null) return this.deny(order, code);
    this.engine.brackets.addEntry(order);
    return this.startWaiting({ order, ahead: [], replaced: null, targetLots: NAN, remainingSize: NAN });
  }

  /** Adds a recorded stop entry that the strategy did not ask for again in a replay. */
  addRecorded(order: BotOrder): void {
    const { engine } = this;
    engine.orders.drafts.add({ order, ahead: [], replaced: null, targetLots: NAN, remainingSize: NAN });
    engine.followUps++;
    engine.brackets.addEntry(order);
    engine.notifyOrder(order);
  }
  /** Removes a draft of a replay whose recorded order follows. */
  removeRecorded(order: BotOrder): void {
    const draft = this.engine.orders.drafts.waiting.find((waiting) => waiting.order === order);
    if (draft !== undefined) this.remove(draft);
  }

  /** Restores a draft of an earlier process. `endOf`: how an order ahead of it has ended; undefined while it is open. */
  restore(draft: WaitingDraft, endOf: (id: OrderId) => OrderEnd | undefined): void {
    const { orders } = this.engine;
    orders.drafts.add(draft);
    this.engine.followUps++;
    if (isWatched(draft.order)) return this.engine.brackets.addEntry(draft.order);
    this.isHeld = true;
    for (const id of draft.ahead.slice()) {
      const end = endOf(id);
      if (end !== undefined) this.stopWaitingFor(draft, id, end);
      // The journal does not contain this cancel request. It is sent as soon as the venue order id is known.
      else if (!isOfRebalance(draft) && orders.get(id)!.state === STATE.unknown) orders.get(id)!.wantsCancel = true;
    }
    if (draft.ahead.length === 0) this.ready.push(draft);
  }
  /** Repeats cancels that drafts wait for and that may not have been sent. Call it once the exchange is connected. */
  cancelOrdersAhead(): void {
    const { orders, nowMs } = this.engine;
    for (const draft of orders.drafts.waiting) {
      if (isOfRebalance(draft)) continue;
      for (const id of draft.ahead) {
        const order = orders.get(id);
        if (order !== undefined) orders.cancel(order, nowMs);
      }
    }
  }
  /** Holds all drafts from now on, because the bot stops, or until a start has raised its halt. */
  hold(): void {
    this.isHeld = true;
  }
  /** Runs `act`. Drafts that become ready meanwhile keep waiting until the next release. */
  holdDuring(act: () => void): void {
    const wasHeld = this.isHeld;
    this.isHeld = true;
    try {
      act();
    } finally {
      this.isHeld = wasHeld;
    }
  }

  /** Handles the end of an order: drafts that waited only for it are sized now. The engine then calls `release`. */
  onOrderEnd(order: BotOrder): void {
    const { id } = order;
    for (const draft of this.engine.orders.drafts.waiting) {
      if (!draft.ahead.includes(id)) continue;
      this.stopWaitingFor(draft, id, order);
      if (draft.ahead.length === 0) this.ready.push(draft);
    }
  }
  /** Handles the end of a draft, or of an order that was denied at once, about which no report comes: drafts stop waiting for it. */
  private onEndWithoutReport(id: OrderId): void {
    let isAhead = false;
    for (const draft of this.engine.orders.drafts.waiting) {
      if (!draft.ahead.includes(id)) continue;
      isAhead = true;
      draft.ahead.splice(draft.ahead.indexOf(id), 1);
      if (draft.ahead.length === 0) this.ready.push(draft);
    }
    if (isAhead) this.releaseInTurn();
  }
  /** Removes an order that has ended from those ahead of a draft. A replacement takes over what it has left. */
  private stopWaitingFor(draft: WaitingDraft, id: OrderId, end: OrderEnd): void {
    draft.ahead.splice(draft.ahead.indexOf(id), 1);
    if (draft.replaced !== null) draft.remainingSize = sizeLeft(draft.order, draft.replaced, end);
  }

  /** Sends the drafts that may be sent; while a live bot starts they keep waiting. */
  release(): void {
    const { halts } = this.engine.risk;
    const isStarting = halts.hasAny && halts.holds({ kind: 'account' }, STARTING_CODE);
    if (isStarting) this.isHeld = false;
    if (isStarting || this.isHeld || this.ready.length === 0) return;
    const { drafts } = this.engine.orders;
    const ready = this.ready;
    this.ready = [];
    for (const draft of ready) {
      // The draft before it may have withdrawn it: a reversal that risk denies exits the position, and an exit withdraws drafts.
      if (!drafts.waiting.includes(draft)) continue;
      this.remove(draft);
      this.send(draft);
    }
  }

  /** Releases drafts: at once in a live bot, but in a replayed row only after its delivery, because its price is known only then. */
  releaseInTurn(): void {
    const { haltActions, callbacks } = this.engine;
    if (haltActions === null) callbacks.addAction(() => this.release());
    else this.release();
  }

  private send(draft: WaitingDraft): void {
    const { order } = draft;
    const { id, strategy, instrumentIndex } = order;
    if (isOfRebalance(draft)) this.sendOfRebalance(draft);
    else this.sendInPlace(draft);
    if (order.id === id && order.reason === null) return;
    this.onEndWithoutReport(id);
    this.engine.runs[strategy]!.restoreStops(instrumentIndex);
  }
  /** Sends a buy of a rebalance whose sales have ended, for what is still missing and can be paid. */
  private sendOfRebalance({ order, targetLots }: WaitingDraft): void {
    const engine = this.engine;
    const run = engine.runs[order.strategy]!;
    order.createdMs = order.changedMs = engine.nowMs as TimeMs;
    // The decision's own price: a bot sends the order in the bar in which the sales filled, a backtest after it.
    const decidedTicks: number = order.limit;
    const canSend = run.sizeToTarget(order, targetLots) >= order.instrument.minLots && run.fitToCash(order, decidedTicks);
    if (!canSend) return void this.deny(order, NOTHING_LEFT_CODE);
    engine.hasPendingWork = true;
    engine.submit(order);
  }
  /** Sends an order in place of the one that it waited for, with what that one has left. Denies it if nothing is left. */
  private sendInPlace({ order, replaced, remainingSize, targetLots }: WaitingDraft): void {
    const engine = this.engine;
    const run = engine.runs[order.strategy]!;
    order.createdMs = order.changedMs = engine.nowMs as TimeMs;
    const size = replaced === null ? run.sizeToTarget(order, targetLots) : remainingSize;
    if (order.quoteUnits > 0) {
      order.quoteUnits = size as Units;
      if (size === 0) return void this.deny(order, NOTHING_LEFT_CODE);
    } else {
      if (size < order.instrument.minLots) return void this.deny(order, NOTHING_LEFT_CODE);
      order.lots = size as Lots;
      if (replaced !== null) run.resize(order);
    }
    engine.hasPendingWork = true;
    if (replaced === null) run.reverse(order);
    else engine.submit(order);
  }

  /** Withdraws a waiting draft. False when the order is not one. */
  withdraw(order: BotOrder): boolean {
    const draft = this.engine.orders.drafts.waiting.find((waiting) => waiting.order === order);
    if (draft !== undefined) this.withdrawDrafts([draft]);
    return draft !== undefined;
  }
  /** Withdraws the drafts for which `isWithdrawn` is true. */
  withdrawAll(isWithdrawn: (draft: WaitingDraft) => boolean): void {
    this.withdrawDrafts(this.engine.orders.drafts.waiting.filter(isWithdrawn));
  }
  /** Denies all drafts with a code, after a kill. */
  dropAll(code: string): void {
    for (const draft of this.engine.orders.drafts.waiting.slice()) {
      const { strategy, instrumentIndex } = draft.order;
      this.remove(draft);
      this.deny(draft.order, code);
      this.engine.runs[strategy]!.restoreStops(instrumentIndex);
    }
  }

  private startWaiting(draft: WaitingDraft): OrderId {
    const engine = this.engine;
    engine.orders.wait(draft);
    engine.followUps++;
    engine.notifyOrder(draft.order);
    return draft.order.id;
  }
  private remove(draft: WaitingDraft): void {
    this.engine.orders.drafts.remove(draft);
    if (isWatched(draft.order)) this.engine.brackets.removeEntry(draft.order);
    this.engine.followUps--;
    this.ready = this.ready.filter((readyDraft) => readyDraft !== draft);
  }
  /** Withdraws orders that wait, and reports the end of each. */
  private withdrawDrafts(drafts: readonly WaitingDraft[]): void {
    const engine = this.engine;
    // All are removed before the first one ends: its end must not send another one that waited only for it.
    for (const draft of drafts) this.remove(draft);
    for (const { order } of drafts) {
      const { id, strategy, instrumentIndex } = order;
      engine.orders.withdraw(order, engine.nowMs);
      engine.notifyOrder(order);
      this.onEndWithoutReport(id);
      engine.runs[strategy]!.restoreStops(instrumentIndex);
    }
  }
  private deny(order: BotOrder, code: string): OrderId {
    const { id } = order;
    this.engine.orders.deny(order, code);
    this.engine.notifyOrder(order);
    return id;
  }
}
