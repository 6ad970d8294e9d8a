// The futures side of the exchange: contracts, positions and trigger orders, on top of the futures venue.

import { lots, ticks, units } from '../../base/brand.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { CountableContractBook } from './countableContractBook.ts';
import { FuturesVenue, type FuturesSink } from '../../venue/futures/futuresVenue.ts';
import type { MarkRow } from '../../venue/futures/liquidation.ts';
import type { VenuePosition } from '../../venue/futures/position.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import { type AccountConfig, Amounts, type ServiceConfig, statesOf } from '../dialect/config.ts';
import type { IsSpent, Match } from '../matching/matcher.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import type { OpenOrderRecord } from '../orders/orderRecords.ts';
import { ExchangeSide } from '../orders/exchangeSide.ts';
import type { ArchiveSource } from '../orders/orderRows.ts';
import { listPage } from '../orders/page.ts';
import { orderNumberOf, type OrderStart, type OwnTrade } from '../orders/userOrder.ts';
import { TimedEvents } from './timedEvents.ts';
import { FundingSchedule } from './funding.ts';
import { FUTURES_ROWS, FuturesUserOrder, type FuturesTrade } from './futuresOrder.ts';
import { NumberedHistory } from './history.ts';
import { ProfitHistory } from './profitHistory.ts';
import { TriggerBook } from './triggerBook.ts';
import type { WireTrigger } from './triggerRecord.ts';

/** Prefix of the ids of contract orders. */
const ORDER_PREFIX = '1954';
/** Uid of the background liquidity, which is not a user. */
const BACKGROUND_UID = '1';
/** Settings of a new account (exchange dialect, row 62). */
const OPENING_SETTINGS = { leverage: 20, isCross: true, isNet: true };

/** Price range in which a contract has traded since its triggers were last checked. */
interface ReachedRange {
  high: number;
  low: number;
}

/** The futures side of one exchange. */
export class FuturesExchange extends ExchangeSide<FuturesUserOrder, FuturesTrade> implements FuturesSink {
  readonly venue: FuturesVenue;
  readonly triggers: TriggerBook;
  readonly rates: FundingSchedule;
  readonly profits: ProfitHistory;
  readonly #accounts: readonly AccountConfig[];
  readonly #amounts: Amounts;
  readonly #timedEvents: TimedEvents;
  /** Order history by account, as reads show it, oldest first. */
  readonly #history: NumberedHistory<FuturesUserOrder>[] = [];
  readonly #reachedRanges = new Map<Instrument, ReachedRange>();
  /** Profit of the execution that is being booked. */
  #profitUnits = 0;
  /** True while positions are being liquidated. */
  #isLiquidating = false;

  constructor(config: ServiceConfig, scheduler: Scheduler, archive: ArchiveSource) {
    super({ ...config, market: 'futures', prefix: ORDER_PREFIX, scheduler, archive }, FUTURES_ROWS);
    this.profits = new ProfitHistory(this.orderRows, archive);
    this.#accounts = config.accounts;
    const instruments = config.instruments.filter(({ market }) => market === 'futures');
    this.venue = new FuturesVenue(
      {
        instruments,
        fees: { rounding: config.feeRounding },
        ...config.fills,
        maxOpenOrders: config.maxOpenOrders,
        state: statesOf(config, 'futures'),
        liquidationFeePpm: config.liquidationFeePpm,
        opening: OPENING_SETTINGS,
        settingsInUse: config.profile.settingsInUse,
      },
      this,
      CountableContractBook,
    );
    for (const instrument of instruments) {
      const { money } = this.venue.book(instrument).terms;
      const isSpent: IsSpent = ({ quoteUnits, filledUnits }, price, takenLots, nextPrice) => {
        const unitsLeft = quoteUnits - filledUnits - money.value(takenLots, price);
        return money.lotsWithin(unitsLeft, nextPrice) === 0;
      };
      this.openMarket(instrument, isSpent);
    }
    this.triggers = new TriggerBook({
      venue: this.venue,
      maxTriggers: config.maxTriggers,
      rows: this.orderRows,
      archive,
      placeOrder: (account, intent, clientOrderId) => this.place(account, intent, clientOrderId) ?? this.refusalCode,
    });
    this.rates = new FundingSchedule(config.fundingRates, config.fundingSeed);
    const { venue, markets, rates } = this;
    this.#timedEvents = new TimedEvents({ venue, markets, rates, scheduler, settle: () => this.settleMarks(this.nowMs) });
    this.#amounts = new Amounts(this.assets());
  }

