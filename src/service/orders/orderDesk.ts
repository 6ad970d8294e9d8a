// One side of the exchange, spot or futures: orders, books and a venue together; what is asked for now and what happens to it later.

import { InvariantError } from '../../base/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { BookVenue } from '../../venue/bookVenue.ts';
import type { RowBook, VenueSink } from '../../venue/rowBook.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import type { Delays } from '../config.ts';
import { type IsSpent, Matcher, type Match } from '../matching/matcher.ts';
import { Tape } from '../market/tape.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import { type OrderStart, type OwnTrade, type Shown, type UserOrder, UserOrders } from './userOrder.ts';

/** Ids on the wire: nineteen digits, as on real services, so that a client that reads them as doubles is found out. */
export const wireId = (prefix: string, number: number): string => prefix + String(number).padStart(15, '0');
const BACKGROUND_PREFIX = '1874';

export abstract class OrderDesk<O extends UserOrder, T extends OwnTrade> implements VenueSink {
  abstract readonly venue: BookVenue<RowBook>;
  readonly orders = new UserOrders<O, T>();
  /** Code of the last refusal. */
  refusal = 0;
  /** Those of the config, unless a fault asks for others. */
  delays: Delays;
  protected readonly scheduler: Scheduler;
  readonly #prefix: string;
  readonly #byName = new Map<string, TradedMarket>();
  readonly #byInstrument = new Map<Instrument, TradedMarket>();
  /** By the venue's own ids. */
  readonly #live = new Map<number, O>();
  readonly #tradeIds = { lastTradeId: 0 };
  #lastOrder = 0;
  #background = 0;
  /** What the fills that the venue tells of belong to. */
  #match: Match | null = null;

  protected constructor(prefix: string, delays: Delays, scheduler: Scheduler) {
    this.#prefix = prefix;
    this.delays = delays;
    this.scheduler = scheduler;
  }

  /** The order that the venue has taken, as this side keeps it. */
  protected abstract newOrder(start: OrderStart): O;
  /** The own trade of an order, from what all of them have. */
  protected abstract newTrade(order: O, trade: OwnTrade, fill: Fill): T;
  /** After each match, before its fills are told. */
  protected traded(_market: TradedMarket, _match: Match): void {}
  /** An order meets the book now. */
  protected admitted(_order: O): void {}

