// One client's view of the production exchange, with the true orders, trades and balances of its account, to which rules compare the bot's belief.

import type { Market } from '../../../src/model/instrument.ts';
import type { OrderIntent } from '../../../src/model/order.ts';
import type { ServiceRequest, ServiceResponse } from '../../../src/paperExchange/api/message.ts';
import type { KeyConfig } from '../../../src/paperExchange/dialect/config.ts';
import type { FuturesExchange } from '../../../src/paperExchange/futures/futuresExchange.ts';
import type { OwnTrade, UserOrder } from '../../../src/paperExchange/orders/userOrder.ts';
import { demoKey } from '../../../src/paperExchange/process/demo.ts';
import type { Service } from '../../../src/paperExchange/service.ts';
import type { SpotExchange } from '../../../src/paperExchange/spot/spotExchange.ts';
import { ExchangeProcess } from './exchange/exchangeProcess.ts';
import { ManualActivity } from './exchange/manualActivity.ts';
import { PlacedOrders } from './exchange/placedOrders.ts';
import { RuleAllowances } from './exchange/ruleAllowances.ts';
import { cashUnitsOf, coinUnitsOf } from './exchange/tradeUnits.ts';
import { FOREIGN_COINS, SECOND_ACCOUNT, SPOT_TERMS, UNITS_PER_COIN, UNITS_PER_LOT, type TrueOrder, type VenueTerms } from './venueTerms.ts';

export { CASH, SYMBOLS, type TrueOrder, type VenueTerms } from './venueTerms.ts';

/** Addresses from which the clients of an exchange send their requests. */
const FIRST_CLIENT_IP = '127.0.0.1';
const SECOND_CLIENT_IP = '127.0.0.2';

/** A second client of the exchange of `first`. */
export interface SecondClient {
  readonly first: SimulatedVenue;
  readonly account: number;
  readonly key: KeyConfig;
}

/** The exchange as one client sees it, with everything that happened on the client's account. */
export class SimulatedVenue {
  /** The process of the exchange, which all its clients share. */
  readonly exchange: ExchangeProcess;
  readonly market: Market;
  /** The index of the account. */
  readonly account: number;
  readonly key: KeyConfig;
  /** The orders of this client. */
  readonly orders = new PlacedOrders();
  /** What persons have done on the account. */
  readonly manual = new ManualActivity();
  readonly allowances = new RuleAllowances();
  /** Number of trades of the account until now. */
  tradeCount = 0;
  /** Number of changes of orders until now. It shows whether anything changed since an earlier check. */
  changeCount = 0;
  /** How much later reads show a trade than the state of its order, ms. */
  tradeDelayMs = 0;
  readonly #ip: string;

  /** `second`: a second client of the exchange of `first`. */
  constructor(seed: number, startMs: number, terms: VenueTerms = SPOT_TERMS, second: SecondClient | null = null) {
    this.market = terms.market;
    this.key = second?.key ?? demoKey(1);
    this.account = second?.account ?? 0;
    this.#ip = second === null ? FIRST_CLIENT_IP : SECOND_CLIENT_IP;
    this.exchange = second?.first.exchange ?? new ExchangeProcess(seed, startMs, terms, this.key);
    this.#recordOrdersAndTrades();
  }

  /** Returns a second client of the exchange: on the account of the first one, or on its own. It works while the exchange does not crash. */
  static secondClientOf(first: SimulatedVenue, sharesTheAccount: boolean): SimulatedVenue {
    const account = sharesTheAccount ? first.account : SECOND_ACCOUNT;
    return new SimulatedVenue(0, 0, SPOT_TERMS, { first, account, key: demoKey(2) });
  }

  get service(): Service {
    return this.exchange.service;
  }
  /** The side of the exchange on which the bot trades. */
  get side(): SpotExchange | FuturesExchange {
    return this.market === 'spot' ? this.service.spot : this.service.futures;
  }

