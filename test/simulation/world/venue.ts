// Runs the production exchange with seeded markets, and records every order and trade of the bot's account as they happen.

import { seededRng } from '../../../src/base/number/rng.ts';
import type { OrderIntent } from '../../../src/model/order.ts';
import type { Market } from '../../../src/model/instrument.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { SERVICE_DEFAULTS, type KeyConfig, type ServiceConfig } from '../../../src/paperExchange/dialect/config.ts';
import { PROFILES } from '../../../src/paperExchange/dialect/profile.ts';
import type { Profile } from '../../../src/paperExchange/dialect/switches.ts';
import { followPrices } from '../../../src/paperExchange/market/simulatedMarket.ts';
import type { TradedMarket } from '../../../src/paperExchange/market/tradedMarket.ts';
import { randomWalk, type PriceSource } from '../../../src/paperExchange/market/priceSource.ts';
import { orderNumberOf, type OwnTrade, type UserOrder } from '../../../src/paperExchange/orders/userOrder.ts';
import { demoKey } from '../../../src/paperExchange/process/demo.ts';
import type { FuturesExchange } from '../../../src/paperExchange/futures/futuresExchange.ts';
import type { SpotExchange } from '../../../src/paperExchange/spot/spotExchange.ts';
import { openMemoryService } from '../../../src/paperExchange/storage/historyArchiver.ts';
import type { Service } from '../../../src/paperExchange/service.ts';
import type { ServiceRequest, ServiceResponse } from '../../../src/paperExchange/api/message.ts';
import { writeHistory } from '../../../src/paperExchange/market/simulatedMarket.ts';
import { ExchangeStorage, FREE_REPLY, type HeldReply } from './hard/exchangeStorage.ts';
import { dayTermsOf } from './hard/hardDay.ts';
import { otherAccount } from './themes/otherAccount.ts';
import { FEW_CALLS, profileOfDay, themeOf } from './themes/themedDay.ts';
import { sharesAccount } from './pair/pairDay.ts';
import { rngOf } from './draws.ts';
import {
  CASH_UNITS_PER_LOT_AND_TICK,
  FIRST_TICKS,
  FOREIGN_COINS,
  HISTORY_MS,
  SECOND_ACCOUNT,
  SPOT_TERMS,
  SYMBOLS,
  UNITS_PER_COIN,
  UNITS_PER_LOT,
  type TrueOrder,
  type VenueTerms,
} from './venueTerms.ts';

export { CASH, SYMBOLS, type TrueOrder, type VenueTerms } from './venueTerms.ts';

/** A second client of the exchange of `first`. */
export interface SecondClient {
  readonly first: SimulatedVenue;
  readonly account: number;
  readonly key: KeyConfig;
}

/** The exchange as one client sees it, with everything that happened on the client's account. */
export class SimulatedVenue {
  service: Service;
  readonly market: Market;
  /** The index of the account. */
  readonly account: number;
  readonly key: KeyConfig;
  readonly #ip: string;
  /** Who sends the order that the exchange is placing: a client or a person. Null while it handles no request. All clients share the object. */
  readonly #placing: { by: SimulatedVenue | 'person' | null };
  /** Every order that was ever placed, by venue order id. */
  readonly orders = new Map<string, TrueOrder>();
  /** Every order that was ever placed, oldest first. */
  readonly placed: TrueOrder[] = [];
  /** Number of orders of each client order id. */
  readonly orderCountByClientId = new Map<string, number>();
  /** The first order of each client order id. */
  readonly firstByClientId = new Map<string, TrueOrder>();
  /** By client order id: number of second copies of its create request that the network has delivered. */
  readonly copyCountByClientId = new Map<string, number>();
  /** Client order ids that have more than one order. */
  readonly repeatedIds = new Set<string>();
  readonly #ordersByClientId = new Map<string, TrueOrder[]>();
  tradeCount = 0;
  /** Number of orders that crashes of the exchange have undone. */
  lostOrders = 0;
  /** Number of changes of orders until now. It shows whether anything changed since an earlier check. */
  changes = 0;
  /** Factor of all prices, changed by price jumps. */
  priceFactor = 1;
  /** Client order ids of orders that the exchange has placed although it has refused them. */
  readonly refusedIds = new Set<string>();
  /** Until this time the exchange is in maintenance, ms UTC. */
  closedUntilMs = -Infinity;
  /** Ids of orders that the exchange has cancelled by itself. */
  readonly cancelledIds = new Set<string>();
  /** How much later reads show a trade than the state of its order, ms. */
  lateTradesMs = 0;

