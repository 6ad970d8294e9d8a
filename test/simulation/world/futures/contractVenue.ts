// The exchange of a simulated day with contracts. Records the true positions, trigger orders, funding payments and liquidations of the bot's
// account, so that rules can compare them with what the bot believes.

import type { Lots, Ticks, Units } from '../../../../src/base/brand.ts';
import { contractInstrument } from '../../../../src/paperExchange/process/file/contractEntry.ts';
import type { FuturesUserOrder } from '../../../../src/paperExchange/futures/futuresOrder.ts';
import type { WireTrigger } from '../../../../src/paperExchange/futures/triggerRecord.ts';
import type { OwnTrade, UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import { triggerTrackId } from '../../../../src/adapters/exchange/calls/triggers.ts';
import type { VenuePosition } from '../../../../src/venue/futures/position.ts';
import type { FuturesSink } from '../../../../src/venue/futures/futuresVenue.ts';
import { demoKey } from '../../../../src/paperExchange/process/demo.ts';
import { instrumentId } from '../../../../src/model/instrument.ts';
import { isTwoWayTheme, themeOf } from '../themes/themedDay.ts';
import { CASH, SimulatedVenue, SYMBOLS, type SecondClient, type TrueOrder, type VenueTerms } from '../venue.ts';
import { SECOND_CONTRACT_ACCOUNT } from '../venueTerms.ts';
import { FundingPayments } from './fundingPayments.ts';

/** Lots at each level of a contract's book. A contract is worth about 1 USDT. */
const LEVEL_LOTS = 4000;
/** Share of a liquidated position's value that the liquidation costs, in millionths. */
const LIQUIDATION_FEE_PPM = 5000;

/** The name of a contract on the wire. */
export const contractName = (base: string): string => `E-${base}-USDT`;

/** Lots of the trigger order of another owner: a size that the bot does not use. */
const FOREIGN_LOTS = 7;

/** The contracts of the first two coins. */
const CONTRACTS = SYMBOLS.slice(0, 2).map((base, index) =>
  contractInstrument({ contractName: contractName(base), multiplier: '0.01', priceDigits: 2, marginDigits: 8 }, index, 'world'),
);

/**
 * The same as inverse contracts: the price is in coins per USDT, a contract has the face value of a coin, and profits and fees are in USDT. They keep the
 * names of the others, by which rules find them.
 */
const INVERSE_CONTRACTS = SYMBOLS.slice(0, 2).map((base, index) => {
  const entry = { contractName: `E-USDT-${base}`, multiplier: '1', priceDigits: 2, marginDigits: 8, inverse: true };
  const wireName = contractName(base);
  return { ...contractInstrument(entry, index, 'world'), wireName, id: instrumentId('futures', wireName) };
});

const termsOf = (seed: number): VenueTerms => ({
  market: 'futures',
  instruments: themeOf(seed) === 'inverseContracts' ? INVERSE_CONTRACTS : CONTRACTS,
  funds: { balances: {}, futures: { balances: { USDT: String(CASH) } } },
  config: { liquidationFeePpm: LIQUIDATION_FEE_PPM, fundingSeed: seed },
  levelLots: LEVEL_LOTS,
});

/** A position that the account may have: of one side of a contract in two-way mode, of both in net mode (null). */
export interface ContractPosition {
  readonly base: string;
  readonly isLong: boolean | null;
}

/** The simulated exchange with contracts, which records more about the bot's account than the exchange shows. */
export class ContractVenue extends SimulatedVenue {
  /** Trigger orders of the bot by their wire id, each in the form of an order. */
  readonly #triggers = new Map<string, TrueOrder & { readonly waiting: WireTrigger }>();
  /** Funding payments of the bot's positions. */
  readonly payments = new FundingPayments();
  /** Orders of liquidations by the exchange. */
  readonly liquidations: TrueOrder[] = [];
  /** True while a trigger order whose price was reached places its order. */
  #isFiring = false;
  /** What `#bookable` has returned for these trades and copies. */
  #bookableTo: { readonly key: string; readonly lots: ReadonlyMap<OwnTrade, number> } = { key: '', lots: new Map() };
  /** True if the account has the long and the short position of a contract apart. */
  readonly isTwoWay: boolean;
  /** Collects the trades of the liquidation that is being booked; null at other times. */
  #liquidationTrades: OwnTrade[] | null = null;

  /** A trigger order that another owner of the account has placed far from the price; null on a day without it. */
  #foreignStop: WireTrigger | null = null;
  /** By position: the minute of the newest note, and the largest size in lots in that minute and in the one before. */
  readonly #recentLots = new Map<string, { minute: number; maxLots: number; maxLotsBefore: number }>();

  /** `second`: a second client of the exchange of `first`. */
  constructor(seed: number, startMs: number, second: SecondClient | null = null) {
    super(seed, startMs, termsOf(seed), second);
    this.isTwoWay = isTwoWayTheme(themeOf(seed));
    if (seed % 2 === 0 && second === null) this.#placeForeignStop(startMs);
    this.#recordTriggers();
    this.#recordMargin();
  }

  /** Returns a second client of the exchange of `first`: on the account of the first one, or on its own. */
  static secondContractClientOf(first: ContractVenue, seed: number, sharesTheAccount: boolean): ContractVenue {
    const account = sharesTheAccount ? first.account : SECOND_CONTRACT_ACCOUNT;
    return new ContractVenue(seed, 0, { first, account, key: demoKey(2) });
  }

  /** Places a trigger order of another owner of the account, far below the price. */
  #placeForeignStop(startMs: number): void {
    const { triggers, markets } = this.service.futures;
    const { instrument, referencePrice } = markets[0]!;
    const triggerTicks = Math.round(referencePrice / 2);
    const child = {
      instrument,
      side: 'buy',
      role: 'limit',
      lots: FOREIGN_LOTS as Lots,
      quoteUnits: 0 as Units,
      limit: triggerTicks as Ticks,
    } as const;
    const times = { placedMs: startMs, sinceMs: startMs };
    const intent = { ...child, reduceOnly: false, timeInForce: null, slot: '' };
    this.#foreignStop = triggers.place(this.account, {
      kind: 'fall',
      triggerTicks: triggerTicks,
      child: intent,
      clientOrderId: 'hand-1',
      ...times,
    });
  }

  /** True if the exchange has the list of positions, which alone shows what funding was paid. */
  get listsPositions(): boolean {
    return this.exchange.config.profile.positionsEndpoint === 'on';
  }

  /** False once the trigger order of another owner has ended. */
  get isForeignStopWaiting(): boolean {
    return this.#foreignStop === null || this.#foreignStop.trigger.status === 'pending';
  }

  // --- Orders

  override openOrders(): readonly UserOrder[] {
    return [...super.openOrders(), ...this.waiting().map(({ order }) => order)];
  }

  /** Returns the orders that a kill must not leave open. Without --flatten, trigger orders that protect a position may stay. */
  override openOrdersAfterKill(flatten: boolean): readonly UserOrder[] {
    return flatten ? this.openOrders() : this.openOrders().filter((order) => !order.intent.reduceOnly || !order.id.startsWith('trigger'));
  }

  /** Returns the trigger orders that wait for their price. */
  waiting(): readonly (TrueOrder & { readonly waiting: WireTrigger })[] {
    return Array.from(this.#triggers.values()).filter(({ waiting }) => waiting.trigger.status === 'pending');
  }

  /** Returns the ids of the waiting trigger orders that close a long or short position of a coin. */
  stopsOf(base: string, isLong: boolean): ReadonlySet<string> {
    const closingSide = isLong ? 'sell' : 'buy';
    const stops = this.waiting().filter(
      ({ order: { instrument, intent } }) => instrument.base === base && intent.reduceOnly && intent.side === closingSide,
    );
    return new Set(stops.map(({ waiting }) => waiting.id));
  }

  /** True if a trigger order was cancelled before its price was reached. */
  isCanceled(id: string): boolean {
    return this.#triggers.get(id)?.waiting.trigger.status === 'canceled';
  }

  // --- Positions and money

  /** Returns the lots of a coin that the account holds; below 0 for a short position. */
  positionLots(base: string): number {
    const { wallets } = this.service.futures.venue;
    return wallets
      .openPositions(this.account)
      .filter(({ index }) => wallets.contracts[index]!.instrument.base === base)
      .reduce((lots, position) => lots + (position.isLong ? position.lots : -position.lots), 0);
  }

  /** The positions that the account may have. */
  get contractPositions(): readonly ContractPosition[] {
    const sides = this.isTwoWay ? [true, false] : [null];
    return SYMBOLS.flatMap((base) => sides.map((isLong) => ({ base, isLong })));
  }

  /** Returns the lots of one side of a contract that the account holds, at least 0. */
  sideLots(base: string, isLong: boolean): number {
    const { wallets } = this.service.futures.venue;
    return wallets
      .openPositions(this.account)
      .filter((position) => wallets.contracts[position.index]!.instrument.base === base && position.isLong === isLong)
      .reduce((sum, { lots }) => sum + lots, 0);
  }

  /** Notes the current sizes of the positions, for `maxRecentLots`. */
  notePositions(): void {
    const minute = Math.floor(this.service.nowMs / 60_000);
    for (const position of this.contractPositions) {
      const key = `${position.base} ${position.isLong}`;
      const recent = this.#recentLots.get(key) ?? { minute, maxLots: 0, maxLotsBefore: 0 };
      if (recent.minute !== minute) Object.assign(recent, { minute, maxLotsBefore: recent.maxLots, maxLots: 0 });
      recent.maxLots = Math.max(recent.maxLots, this.#lotsOf(position));
      this.#recentLots.set(key, recent);
    }
  }
  /** Returns the size of a position, lots, at least 0. */
  #lotsOf({ base, isLong }: ContractPosition): number {
    return isLong === null ? Math.abs(this.positionLots(base)) : this.sideLots(base, isLong);
  }

  /** Returns the largest size of a position in this minute and the one before, in lots: an order may arrive after its position has shrunk. */
  maxRecentLots(position: ContractPosition): number {
    const { maxLots, maxLotsBefore } = this.#recentLots.get(`${position.base} ${position.isLong}`) ?? { maxLots: 0, maxLotsBefore: 0 };
    return Math.max(maxLots, maxLotsBefore, this.#lotsOf(position));
  }

  /** Returns the number of an open position; 0 if it is not open. A net position that changes its side gets a new number. */
  positionId({ base, isLong }: ContractPosition): number {
    const { wallets } = this.service.futures.venue;
    const isIt = (position: VenuePosition): boolean =>
      wallets.contracts[position.index]!.instrument.base === base && (isLong === null || position.isLong === isLong);
    return wallets.openPositions(this.account).find(isIt)?.id ?? 0;
  }

  override heldLots(base: string): number {
    return this.positionLots(base) - this.#copyLots(base) - this.manual.tradedLots(base);
  }
  /** Returns the lots that a kill must close: the bot's lots, as far as the account still has them. */
  override closableLots(base: string): number {
    // On days in two-way mode only the bot trades, so it has all of both sides.
    if (this.isTwoWay) return this.sideLots(base, true) + this.sideLots(base, false);
    const botLots = this.heldLots(base);
    const accountLots = this.positionLots(base);
    const hasSameSide = botLots * accountLots > 0;
    return hasSameSide ? Math.min(Math.abs(botLots), Math.abs(accountLots)) : 0;
  }

  /** Returns the lots that orders of the bot have closed beyond what its orders had opened, bought minus sold. They belong to the account. */
  excessLots(base: string): number {
    let excessLots = 0;
    for (const [trade, bookableLots] of this.#bookable())
      if (trade.instrument.base === base) excessLots += (trade.lots - bookableLots) * (trade.isBuyer ? 1 : -1);
    return excessLots;
  }
  override bookableLots(trade: OwnTrade): number {
    return this.#bookable().get(trade) ?? trade.lots;
  }
  /** Returns the lots of each trade of the bot that its strategies can have: an order that only closes, closes at most what they have. */
  #bookable(): ReadonlyMap<OwnTrade, number> {
    const copies = new Set(this.orders.copies());
    // The bot may learn later which of two orders of one id is the second copy.
    const key = `${this.tradeCount} ${Array.from(copies, ({ order }) => order.id).join(' ')}`;
    if (this.#bookableTo.key === key) return this.#bookableTo.lots;
    const ownOrders = [...this.orders.byId.values(), ...this.liquidations].filter(
      (order) => !copies.has(this.orders.firedByOrderId.get(order.order.id) ?? order),
    );
    // The record of a trigger order and that of the order which it has placed have the same trades.
    const closesByTrade = new Map(
      ownOrders.flatMap(({ order, trades }) => trades.map((trade) => [trade, order.intent.reduceOnly] as const)),
    );
    const heldLots = new Map<string, number>();
    const lots = new Map<OwnTrade, number>();
    for (const [trade, closes] of [...closesByTrade].toSorted(([a], [b]) => a.tradeId - b.tradeId)) {
      const sign = trade.isBuyer ? 1 : -1;
      // In two-way mode a buy that opens, and a sale that closes, change the long side.
      const side = this.isTwoWay ? `${trade.instrument.base} ${trade.isBuyer === closes ? 'short' : 'long'}` : trade.instrument.base;
      const held = heldLots.get(side) ?? 0;
      const bookableLots = closes ? Math.min(trade.lots, Math.max(0, -held * sign)) : trade.lots;
      lots.set(trade, bookableLots);
      heldLots.set(side, held + bookableLots * sign);
    }
    this.#bookableTo = { key, lots };
    return lots;
  }

  /** Returns the lots that second copies of orders have bought, minus the lots that they have sold. */
  #copyLots(base: string): number {
    return this.#copyTrades()
      .filter(({ instrument }) => instrument.base === base)
      .reduce((lots, trade) => lots + (trade.isBuyer ? trade.lots : -trade.lots), 0);
  }

  /** Returns the trades of second copies of orders. */
  #copyTrades(): readonly OwnTrade[] {
    return this.orders.copies().flatMap(({ trades }) => trades);
  }

  /** True when a second copy of an order has traded. Then a part of a position's profit does not belong to the bot. */
  get hasCopyTrades(): boolean {
    return this.#copyTrades().length > 0;
  }

  /** Returns the cash and the margins of positions in units, without unrealised profit. */
  override units(asset: string): number {
    const { wallets } = this.service.futures.venue;
    const index = wallets.asset(asset);
    const { free, locked } = wallets.wallet(this.account, index);
    return wallets.openPositions(this.account, index).reduce((units, { marginUnits }) => units + marginUnits, free + locked);
  }

  /** Losses beyond the margin that the exchange has covered, in units. */
  get coveredUnits(): number {
    const { wallets } = this.service.futures.venue;
    return wallets.wallet(this.account, wallets.asset('USDT')).covered;
  }

  /** Records a funding payment. */
  #notePayment({ id, index }: VenuePosition, units: number): void {
    const contract = this.service.futures.venue.wallets.contracts[index]!.instrument.wireName;
    this.payments.add({ positionId: id, contract, units, timeMs: this.service.nowMs });
  }

  // --- Records

  /** Records a placed order. The order of a trigger order continues the record of the trigger order, under an id of its own. */
  protected override recordPlacement(placement: TrueOrder): void {
    const ofTrigger = this.#isFiring ? this.#firedWithoutOrder(placement.clientOrderId) : undefined;
    // A trigger order of another bot of the account has fired.
    if (this.#isFiring && ofTrigger === undefined) return void this.manual.tradesById.set(placement.order.id, []);
    if (ofTrigger === undefined) return super.recordPlacement(placement);
    this.orders.byId.set(placement.order.id, { ...placement, trades: ofTrigger.trades });
    this.orders.firedByOrderId.set(placement.order.id, ofTrigger);
    this.changeCount++;
  }
  /** Returns the first trigger order of a client order id that has fired, and whose order is not recorded yet. */
  #firedWithoutOrder(clientOrderId: string): TrueOrder | undefined {
    const recorded = new Set(this.orders.firedByOrderId.values());
    const fired = Array.from(this.#triggers.values()).filter(({ waiting: { trigger } }) => trigger.status === 'triggered');
    return fired.find((placement) => placement.clientOrderId === clientOrderId && !recorded.has(placement));
  }
  /** Cancels a second copy of a trigger order of the bot, as a person does, or the order that the copy has placed. Ignores any other id. */
  cancelTriggerCopy(id: string): void {
    const copy = this.#triggers.get(id);
    const placed = this.openOrders().find((order) => order.id === id);
    if (copy !== undefined && this.orders.copiesOf(copy.clientOrderId).includes(copy)) {
      if (copy.waiting.trigger.status === 'pending') this.service.futures.triggers.finishCancel(copy.waiting);
    } else if (placed === undefined || !this.orders.isCopy(placed, placed.clientOrderId ?? '')) return;
    else this.service.futures.cancel(placed as never, false);
    this.allowances.cancelledByExchangeIds.add(id);
    this.changeCount++;
  }

  protected override recordTrade(trade: OwnTrade): void {
    super.recordTrade(trade);
    this.#liquidationTrades?.push(trade);
  }

  /** Wraps the exchange's trigger book, so that trigger orders of the bot are recorded as orders. */
  #recordTriggers(): void {
    const { triggers } = this.service.futures;
    const [place, fireReached] = [triggers.place.bind(triggers), triggers.fireReached.bind(triggers)];
    Object.assign(triggers, {
      place: (...args: Parameters<typeof place>) => {
        const waiting = place(...args);
        if (waiting === null || waiting.trigger.account !== this.account || this.isPlacingForOther) return waiting;
        const { id, clientOrderId, placedMs, trigger } = waiting;
        const { instrument } = trigger.child;
        const orderClientId = clientOrderId ?? '';
        const order = {
          id: triggerTrackId(id, orderClientId),
          clientOrderId,
          placedMs,
          instrument,
          intent: trigger.child,
          venueOrder: null,
        };
        const placement = { order: order as unknown as UserOrder, clientOrderId: orderClientId, placedMs, trades: [], waiting };
        this.#triggers.set(id, placement);
        super.recordPlacement(placement);
        return waiting;
      },
      fireReached: (...args: Parameters<typeof fireReached>) => {
        this.#isFiring = true;
        fireReached(...args);
        this.#isFiring = false;
        this.changeCount++;
      },
    });
  }

  /** Wraps the exchange's margin events, so that funding of the bot's positions and liquidation orders are recorded. */
  #recordMargin(): void {
    const { futures } = this.service;
    // With two bots, this may be the function of the other bot's venue, which needs all arguments.
    const onFunding: FuturesSink['onFunding'] = futures.onFunding.bind(futures);
    const [onLiquidation, onReduction] = [futures.onLiquidation.bind(futures), futures.onReduction.bind(futures)];
    Object.assign(futures, {
      onFunding: (...args: Parameters<FuturesSink['onFunding']>) => {
        const [position, units] = args;
        onFunding(...args);
        if (position.account === this.account) this.#notePayment(position, units);
      },
      onReduction: (...args: Parameters<typeof onReduction>) => {
        const [position] = args;
        if (position.account === this.account && position.lots === 0) this.payments.noteClosed(position.id, futures.nowMs);
        onReduction(...args);
      },
      onLiquidation: (...args: Parameters<typeof onLiquidation>) => {
        if (args[0].account !== this.account) return onLiquidation(...args);
        const orderNumber = futures.counters.orders + 1;
        this.#liquidationTrades = [];
        onLiquidation(...args);
        const order = futures.orders.orderNumbered(orderNumber) as FuturesUserOrder;
        this.liquidations.push({ order, clientOrderId: '', placedMs: order.placedMs, trades: this.#liquidationTrades });
        this.#liquidationTrades = null;
      },
    });
  }
}