  /** Lets the exchange handle a request of this client. */
  handle(request: Omit<ServiceRequest, 'ip'>, nowMs: number): ServiceResponse {
    this.exchange.placingFor = this;
    const response = this.service.handle({ ...request, ip: this.#ip }, nowMs);
    this.exchange.placingFor = null;
    return response;
  }
  /**
   * Starts the exchange again on what its disk has. Returns the orders that are missing although a reply has shown them. Throws ConfigError if
   * the store is refused.
   */
  restart(nowMs: number): readonly TrueOrder[] {
    const { exchange } = this;
    exchange.restore();
    this.#recordOrdersAndTrades();
    const lostThoughShown = this.orders.forgetLost(this.side);
    this.manual.forgetLost(this.side, exchange.config.accounts[0]!.balances ?? {});
    exchange.resume(nowMs);
    this.changeCount++;
    return lostThoughShown;
  }

  // --- Orders

  /** Returns the bot's open orders. */
  openOrders(): readonly UserOrder[] {
    return this.side.unendedOrders().filter(({ account, id }) => account === this.account && !this.manual.tradesById.has(id));
  }
  /** Returns the open orders that a kill must cancel. */
  openOrdersAfterKill(_flatten: boolean): readonly UserOrder[] {
    return this.openOrders();
  }
  /** Places an order as a person does. Returns its venue order id; null: refused. */
  placeManually(intent: OrderIntent, clientOrderId: string | null = null): string | null {
    return this.#placeFor('person', intent, clientOrderId)?.id ?? null;
  }
  /** Places an order of the bot whose request has been on its way for longer than it may. */
  placeLate(intent: OrderIntent, clientOrderId: string, nowMs: number): void {
    this.service.advance(nowMs);
    this.#placeFor(this, intent, clientOrderId);
  }
  /** Places an order of a client or of a person. */
  #placeFor(client: SimulatedVenue | 'person', intent: OrderIntent, clientOrderId: string | null): UserOrder | null {
    this.exchange.placingFor = client;
    const order = (this.side as SpotExchange).place(this.account, intent, clientOrderId);
    this.exchange.placingFor = null;
    return order;
  }
  /** True while the exchange places an order of another client, or of a person. */
  protected get isPlacingForOther(): boolean {
    const { placingFor } = this.exchange;
    return placingFor !== null && placingFor !== this;
  }

  // --- Balances

  /** Returns the free and locked units of an asset. */
  units(asset: string): number {
    const { venue } = this.service.spot;
    return venue.free(this.account, asset) + venue.locked(this.account, asset);
  }
  /** Returns the bot's holding of a coin, lots. Trades of second copies do not count: they belong to the account. */
  heldLots(base: string, copies = this.orders.copies()): number {
    return (this.#unitsWithoutOthers(base) - copiedCoinUnits(base, copies)) / UNITS_PER_LOT;
  }
  /** Returns the lots of a coin that a kill must close. Sales of second copies reduce them, but their buys belong to the account. */
  closableLots(base: string): number {
    return (this.#unitsWithoutOthers(base) - copiedCoinUnits(base, this.orders.copies(), { onlyBuys: true })) / UNITS_PER_LOT;
  }
  /** Returns the lots of a trade of the bot that its strategies can have: all of them, where no order closes more than the bot has. */
  bookableLots(trade: OwnTrade): number {
    return trade.lots;
  }
  /** Units of cash that were moved without an order of the bot: by trades of second copies, and by trades and transfers of persons. */
  get foreignCashUnits(): number {
    const trades = [...this.orders.copies().flatMap((copy) => copy.trades), ...this.manual.trades];
    return trades.reduce((sum, trade) => sum + cashUnitsOf(trade), this.manual.transferredUnits.get('USDT') ?? 0);
  }
  /** Returns the units of a coin without the start holding of the account, and without what persons have moved. */
  #unitsWithoutOthers(base: string): number {
    return this.units(base) - FOREIGN_COINS * UNITS_PER_COIN - this.manual.coinUnits(base);
  }

  // --- Records

  /** Wraps the exchange's functions that place orders and book trades, so that each call is recorded. */
  #recordOrdersAndTrades(): void {
    const { side } = this;
    const place = side.place.bind(side);
    const bookTrade = (side as unknown as { bookTrade(account: number, trade: OwnTrade): void }).bookTrade.bind(side);
    Object.assign(side, {
      place: (...args: Parameters<typeof place>) => {
        const order = place(...args);
        if (order === null || order.account !== this.account) return order;
        if (this.isPlacingForOther) this.manual.tradesById.set(order.id, []);
        else this.recordPlacement({ order, clientOrderId: order.clientOrderId ?? '', placedMs: side.nowMs, trades: [] });
        return order;
      },
      bookTrade: (account: number, trade: OwnTrade) => {
        if (account === this.account) this.recordTrade(trade);
        const usualDelays = side.delays;
        if (this.tradeDelayMs > 0) side.delays = { ...usualDelays, visibilityMs: usualDelays.visibilityMs + this.tradeDelayMs };
        bookTrade(account, trade);
        side.delays = usualDelays;
      },
    });
  }
  /** Records a trade of the bot's account. */
  protected recordTrade(trade: OwnTrade): void {
    this.tradeCount++;
    this.changeCount++;
    const orderId = trade.isBuyer ? trade.bidId : trade.askId;
    this.orders.byId.get(orderId)?.trades.push(trade);
    this.manual.tradesById.get(orderId)?.push(trade);
  }
  /** Records an order that the exchange has accepted. */
  protected recordPlacement(placement: TrueOrder): void {
    this.orders.add(placement, this.exchange.mayCrash);
    this.changeCount++;
  }
}

/** Returns the units of a coin that second copies have moved onto the account. `onlyBuys` leaves out their sales. */
function copiedCoinUnits(base: string, copies: readonly TrueOrder[], { onlyBuys = false } = {}): number {
  let copiedUnits = 0;
  for (const { order, trades } of copies) {
    if (order.instrument.base !== base) continue;
    for (const trade of trades) if (trade.isBuyer || !onlyBuys) copiedUnits += coinUnitsOf(trade);
  }
  return copiedUnits;
}