  /** True if a kill has an older copy of the journal. It may then reuse the number of an order that had no effect. */
  isJournalOld = false;
  /** By client order id, for orders that arrived later than the bot assumes or that were refused: until when the bot need not know them, ms. */
  readonly lateUntilMsById = new Map<string, number>();
  /** Trades of orders that a person placed by hand, by venue order id. */
  readonly manualTradesById = new Map<string, OwnTrade[]>();
  /** Units of each asset that a person has deposited; below 0: withdrawn. */
  readonly transferred = new Map<string, number>();
  readonly #config: ServiceConfig;
  /** Makes each market follow its prices. */
  readonly #follows: ((market: TradedMarket, price: number) => void)[] = [];
  /** The storage of the exchange; null for an exchange that does not crash. */
  #storage: ExchangeStorage | null = null;
  /** Orders that no reply has shown to the bot yet. */
  readonly #unshown = new Set<TrueOrder>();

  /** `second`: a second client of the exchange of `first`. */
  constructor(seed: number, startMs: number, terms: VenueTerms = SPOT_TERMS, second: SecondClient | null = null) {
    this.market = terms.market;
    this.key = second?.key ?? demoKey(1);
    this.account = second?.account ?? 0;
    this.#ip = second === null ? '127.0.0.1' : '127.0.0.2';
    this.#placing = second === null ? { by: null } : second.first.#placing;
    if (second !== null) {
      this.service = second.first.service;
      this.#config = second.first.#config;
      this.#recordOrdersAndTrades();
      return;
    }
    const rng = rngOf(seed, 'venue');
    const hasTwoBots = themeOf(seed) === 'twoBots';
    const isAccountShared = hasTwoBots && sharesAccount(seed, terms.market);
    const drawBelow = (maxMs: number): number => Math.floor(rng.next() * maxMs);
    const admissionMs = drawBelow(60);
    const visibilityMs = drawBelow(dayTermsOf(seed).maxVisibilityMs);
    const cancelMs = drawBelow(300);
    this.#config = {
      ...SERVICE_DEFAULTS,
      ...terms.config,
      instruments: terms.instruments,
      accounts: [
        { name: 'bot', uid: '10001', ...terms.funds, keys: [this.key, ...(isAccountShared ? [demoKey(2)] : [])] },
        ...(themeOf(seed) === null || terms.market === 'futures' ? [] : [otherAccount(SYMBOLS)]),
        ...(hasTwoBots && !isAccountShared ? [{ name: 'second', uid: '10003', ...terms.funds, keys: [demoKey(2)] }] : []),
      ],
      // In about half of the seeds the exchange executes a repeated request again.
      profile: {
        ...PROFILES.seed,
        replayedRequest: rng.next() < 0.5 ? 'accept' : 'refuse',
        ...(dayTermsOf(seed).hidesClientIds ? { openOrdersClientId: 'off' } : {}),
        ...(themeOf(seed) === 'dialects' ? profileOfDay(seed) : {}),
      },
      delays: { admissionMs, visibilityMs, cancelMs },
      ...(themeOf(seed) === 'fewCalls' ? { limits: FEW_CALLS } : {}),
      ...(themeOf(seed) === 'twins' || themeOf(seed) === 'longLists' ? { maxOpenOrdersPerSymbol: 10_000 } : {}),
    };
    this.service = openMemoryService(this.#config, startMs);
    for (const [index, market] of this.service.markets.entries()) {
      const marketRng = seededRng(seed * 31 + index);
      const price = writeHistory(
        market,
        randomWalk(marketRng, startMs - HISTORY_MS, { firstTicks: FIRST_TICKS, stepMs: 15_000, stepPpm: 150, lots: 2000 }),
        startMs,
      );
      const nextPoint = randomWalk(marketRng, startMs, { firstTicks: price, stepMs: 12_000, stepPpm: 150, lots: 20_000 });
      const follow = (followed: TradedMarket, openingTicks: number): void => {
        const { scheduler } = this.service;
        const source: PriceSource = () => {
          let point = nextPoint();
          // No trade happens while the exchange is down.
          while (point !== null && point.timeMs < scheduler.nowMs) point = nextPoint();
          return point === null ? null : { ...point, priceTicks: Math.round(point.priceTicks * this.priceFactor) };
        };
        const liquidity = { levelsPerSide: 4, spreadTicks: 2, spacingTicks: 5, maxLotsPerLevel: terms.levelLots, openingTicks };
        followPrices(followed, source, { scheduler, rng: marketRng, ...liquidity });
      };
      this.#follows.push(follow);
      follow(market, price);
    }
    this.#recordOrdersAndTrades();
  }