  get markets(): readonly TradedMarket[] {
    return Array.from(this.#byInstrument.values());
  }

  /** By its name on the wire, in upper case. */
  market(name: string): TradedMarket | undefined {
    return this.#byName.get(name);
  }

  marketOf(instrument: Instrument): TradedMarket {
    const found = this.#byInstrument.get(instrument);
    if (found === undefined) throw new InvariantError(`${instrument.id} is not traded here`);
    return found;
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  /** Orders that have not ended, those that are still on their way to the book included. */
  live(): readonly O[] {
    return Array.from(this.#live.values());
  }

  /** The newest id of a trade; 0 before the first. */
  get lastTradeId(): number {
    return this.#tradeIds.lastTradeId;
  }

  /** Takes an order: its funds are held at once, it meets the book after the admission delay. Null: refused, see `refusal`. */
  place(account: number, intent: OrderIntent, clientOrderId: string | null): O | null {
    const live = this.venue.place(account, 0, intent, this.nowMs);
    if (live === null) {
      this.refusal = this.venue.refusal;
      return null;
    }
    const order = this.newOrder({ id: this.nextOrderId(), account, clientOrderId, intent, placedMs: this.nowMs, live });
    this.#live.set(live.id, order);
    this.orders.add(order);
    this.tell(order);
    this.later(this.delays.admissionMs, () => this.#admit(order));
    return order;
  }

  /** Takes an order back that nobody has been told of. */
  undo(order: O): void {
    if (order.live !== null) this.venue.cancel(order.live, this.nowMs);
  }

  /** Asks for the end of an order, which follows after the cancel delay; until then it may still fill. False: see `refusal`. */
  cancel(order: O, again: boolean): boolean {
    const { live } = order;
    if (live?.status === 'PENDING_CANCEL') return again || this.refuse(VENUE_CODES.cancelNotAllowed.code);
    if (live === null || !this.venue.requestCancel(live)) return this.refuse(VENUE_CODES.cancelNotAllowed.code);
    this.tell(order);
    this.later(this.delays.cancelMs, () => {
      if (order.live !== null) this.venue.finishCancel(order.live, this.nowMs);
    });
    return true;
  }

  filled(live: VenueOrder, fill: Fill): void {
    const order = this.#orderOf(live);
    const match = this.#match;
    if (match === null) throw new InvariantError('a fill follows its match');
    order.feeUnits += fill.fee;
    const { tradeId, bidId, askId } = match;
    const { instrument, side } = live;
    const { price, lots, timeMs, isMaker, fee, feeInBase } = fill;
    const common = { instrument, tradeId, bidId, askId, price, lots, timeMs, isBuyer: side === 'buy', isMaker, fee, feeInBase };
    const trade = this.newTrade(order, common, fill);
    this.visible(() => this.orders.showTrade(order.account, trade));
    if (live.status === 'FILLED') this.#end(order);
    else this.tell(order);
  }

  ended(live: VenueOrder): void {
    this.#end(this.#orderOf(live));
  }

  /** Opens the book of an instrument of the venue. */
  protected openMarket(instrument: Instrument, isSpent: IsSpent): void {
    const book = this.venue.book(instrument);
    const tape = new Tape();
    const listener = {
      matched: (match: Match): void => {
        this.#match = match;
        book.lastPrice = match.price;
        tape.print(match);
        this.traded(market, match);
      },
      backgroundId: () => this.nextBackgroundId(),
    };
    const market: TradedMarket = { instrument, matcher: new Matcher(book, isSpent, listener, this.#tradeIds), tape, outsidePrice: 0 };
    this.#byName.set(instrument.wireName, market);
    this.#byInstrument.set(instrument, market);
  }

  protected nextOrderId(): string {
    return wireId(this.#prefix, ++this.#lastOrder);
  }
  protected nextTradeId(): number {
    return ++this.#tradeIds.lastTradeId;
  }
  protected nextBackgroundId(): string {
    return wireId(BACKGROUND_PREFIX, ++this.#background);
  }

  #admit(order: O): void {
    const { live } = order;
    if (live === null) return;
    const { matcher } = this.marketOf(order.instrument);
    order.isAdmitted = true;
    this.admitted(order);
    order.resting = matcher.enter(order.id, live, this.nowMs);
    // What finds no counterparty and does not rest is cancelled (exchange dialect, 10.3).
    if (live.isOpen && order.resting === null) this.venue.cancel(live, this.nowMs);
  }

  #end(order: O): void {
    const { live, resting } = order;
    if (live === null) throw new InvariantError('an order ends once');
    if (resting !== null) this.marketOf(order.instrument).matcher.book.remove(resting);
    order.resting = null;
    order.ended = shownOf(order, live);
    this.tell(order);
    this.#live.delete(live.id);
    order.live = null;
    // Not before the matcher, which may be in the middle of this order, has seen that it is closed.
    this.scheduler.at(this.nowMs, () => this.venue.release(live));
  }

  /** Lets reads see the order as it is now, after the visibility delay. */
  protected tell(order: O): void {
    const shown = order.ended ?? (order.live === null ? null : shownOf(order, order.live));
    if (shown !== null) this.visible(() => this.orders.show(order, shown));
  }

  /** Runs what changes what reads show, after the visibility delay. */
  protected visible(run: () => void): void {
    if (this.delays.visibilityMs === 0) run();
    else this.later(this.delays.visibilityMs, run);
  }

  protected later(ms: number, run: () => void): void {
    this.scheduler.at(this.nowMs + ms, run);
  }

  #orderOf(live: VenueOrder): O {
    const order = this.#live.get(live.id);
    if (order === undefined) throw new InvariantError(`the venue has an order ${live.id} that the exchange has not`);
    return order;
  }

  protected refuse(code: number): false {
    this.refusal = code;
    return false;
  }
}

const shownOf = ({ isAdmitted, feeUnits, profitUnits }: UserOrder, { status, filledLots, filledUnits }: VenueOrder): Shown => ({
  status,
  isAdmitted,
  filledLots,
  filledUnits,
  feeUnits,
  profitUnits,
});
