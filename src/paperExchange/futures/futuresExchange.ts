// The futures side of the exchange: contracts, positions and what waits for a price, over the futures venue.

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
import type { Match } from '../matching/matcher.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import type { StoredOrderRow } from '../orders/rows.ts';
import { ExchangeSide } from '../orders/exchangeSide.ts';
import type { ArchiveSource } from '../orders/orderRows.ts';
import { page } from '../orders/page.ts';
import { orderNumberOf, type OrderStart, type OwnTrade } from '../orders/userOrder.ts';
import { TimedEvents } from './timedEvents.ts';
import { FundingSchedule } from './funding.ts';
import { FUTURES_ROWS, FuturesUserOrder, type FuturesTrade } from './futuresOrder.ts';
import { History } from './history.ts';
import { ProfitHistory } from './profitHistory.ts';
import { TriggerBook } from './triggerBook.ts';
import type { WireTrigger } from './triggerRow.ts';

/** Of whoever is no user. */
const BACKGROUND_UID = '1';
/** A fresh account (exchange dialect, row 62). */
const OPENING = { leverage: 20, isCross: true, isNet: true };

/** Prices that a contract has traded at since its triggers were looked at. */
interface Reached {
  high: number;
  low: number;
}

export class FuturesExchange extends ExchangeSide<FuturesUserOrder, FuturesTrade> implements FuturesSink {
  readonly venue: FuturesVenue;
  readonly triggers: TriggerBook;
  readonly rates: FundingSchedule;
  readonly profits: ProfitHistory;
  readonly #accounts: readonly AccountConfig[];
  readonly #amounts: Amounts;
  readonly #clockwork: TimedEvents;
  /** By account, as reads show them, oldest first. */
  readonly #history: History<FuturesUserOrder>[] = [];
  readonly #reached = new Map<Instrument, Reached>();
  /** Profit of the execution that is being booked. */
  #profitUnits = 0;
  #isSettling = false;