  /** Opens the account with the next index, with its balances and settings. Throws ConfigError if they are invalid. */
  openAccount({ name, futures, maxOpenOrders }: AccountConfig): void {
    const accountIndex = this.venue.openAccount(name);
    if (maxOpenOrders !== undefined) this.venue.wallets.accounts[accountIndex]!.maxOpen = maxOpenOrders;
    for (const [asset, amount] of Object.entries(futures?.balances ?? {})) {
      this.venue.deposit(accountIndex, asset, this.#amounts.units(amount, asset, `account ${name} futures balances`));
    }
    const { leverage, isCross, isNet } = { ...OPENING_SETTINGS, ...futures?.settings };
    for (const { instrument } of this.markets) {
      const { minLeverage, maxLeverage } = this.venue.book(instrument).terms.money.contract;
      this.venue.setLeverage(accountIndex, instrument, Math.max(minLeverage, Math.min(leverage, maxLeverage)));
      this.venue.setMarginMode(accountIndex, instrument, isCross);
      this.venue.setPositionMode(accountIndex, instrument, isNet);
    }
  }

  /** Returns the settlement assets with the digits of their units, in order of appearance. */
  assets(): ReadonlyMap<string, number> {
    return new Map(this.markets.map(({ instrument: { quote, quoteDigits } }) => [quote, quoteDigits]));
  }

  /** Returns all orders of an account, open ones included, newest first. With `fromId`, from that order id on (see `listPage`). */
  history(accountIndex: number, instrument: Instrument | null, limit: number, fromId: bigint | null): readonly FuturesUserOrder[] {
    const isBefore = fromId === null ? null : ({ id }: FuturesUserOrder): boolean => BigInt(id) < fromId;
    return listPage(this.#historyOf(accountIndex), limit, instrument === null ? null : this.orderRows.tagOf(instrument), isBefore);
  }

  /** Returns the time from which a trigger order placed at `nowMs` is waiting. In a bar market, only rows that open later can fire it. */
  waitsSinceMs(instrument: Instrument, nowMs: number): number {
    const { barRows } = this.marketOf(instrument);
    if (barRows === null) return nowMs;
    return barRows.sentMs(nowMs) + (barRows.isActing ? 0 : this.delays.admissionMs);
  }

  /** Fires a trigger that was just placed if its price is already reached. */
  fireReachedTriggers(instrument: Instrument): void {
    const { lastPrice } = this.venue.book(instrument);
    // In a bar market, a row fires only triggers that were there when it opened.
    if (lastPrice > 0 && this.marketOf(instrument).barRows === null) this.#recordPrice(instrument, lastPrice);
  }

  /**
   * Requests the cancellation of a trigger order. It ends after the cancel delay and may still fire before. Returns false if refused: see
   * `refusalCode`. `acceptsRepeat`: a second request for the same trigger order succeeds too.
   */
  cancelTrigger(waiting: WireTrigger, acceptsRepeat: boolean): boolean {
    const { triggers } = this;
    const { status, child } = waiting.trigger;
    if (status === 'pending' && waiting.isCancelRequested) return acceptsRepeat || this.refuse(VENUE_CODES.cancelNotAllowed.code);
    if (!triggers.requestCancel(waiting)) return this.refuse(triggers.refusalCode);
    this.runAfterCancelDelay(child.instrument, () => this.#finishTriggerCancel(waiting));
    return true;
  }
  /** Completes a cancellation. If the trigger has fired meanwhile, the cancel applies to the order that it placed (docs/matching.md, 18). */
  #finishTriggerCancel(waiting: WireTrigger): void {
    const { account, childId } = waiting.trigger;
    if (this.triggers.finishCancel(waiting) || childId === null) return;
    const childOrder = this.venue.find(account, childId);
    if (childOrder !== null && this.venue.requestCancel(childOrder)) this.venue.finishCancel(childOrder, this.nowMs);
  }

  /** Called by the venue when a position was made smaller. Reads see the reduction in the profit history after the visibility delay. */
  onReduction(
    position: Readonly<VenuePosition>,
    closedLots: number,
    closeTicks: number,
    profitUnits: number,
    feeUnits: number,
    timeMs: number,
  ): void {
    const { instrument } = this.#bookOf(position);
    this.#profitUnits = profitUnits;
    const { openedTicks: openTicks } = position;
    // The position itself does not count the fee of a liquidation.
    const extraFee = this.#isLiquidating ? feeUnits : 0;
    const reduction = this.profits.record(position, instrument, { lots: closedLots, closeTicks, openTicks, profitUnits, extraFee }, timeMs);
    this.runAfterVisibilityDelay(() => this.profits.show(position.account, reduction));
  }

  /** Called by the venue when funding was paid. The position keeps the sum of its funding, which the next reduction reports. */
  onFunding({ account }: Readonly<VenuePosition>): void {
    this.changes.accounts.add(account);
  }

  /** Called by the venue when it liquidates a position. Lists show this as an order that has filled. */
  onLiquidation(position: Readonly<VenuePosition>, wasLong: boolean, fill: Fill): void {
    const { account, leverage, isCross } = position;
    const { instrument } = this.#bookOf(position);
    const { price, notional: filledUnits, fee, timeMs } = fill;
    const intent = {
      instrument,
      side: wasLong ? ('sell' as const) : ('buy' as const),
      role: 'liquidation' as const,
      lots: lots(fill.lots),
      quoteUnits: units(0),
      limit: ticks(price),
      reduceOnly: true,
      timeInForce: null,
      slot: '',
    };
    const start = { id: this.nextOrderId(), account, clientOrderId: null, intent, placedMs: timeMs, venueOrder: null };
    const order = new FuturesUserOrder(start, { leverage, isCross, isLiquidation: true });
    const filledAmounts = { filledLots: fill.lots, filledUnits, feeUnits: fee, profitUnits: this.#profitUnits, averageTicks: price };
    order.ended = { status: 'FILLED', isAdmitted: true, ...filledAmounts };
    this.#profitUnits = 0;
    this.orders.add(order);
    this.#addToHistoryWhenVisible(order);
    this.publish(order);
    const otherId = this.nextBackgroundId();
    const [bidId, askId] = wasLong ? [otherId, order.id] : [order.id, otherId];
    const commonFields = { instrument, tradeId: this.nextTradeId(), bidId, askId, price, lots: fill.lots, timeMs, fee };
    const trade = this.newTrade(order, { ...commonFields, isBuyer: !wasLong, isMaker: false, feeInBase: false }, fill);
    this.bookTrade(account, trade);
  }

  override ended(venueOrder: VenueOrder): void {
    super.ended(venueOrder);
    this.#timedEvents.scheduleMarks();
  }

  /** Restores open orders. The process may have ended before the mark for its last change was taken, so marks are scheduled. */
  override restoreOpenOrders(records: readonly OpenOrderRecord[]): void {
    super.restoreOpenOrders(records);
    for (const waiting of this.triggers.pending()) {
      if (waiting.isCancelRequested) this.schedule(0, () => this.#finishTriggerCancel(waiting));
    }
    this.#timedEvents.scheduleMarks();
  }

  protected override newOrder(start: OrderStart): FuturesUserOrder {
    const { leverage, isCross } = this.venue.setting(start.account, start.intent.instrument);
    const order = new FuturesUserOrder(start, { leverage, isCross, isLiquidation: false });
    this.#addToHistoryWhenVisible(order);
    return order;
  }

  protected override newTrade(order: FuturesUserOrder, trade: OwnTrade, { notional, lots: newLots, price }: Fill): FuturesTrade {
    const { money } = this.venue.book(order.instrument).terms;
    const filledLots = order.venueOrder?.filledLots ?? newLots;
    order.averageTicks = money.averageOf(filledLots - newLots, order.averageTicks, newLots, price);
    order.profitUnits += this.#profitUnits;
    this.#profitUnits = 0;
    return { ...trade, valueUnits: notional, bidUid: this.#uidOf(trade.bidId), askUid: this.#uidOf(trade.askId) };
  }

  protected override onTrade({ instrument }: TradedMarket, { price }: Match): void {
    const book = this.venue.book(instrument);
    // A position has no mark before the first one is due, so the first price sets it.
    if (book.markTicks === 0) this.venue.setMark(instrument, price);
    this.#timedEvents.scheduleMarks();
    if (this.triggers.hasWaiting(instrument)) this.#recordPrice(instrument, price);
  }

  protected override onAdmission(order: FuturesUserOrder): void {
    this.publish(order);
    this.#timedEvents.scheduleMarks();
  }

  /** Liquidates positions whose margin is too small at the latest marks. */
  settleMarks(timeMs: number): void {
    this.#isLiquidating = true;
    this.venue.settleMarks(timeMs);
    this.#isLiquidating = false;
  }

  /** Liquidates one position, in the middle of a row that is being matched. */
  endPosition(position: VenuePosition, marks: MarkRow, timeMs: number, closeMs: number): void {
    this.#isLiquidating = true;
    this.venue.endPosition(position, marks, timeMs, closeMs);
    this.#isLiquidating = false;
  }

  /** Records a price. Triggers fire after the current matching has ended, so that their orders follow it. */
  #recordPrice(instrument: Instrument, price: number): void {
    const reached = this.#reachedRanges.get(instrument);
    if (reached !== undefined) {
      reached.high = Math.max(reached.high, price);
      reached.low = Math.min(reached.low, price);
      return;
    }
    this.#reachedRanges.set(instrument, { high: price, low: price });
    this.schedule(0, () => {
      const { high, low } = this.#reachedRanges.get(instrument)!;
      this.#reachedRanges.delete(instrument);
      this.triggers.fireReached(instrument, high, low, this.nowMs);
    });
  }

  /** Adds the order to the history once reads may show it. */
  #addToHistoryWhenVisible({ account, id, instrument }: FuturesUserOrder): void {
    this.runAfterVisibilityDelay(() => this.addToHistory(account, orderNumberOf(id), this.orderRows.tagOf(instrument)));
  }

  /** Adds the order to the history of its account. The history is ordered by the time of appearance. */
  addToHistory(accountIndex: number, number: number, tag: number): void {
    this.#historyOf(accountIndex).push(number, tag);
  }
  #historyOf(accountIndex: number): NumberedHistory<FuturesUserOrder> {
    return (this.#history[accountIndex] ??= new NumberedHistory((number) => this.orders.orderNumbered(number)));
  }

  #bookOf({ index }: Readonly<VenuePosition>) {
    return this.venue.book(this.venue.wallets.contracts[index]!.instrument);
  }

  /** Returns the uid of an order's owner. An order without an owner belongs to the background liquidity. */
  #uidOf(orderId: string): string {
    const owner = this.orders.ownerOf(orderId);
    return owner === null ? BACKGROUND_UID : this.#accounts[owner]!.uid;
  }
}
