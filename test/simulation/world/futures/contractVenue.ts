// The exchange of a day with contracts: the true position, stops and payments of the bot's account, and what liquidations did to it.

import type { Lots, Ticks, Units } from '../../../../src/base/brand.ts';
import { contractInstrument } from '../../../../src/paperExchange/process/file/contractEntry.ts';
import type { FuturesUserOrder } from '../../../../src/paperExchange/futures/futuresOrder.ts';
import type { WireTrigger } from '../../../../src/paperExchange/futures/triggerRecord.ts';
import type { OwnTrade, UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import { triggerTrackId } from '../../../../src/adapters/exchange/calls/triggers.ts';
import type { VenuePosition } from '../../../../src/venue/futures/position.ts';
import { CASH, SimulatedVenue, SYMBOLS, type TrueOrder, type VenueTerms } from '../venue.ts';

/** Lots of a level of the book of a contract. A contract is worth about 1 USDT. */
const LEVEL_LOTS = 4000;
/** Share of its value that a liquidation costs, in millionths. */
const LIQUIDATION_FEE_PPM = 5000;

/** How long after a payment reads of its position are noted, ms. */
const READ_MS = 3_600_000;
/** How old a list of positions may be, ms. */
const LAG_MS = 5000;

/** The name of a contract on the wire. */
export const contractName = (base: string): string => `E-${base}-USDT`;

const contracts = SYMBOLS.slice(0, 2).map((base, index) =>
  contractInstrument({ contractName: contractName(base), multiplier: '0.01', priceDigits: 2, marginDigits: 8 }, index, 'world'),
);

const termsOf = (seed: number): VenueTerms => ({
  market: 'futures',
  instruments: contracts,
  funds: { balances: {}, futures: { balances: { USDT: String(CASH) } } },
  config: { liquidationFeePpm: LIQUIDATION_FEE_PPM, fundingSeed: seed },
  levelLots: LEVEL_LOTS,
});

/** A payment of funding to a position of the bot. `units` are below 0 if it was paid. */
export interface FundingPayment {
  readonly position: number;
  readonly contract: string;
  readonly units: number;
  readonly timeMs: number;
  /** When the position was closed, ms UTC; Infinity while it is open. */
  closedMs: number;
}

export class ContractVenue extends SimulatedVenue {
  /** Trigger orders in the form of orders, by their id on the wire. They keep their identity while they wait. */
  readonly #triggers = new Map<string, TrueOrder & { readonly waiting: WireTrigger }>();
  readonly payments: FundingPayment[] = [];
  /** Reads of positions after a payment. */
  readonly #reads: { readonly contract: string; readonly answeredMs: number }[] = [];
  /** Orders of liquidations by the exchange. */
  readonly liquidations: TrueOrder[] = [];
  /** True while a trigger order places its order. */
  #isFiring = false;
  /** The trades of a liquidation that is being booked. */
  #liquidationTrades: OwnTrade[] | null = null;

  /** A trigger order of another owner of the account, far from the price; null on a day without one. */
  #foreignStop: WireTrigger | null = null;
  /** The largest position of each coin in each of the last two minutes. */
  readonly #recentLots = new Map<string, { minute: number; now: number; before: number }>();

  constructor(seed: number, startMs: number) {
    super(seed, startMs, termsOf(seed));
    if (seed % 2 === 0) this.#placeForeignStop(startMs);
    this.#recordTriggers();
    this.#recordMargin();
  }

  #placeForeignStop(startMs: number): void {
    const { triggers, markets } = this.service.futures;
    const { instrument, referencePrice } = markets[0]!;
    const price = Math.round(referencePrice / 2);
    const child = { instrument, side: 'buy', role: 'limit', lots: 7 as Lots, quoteUnits: 0 as Units, limit: price as Ticks } as const;
    const times = { placedMs: startMs, sinceMs: startMs };
    const intent = { ...child, reduceOnly: false, timeInForce: null, slot: '' };
    this.#foreignStop = triggers.place(0, { kind: 'fall', price, child: intent, clientOrderId: 'hand-1', ...times });
  }
  /** False once the trigger order of another owner has ended. */
  get isForeignStopWaiting(): boolean {
    return this.#foreignStop === null || this.#foreignStop.trigger.status === 'pending';
  }

  // --- Orders

  override live(): readonly UserOrder[] {
    return [...super.live(), ...this.waiting().map(({ order }) => order)];
  }
  /** Protective trigger orders of a position may stay after a kill that does not close positions. */
  override liveAfterKill(flatten: boolean): readonly UserOrder[] {
    return flatten ? this.live() : this.live().filter((order) => !order.intent.reduceOnly || !order.id.startsWith('trigger'));
  }
  /** Returns the trigger orders that wait for their price. */
  waiting(): readonly (TrueOrder & { readonly waiting: WireTrigger })[] {
    return Array.from(this.#triggers.values()).filter(({ waiting }) => waiting.trigger.status === 'pending');
  }
  /** Returns the ids of the waiting trigger orders that close a long or short position of a coin. */
  stopsOf(base: string, isLong: boolean): ReadonlySet<string> {
    const stops = this.waiting().filter(
      ({ order: { instrument, intent } }) => instrument.base === base && intent.reduceOnly && (intent.side === 'sell') === isLong,
    );
    return new Set(stops.map(({ waiting }) => waiting.id));
  }
  /** True if a trigger order was cancelled before it fired. */
  isCanceled(id: string): boolean {
    return this.#triggers.get(id)?.waiting.trigger.status === 'canceled';
  }

  // --- Positions and money

  /** Returns the contracts that are held, below 0 for a short position. */
  positionLots(base: string): number {
    const { wallets } = this.service.futures.venue;
    return wallets
      .openPositions(0)
      .filter(({ index }) => wallets.contracts[index]!.instrument.base === base)
      .reduce((lots, position) => lots + (position.isLong ? position.lots : -position.lots), 0);
  }
  /** Notes the sizes of positions. */
  notePositions(): void {
    const minute = Math.floor(this.service.nowMs / 60_000);
    for (const base of SYMBOLS) {
      const size = Math.abs(this.positionLots(base));
      const recent = this.#recentLots.get(base) ?? { minute, now: 0, before: 0 };
      if (recent.minute !== minute) Object.assign(recent, { minute, before: recent.now, now: 0 });
      recent.now = Math.max(recent.now, size);
      this.#recentLots.set(base, recent);
    }
  }
  /** Returns the largest position of a coin in the last minute or two: an order may arrive after its position has become smaller. */
  maxRecentLots(base: string): number {
    const { now, before } = this.#recentLots.get(base) ?? { now: 0, before: 0 };
    return Math.max(now, before, Math.abs(this.positionLots(base)));
  }
  /** Returns the number of the open position of a coin; 0 without one. A position that turns round is another one. */
  positionId(base: string): number {
    const { wallets } = this.service.futures.venue;
    return wallets.openPositions(0).find(({ index }) => wallets.contracts[index]!.instrument.base === base)?.id ?? 0;
  }
  override heldLots(base: string): number {
    return this.positionLots(base) - this.#copyLots(base);
  }
  /** Returns the contracts that a kill must close: those of the bot that the account still has. */
  override closableLots(base: string): number {
    const [own, all] = [this.heldLots(base), this.positionLots(base)];
    return own * all <= 0 ? 0 : Math.min(Math.abs(own), Math.abs(all));
  }
  /** Returns the contracts that second copies have bought, less those that they have sold. */
  #copyLots(base: string): number {
    return this.#copyTrades()
      .filter(({ instrument }) => instrument.base === base)
      .reduce((lots, trade) => lots + (trade.isBuyer ? trade.lots : -trade.lots), 0);
  }
  #copyTrades(): readonly OwnTrade[] {
    return this.copies().flatMap(({ trades }) => trades);
  }
  /** True when a second copy has traded. Then the profit of a position is not the bot's alone. */
  get hasCopyTrades(): boolean {
    return this.#copyTrades().length > 0;
  }

  /** Cash with the margins of positions, without profit that is not realised. */
  override units(asset: string): number {
    const { wallets } = this.service.futures.venue;
    const index = wallets.asset(asset);
    const { free, locked } = wallets.wallet(0, index);
    return wallets.openPositions(0, index).reduce((units, { marginUnits }) => units + marginUnits, free + locked);
  }
  /** Units of losses beyond the margin that the exchange has borne. */
  get coveredUnits(): number {
    const { wallets } = this.service.futures.venue;
    return wallets.wallet(0, wallets.asset('USDT')).covered;
  }

  #notePayment({ id, index }: VenuePosition, units: number): void {
    const contract = this.service.futures.venue.wallets.contracts[index]!.instrument.wireName;
    this.payments.push({ position: id, contract, units, timeMs: this.service.nowMs, closedMs: Infinity });
  }
  /** Takes note of a read of positions that has reached the bot. */
  noteRead(target: string, answeredMs: number): void {
    if (!target.startsWith('/fapi/v1/positions')) return;
    for (const { contract, timeMs } of this.payments)
      if (timeMs > answeredMs - READ_MS && target.includes(contract)) this.#reads.push({ contract, answeredMs });
  }
  /** True if a payment could be read before its position was closed. Two reads are needed: a power loss may undo what one has led to. */
  isReadable({ contract, timeMs, closedMs }: FundingPayment): boolean {
    const times = this.#reads
      .filter((read) => read.contract === contract && read.answeredMs >= timeMs + LAG_MS && read.answeredMs < closedMs - LAG_MS)
      .map(({ answeredMs }) => answeredMs);
    return times.length > 0 && Math.max(...times) - Math.min(...times) >= LAG_MS;
  }

  // --- Records

  /** The order of a trigger order continues its record, under an id of its own. */
  protected override recordPlacement(placement: TrueOrder): void {
    const earlier = this.#isFiring ? this.firstByClientId.get(placement.clientOrderId) : undefined;
    if (earlier === undefined) return super.recordPlacement(placement);
    this.orders.set(placement.order.id, { ...placement, trades: earlier.trades });
    this.changes++;
  }

  protected override recordTrade(trade: OwnTrade): void {
    super.recordTrade(trade);
    this.#liquidationTrades?.push(trade);
  }

  #recordTriggers(): void {
    const { triggers } = this.service.futures;
    const [place, reach] = [triggers.place.bind(triggers), triggers.reach.bind(triggers)];
    Object.assign(triggers, {
      place: (...args: Parameters<typeof place>) => {
        const waiting = place(...args);
        if (waiting === null || waiting.trigger.account !== 0) return waiting;
        const { id, clientOrderId, placedMs, trigger } = waiting;
        const { instrument } = trigger.child;
        const cid = clientOrderId ?? '';
        const order = { id: triggerTrackId(id, cid), clientOrderId, placedMs, instrument, intent: trigger.child, live: null };
        const placement = { order: order as unknown as UserOrder, clientOrderId: cid, placedMs, trades: [], waiting };
        this.#triggers.set(id, placement);
        super.recordPlacement(placement);
        return waiting;
      },
      reach: (...args: Parameters<typeof reach>) => {
        this.#isFiring = true;
        reach(...args);
        this.#isFiring = false;
        this.changes++;
      },
    });
  }

  /** Records the funding of the bot's positions, and the orders of liquidations. */
  #recordMargin(): void {
    const { futures } = this.service;
    const [onFunding, onLiquidation, onReduction] = [
      futures.onFunding.bind(futures),
      futures.onLiquidation.bind(futures),
      futures.onReduction.bind(futures),
    ];
    Object.assign(futures, {
      onFunding: (position: VenuePosition, units: number) => {
        onFunding(position);
        if (position.account === 0) this.#notePayment(position, units);
      },
      onReduction: (...args: Parameters<typeof onReduction>) => {
        const [position] = args;
        if (position.account === 0 && position.lots === 0)
          for (const payment of this.payments)
            if (payment.position === position.id && payment.closedMs === Infinity) payment.closedMs = futures.nowMs;
        onReduction(...args);
      },
      onLiquidation: (...args: Parameters<typeof onLiquidation>) => {
        if (args[0].account !== 0) return onLiquidation(...args);
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