  /** Returns a second client of the exchange: on the account of the first one, or on its own. It works while the exchange does not crash. */
  static secondClientOf(first: SimulatedVenue, sharesTheAccount: boolean): SimulatedVenue {
    const account = sharesTheAccount ? first.account : SECOND_ACCOUNT;
    return new SimulatedVenue(0, 0, SPOT_TERMS, { first, account, key: demoKey(2) });
  }

  /** Time of the exchange's next event, ms; Infinity while it is down. */
  get nextMs(): number {
    return this.isDown ? Infinity : (this.service.scheduler as DueQueue).nextMs;
  }
  /** True between a crash of the exchange and its next start. */
  get isDown(): boolean {
    return this.#storage?.isDown === true;
  }
  /** Number of crashes of the exchange. */
  get crashes(): number {
    return this.#storage?.crashes ?? 0;
  }
  /** The switches of the exchange. */
  get profile(): Profile {
    return this.#config.profile;
  }
  /** Gives the exchange a disk. It must have no orders yet. */
  useStorage(storage: ExchangeStorage): void {
    this.#storage = storage;
    storage.open(() => this.service);
  }
  /**
   * Starts the exchange again on what its disk has. Returns the orders that are missing although a reply has shown them. Throws ConfigError if
   * the store is refused.
   */
  restart(nowMs: number): readonly TrueOrder[] {
    this.service = this.#storage!.open((history) => openMemoryService(this.#config, history!.lastMs));
    this.#recordOrdersAndTrades();
    const missing = this.#forgetLost();
    this.service.advance(nowMs);
    for (const [index, market] of this.service.markets.entries()) this.#follows[index]!(market, market.referencePrice);
    this.changes++;
    return missing;
  }
  /** Holds the reply that the exchange has just given until all that it depends on is durable. */
  holdReply(): HeldReply {
    return this.#storage?.hold() ?? FREE_REPLY;
  }
  /** Notes a reply that has reached the bot: the exchange must not lose what it shows. */
  noteShown(body: string): void {
    for (const placement of this.#unshown) if (body.includes(placement.order.id)) this.#unshown.delete(placement);
  }

  /** Lets the exchange handle a request of this client. */
  handle(request: Omit<ServiceRequest, 'ip'>, nowMs: number): ServiceResponse {
    this.#placing.by = this;
    const response = this.service.handle({ ...request, ip: this.#ip }, nowMs);
    this.#placing.by = null;
    return response;
  }

  /** The side of the exchange on which the bot trades. */
  get side(): SpotExchange | FuturesExchange {
    return this.market === 'spot' ? this.service.spot : this.service.futures;
  }
  /** Returns the bot's open orders. */
  openOrders(): readonly UserOrder[] {
    return this.side.unendedOrders().filter(({ account, id }) => account === this.account && !this.manualTradesById.has(id));
  }
  /** Returns the open orders that a kill must cancel. */
  openOrdersAfterKill(_flatten: boolean): readonly UserOrder[] {
    return this.openOrders();
  }
  /** Returns the lots of a trade of the bot that its strategies can have: all of them, where no order closes more than the bot has. */
  bookableLots(trade: OwnTrade): number {
    return trade.lots;
  }
  /** Returns the free and locked units of an asset. */
  units(asset: string): number {
    const { venue } = this.service.spot;
    return venue.free(this.account, asset) + venue.locked(this.account, asset);
  }

  /** Returns the bot's holding of a coin, lots. Trades of second copies do not count: they belong to the account. */
  heldLots(base: string, copies = this.copies()): number {
    return (this.units(base) - FOREIGN_COINS * UNITS_PER_COIN - this.#manualUnits(base) - this.#copyUnits(base, copies)) / UNITS_PER_LOT;
  }
  /** Returns the lots of a coin that a kill must close. Sales of second copies reduce them, but their buys belong to the account. */
  closableLots(base: string): number {
    return (
      (this.units(base) - FOREIGN_COINS * UNITS_PER_COIN - this.#manualUnits(base) - this.#copyUnits(base, this.copies(), true)) /
      UNITS_PER_LOT
    );
  }
  /** Returns the units of a coin that second copies have moved. `onlyBuys` leaves out their sales. */
  #copyUnits(base: string, copies: readonly TrueOrder[], onlyBuys = false): number {
    let units = 0;
    for (const { order, trades } of copies) {
      if (order.instrument.base !== base) continue;
      for (const { isBuyer, lots: qty, fee, feeInBase } of trades)
        if (isBuyer || !onlyBuys) units += (isBuyer ? qty : -qty) * UNITS_PER_LOT - (feeInBase ? fee : 0);
    }
    return units;
  }
  /** True while the exchange places an order of another client, or of a person. */
  protected get isPlacingForOther(): boolean {
    return this.#placing.by !== null && this.#placing.by !== this;
  }
  /** Places an order as a person does. Returns its venue order id; null: refused. */
  placeManually(intent: OrderIntent, clientOrderId: string | null = null): string | null {
    return this.#placeAs('person', intent, clientOrderId)?.id ?? null;
  }
  /** Places an order of the bot whose request has been on its way for longer than it may. */
  placeLate(intent: OrderIntent, clientOrderId: string, nowMs: number): void {
    this.service.advance(nowMs);
    this.#placeAs(this, intent, clientOrderId);
  }
  /** Places an order of a client or of a person. */
  #placeAs(by: SimulatedVenue | 'person', intent: OrderIntent, clientOrderId: string | null): UserOrder | null {
    this.#placing.by = by;
    const order = (this.side as SpotExchange).place(this.account, intent, clientOrderId);
    this.#placing.by = null;
    return order;
  }
  /** True if an order was cancelled. */
  isCancelled(id: string): boolean {
    return this.side.orders.orderNumbered(orderNumberOf(id))?.ended?.status === 'CANCELED';
  }
  /** Units of a coin that a person has moved: by trades, deposits and withdrawals. */
  #manualUnits(base: string): number {
    let moved = this.transferred.get(base) ?? 0;
    for (const { instrument, isBuyer, lots: qty, fee, feeInBase } of this.#manualTrades)
      if (instrument.base === base) moved += (isBuyer ? qty : -qty) * UNITS_PER_LOT - (feeInBase ? fee : 0);
    return moved;
  }
  /** All trades of a person by hand. */
  get #manualTrades(): readonly OwnTrade[] {
    return [...this.manualTradesById.values()].flat();
  }
  /** Units of cash that were moved without an order of the bot: by second copies, and by a person. */
  get copiedCash(): number {
    const trades = [...this.copies().flatMap((copy) => copy.trades), ...this.#manualTrades];
    const unitsOf = ({ isBuyer, lots: qty, price, fee, feeInBase }: OwnTrade): number =>
      (isBuyer ? -1 : 1) * qty * price * CASH_UNITS_PER_LOT_AND_TICK - (feeInBase ? 0 : fee);
    return trades.reduce((sum, trade) => sum + unitsOf(trade), this.transferred.get('USDT') ?? 0);
  }
  /** Returns all second copies that the network has delivered. */
  copies(): readonly TrueOrder[] {
    if (this.repeatedIds.size === 0) return [];
    return Array.from(this.repeatedIds).flatMap((id) => (this.copyCountByClientId.has(id) ? this.copiesOf(id) : []));
  }
  /** Returns the second copies of a client order id: all its orders except the one that the bot knows, or else the first. */
  copiesOf(clientOrderId: string): readonly TrueOrder[] {
    const sameIdOrders = this.#ordersByClientId.get(clientOrderId) ?? [];
    if (sameIdOrders.length < 2) return [];
    const botOrder = sameIdOrders.find(({ order }) => order.id === this.venueIdInBot(clientOrderId)) ?? sameIdOrders[0];
    return sameIdOrders.filter((placedOrder) => placedOrder !== botOrder);
  }
  /** Returns the number of orders of a client order id that have filled or are open. */
  effectsOf(clientOrderId: string): number {
    const sameIdOrders = this.#ordersByClientId.get(clientOrderId) ?? [];
    return sameIdOrders.filter(({ order, trades }) => trades.length > 0 || order.venueOrder !== null).length;
  }
  /** Returns the order of a client order id that belongs to the bot. */
  ownOf(clientOrderId: string): TrueOrder | undefined {
    const venueId = this.copyCountByClientId.has(clientOrderId) ? this.venueIdInBot(clientOrderId) : null;
    return (venueId === null ? undefined : this.orders.get(venueId)) ?? this.firstByClientId.get(clientOrderId);
  }
  /** Returns the venue order id that the bot has for a client order id. The world sets this function. */
  venueIdInBot: (clientOrderId: string) => string | null = () => null;

  /** Compares the records with a restored exchange, and leaves out what it has lost. Returns the lost orders that a reply has shown. */
  #forgetLost(): readonly TrueOrder[] {
    const missing: TrueOrder[] = [];
    for (const placement of this.orders.values()) {
      const { id } = placement.order;
      const restored = this.side.orders.orderNumbered(orderNumberOf(id));
      if (restored !== null) {
        placement.order = restored;
        retainFilled(placement.trades, (restored.venueOrder ?? restored.ended)!.filledLots);
        continue;
      }
      if (!this.#unshown.delete(placement)) missing.push(placement);
      this.lostOrders++;
      placement.trades.length = 0;
      this.orders.delete(id);
      this.#forgetClientId(placement);
    }
    for (const [id, trades] of this.manualTradesById) {
      const restored = this.side.orders.orderNumbered(orderNumberOf(id));
      if (restored === null) this.manualTradesById.delete(id);
      else retainFilled(trades, (restored.venueOrder ?? restored.ended)!.filledLots);
    }
    const { accounts } = (this.side as SpotExchange).venue;
    for (const asset of this.transferred.keys()) {
      const first = (this.#config.accounts[0]!.balances ?? {})[asset] ?? '0';
      this.transferred.set(asset, accounts.external[accounts.asset(asset)]!.deposited - Number(first) * UNITS_PER_COIN);
    }
    return missing;
  }
  /** Removes a lost order from the records by client order id. */
  #forgetClientId(placement: TrueOrder): void {
    const { clientOrderId } = placement;
    const remainingOrders = (this.#ordersByClientId.get(clientOrderId) ?? []).filter((other) => other !== placement);
    this.#ordersByClientId.set(clientOrderId, remainingOrders);
    this.orderCountByClientId.set(clientOrderId, remainingOrders.length);
    if (remainingOrders.length < 2) this.repeatedIds.delete(clientOrderId);
    if (remainingOrders.length === 0) this.firstByClientId.delete(clientOrderId);
    else this.firstByClientId.set(clientOrderId, remainingOrders[0]!);
  }

  /** Wraps the exchange's functions that place orders and book trades, so that each call is recorded. */
  #recordOrdersAndTrades(): void {
    const { side } = this;
    const place = side.place.bind(side);
    const bookTrade = (side as unknown as { bookTrade(account: number, trade: OwnTrade): void }).bookTrade.bind(side);
    Object.assign(side, {
      place: (...args: Parameters<typeof place>) => {
        const order = place(...args);
        if (order === null || order.account !== this.account) return order;
        const { by } = this.#placing;
        if (by === null || by === this)
          this.recordPlacement({ order, clientOrderId: order.clientOrderId ?? '', placedMs: side.nowMs, trades: [] });
        // To a bot, an order of another bot is one that a person has placed.
        else this.manualTradesById.set(order.id, []);
        return order;
      },
      bookTrade: (account: number, trade: OwnTrade) => {
        if (account === this.account) this.recordTrade(trade);
        const usual = side.delays;
        if (this.lateTradesMs > 0) side.delays = { ...usual, visibilityMs: usual.visibilityMs + this.lateTradesMs };
        bookTrade(account, trade);
        side.delays = usual;
      },
    });
  }

  /** Records a trade of the bot's account. */
  protected recordTrade(trade: OwnTrade): void {
    this.tradeCount++;
    this.changes++;
    const orderId = trade.isBuyer ? trade.bidId : trade.askId;
    this.orders.get(orderId)?.trades.push(trade);
    this.manualTradesById.get(orderId)?.push(trade);
  }
  /** Records an order that the exchange has accepted. */
  protected recordPlacement(placement: TrueOrder): void {
    const { order, clientOrderId } = placement;
    this.orders.set(order.id, placement);
    this.placed.push(placement);
    if (this.#storage !== null) this.#unshown.add(placement);
    if (!this.firstByClientId.has(clientOrderId)) this.firstByClientId.set(clientOrderId, placement);
    const placed = this.#ordersByClientId.get(clientOrderId) ?? [];
    this.#ordersByClientId.set(clientOrderId, placed);
    placed.push(placement);
    if (placed.length > 1) this.repeatedIds.add(clientOrderId);
    this.orderCountByClientId.set(clientOrderId, (this.orderCountByClientId.get(clientOrderId) ?? 0) + 1);
    this.changes++;
  }
}

/** Removes the last trades of a restored order, down to its filled lots: the exchange lost them in its crash. */
function retainFilled(trades: OwnTrade[], filledLots: number): void {
  let [sum, count] = [0, 0];
  while (count < trades.length && sum < filledLots) sum += trades[count++]!.lots;
  trades.length = count;
}