  constructor(config: ServiceConfig, scheduler: Scheduler, archive: ArchiveSource) {
    super({ ...config, market: 'futures', prefix: '1954', scheduler, archive }, FUTURES_ROWS);
    this.profits = new ProfitHistory(this.rows, archive);
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
        opening: OPENING,
        settingsInUse: config.profile.settingsInUse,
      },
      this,
      CountableContractBook,
    );
    for (const instrument of instruments) {
      const { money } = this.venue.book(instrument).terms;
      this.openMarket(
        instrument,
        ({ quoteUnits, filledUnits }, price, taken, next) =>
          money.lotsWithin(quoteUnits - filledUnits - money.value(taken, price), next) === 0,
      );
    }
    this.triggers = new TriggerBook(this.venue, config.maxTriggers, this.rows, archive, (account, intent, clientOrderId) => {
      return this.place(account, intent, clientOrderId) ?? this.refusal;
    });
    this.rates = new FundingSchedule(config.fundingRates, config.fundingSeed);
    const { venue, markets, rates } = this;
    this.#clockwork = new TimedEvents({ venue, markets, rates, scheduler, settle: () => this.settleMarks(this.nowMs) });
    this.#amounts = new Amounts(this.assets());
  }

  /** Opens the account that has the next index, with its balances and settings. Throws ConfigError at one that cannot be. */
  openAccount({ name, futures, maxOpenOrders }: AccountConfig): void {
    const account = this.venue.openAccount(name);
    if (maxOpenOrders !== undefined) this.venue.wallets.accounts[account]!.maxOpen = maxOpenOrders;
    for (const [asset, amount] of Object.entries(futures?.balances ?? {})) {
      this.venue.deposit(account, asset, this.#amounts.units(amount, asset, `account ${name} futures balances`));
    }
    const { leverage, isCross, isNet } = { ...OPENING, ...futures?.settings };
    for (const { instrument } of this.markets) {
      const { minLeverage, maxLeverage } = this.venue.book(instrument).terms.money.contract;
      this.venue.setLeverage(account, instrument, Math.max(minLeverage, Math.min(leverage, maxLeverage)));
      this.venue.setMarginMode(account, instrument, isCross);
      this.venue.setPositionMode(account, instrument, isNet);
    }
  }

  /** Settlement assets and the digits of their units, in order of appearance. */
  assets(): ReadonlyMap<string, number> {
    return new Map(this.markets.map(({ instrument: { quote, quoteDigits } }) => [quote, quoteDigits]));
  }

  /** Orders of an account, those that have not ended too, newest first; from an order id on where one is given (see `page`). */
  history(account: number, instrument: Instrument | null, limit: number, fromId: bigint | null): readonly FuturesUserOrder[] {
    const isBefore = fromId === null ? null : ({ id }: FuturesUserOrder): boolean => BigInt(id) < fromId;
    return page(this.#historyOf(account), limit, instrument === null ? null : this.rows.tagOf(instrument), isBefore);
  }

  /** When a condition order that comes at `nowMs` is there: of rows it is those that open later which may fire it. */
  waitsSinceMs(instrument: Instrument, nowMs: number): number {
    const { rows } = this.marketOf(instrument);
    if (rows === null) return nowMs;
    return rows.sentMs(nowMs) + (rows.isActing ? 0 : this.delays.admissionMs);
  }

  /** Looks whether a trigger that has just been placed is reached already. */
  fireReachedTriggers(instrument: Instrument): void {
    const { lastPrice } = this.venue.book(instrument);
    // A row fires what stood there when it opened.
    if (lastPrice > 0 && this.marketOf(instrument).rows === null) this.#priceReached(instrument, lastPrice);
  }

  /** Asks for the end of a condition order, which follows after the cancel delay; until then it may still fire. False: see `refusal`. */
  cancelTrigger(found: WireTrigger, again: boolean): boolean {
    const { triggers } = this;
    const { status, child } = found.trigger;
    if (status === 'pending' && found.isLeaving) return again || this.refuse(VENUE_CODES.cancelNotAllowed.code);
    if (!triggers.requestCancel(found)) return this.refuse(triggers.refusal);
    this.afterCancelDelay(child.instrument, () => this.#finishTriggerCancel(found));
    return true;
  }
  /** One that has fired meanwhile goes on as what it has placed, and the cancel is of that (docs/matching.md, 18). */
  #finishTriggerCancel(found: WireTrigger): void {
    const { account, childId } = found.trigger;
    if (this.triggers.finishCancel(found) || childId === null) return;
    const live = this.venue.find(account, childId);
    if (live !== null && this.venue.requestCancel(live)) this.venue.finishCancel(live, this.nowMs);
  }

  reduced(
    position: Readonly<VenuePosition>,
    closed: number,
    closeTicks: number,
    profitUnits: number,
    feeUnits: number,
    timeMs: number,
  ): void {
    const { instrument } = this.#bookOf(position);
    this.#profitUnits = profitUnits;
    const { openedTicks: openTicks } = position;
    // The fee of a liquidation is none that the position counts.
    const extraFee = this.#isSettling ? feeUnits : 0;
    const reduction = this.profits.record(position, instrument, { lots: closed, closeTicks, openTicks, profitUnits, extraFee }, timeMs);
    this.visible(() => this.profits.show(position.account, reduction));
  }

  /** Positions count it themselves, and the next reduction tells of it. */
  funded({ account }: Readonly<VenuePosition>): void {
    this.changes.accounts.add(account);
  }

  /** The exchange closes a position: it stands in the lists as an order that filled. */
  liquidated(position: Readonly<VenuePosition>, wasLong: boolean, fill: Fill): void {
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
    const start = { id: this.nextOrderId(), account, clientOrderId: null, intent, placedMs: timeMs, live: null };
    const order = new FuturesUserOrder(start, { leverage, isCross, isLiquidation: true });
    const of = { filledLots: fill.lots, filledUnits, feeUnits: fee, profitUnits: this.#profitUnits, averageTicks: price };
    order.ended = { status: 'FILLED', isAdmitted: true, ...of };
    this.#profitUnits = 0;
    this.orders.add(order);
    this.#remember(order);
    this.publish(order);
    const other = this.nextBackgroundId();
    const [bidId, askId] = wasLong ? [other, order.id] : [order.id, other];
    const common = { instrument, tradeId: this.nextTradeId(), bidId, askId, price, lots: fill.lots, timeMs, fee };
    const trade = this.newTrade(order, { ...common, isBuyer: !wasLong, isMaker: false, feeInBase: false }, fill);
    this.book(account, trade);
  }

  override ended(live: VenueOrder): void {
    super.ended(live);
    this.#clockwork.scheduleMarks();
  }

  /** The exchange that has ended may have owed a mark of what it did last. */
  override restoreOpen(rows: readonly StoredOrderRow[]): void {
    super.restoreOpen(rows);
    for (const found of this.triggers.pending()) if (found.isLeaving) this.later(0, () => this.#finishTriggerCancel(found));
    this.#clockwork.scheduleMarks();
  }

  protected override newOrder(start: OrderStart): FuturesUserOrder {
    const { leverage, isCross } = this.venue.setting(start.account, start.intent.instrument);
    const order = new FuturesUserOrder(start, { leverage, isCross, isLiquidation: false });
    this.#remember(order);
    return order;
  }

  protected override newTrade(order: FuturesUserOrder, trade: OwnTrade, { notional, lots: more, price }: Fill): FuturesTrade {
    const { money } = this.venue.book(order.instrument).terms;
    const filledLots = order.live?.filledLots ?? more;
    order.averageTicks = money.averageOf(filledLots - more, order.averageTicks, more, price);
    order.profitUnits += this.#profitUnits;
    this.#profitUnits = 0;
    return { ...trade, valueUnits: notional, bidUid: this.#uidOf(trade.bidId), askUid: this.#uidOf(trade.askId) };
  }

  protected override traded({ instrument }: TradedMarket, { price }: Match): void {
    const book = this.venue.book(instrument);
    // Before the first mark is due a position has none.
    if (book.markTicks === 0) this.venue.setMark(instrument, price);
    this.#clockwork.scheduleMarks();
    if (this.triggers.waits(instrument)) this.#priceReached(instrument, price);
  }

  protected override admitted(order: FuturesUserOrder): void {
    this.publish(order);
    this.#clockwork.scheduleMarks();
  }

  /** Liquidates what the latest marks leave without its margin. */
  settleMarks(timeMs: number): void {
    this.#isSettling = true;
    this.venue.settleMarks(timeMs);
    this.#isSettling = false;
  }

  /** The same for one position, in the middle of a row that is being matched. */
  endPosition(position: VenuePosition, marks: MarkRow, timeMs: number, closeMs: number): void {
    this.#isSettling = true;
    this.venue.endPosition(position, marks, timeMs, closeMs);
    this.#isSettling = false;
  }

  /** Triggers act when the matching at hand is over: what they bring comes after it. */
  #priceReached(instrument: Instrument, price: number): void {
    const reached = this.#reached.get(instrument);
    if (reached !== undefined) {
      reached.high = Math.max(reached.high, price);
      reached.low = Math.min(reached.low, price);
      return;
    }
    this.#reached.set(instrument, { high: price, low: price });
    this.later(0, () => {
      const { high, low } = this.#reached.get(instrument)!;
      this.#reached.delete(instrument);
      this.triggers.reach(instrument, high, low, this.nowMs);
    });
  }

  #remember({ account, id, instrument }: FuturesUserOrder): void {
    this.visible(() => this.remember(account, orderNumberOf(id), this.rows.tagOf(instrument)));
  }

  /** The order stands in the history of the account, which has them by the time of their appearance. */
  remember(account: number, number: number, tag: number): void {
    this.#historyOf(account).push(number, tag);
  }
  #historyOf(account: number): History<FuturesUserOrder> {
    return (this.#history[account] ??= new History((number) => this.orders.numbered(number)));
  }

  #bookOf({ index }: Readonly<VenuePosition>) {
    return this.venue.book(this.venue.wallets.contracts[index]!.instrument);
  }

  #uidOf(orderId: string): string {
    const owner = this.orders.ownerOf(orderId);
    return owner === null ? BACKGROUND_UID : this.#accounts[owner]!.uid;
  }
}
