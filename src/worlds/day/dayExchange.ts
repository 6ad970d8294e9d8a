// The paper exchange of one simulated day. Its markets follow bars, and it reports the true state of the bot's account.

import { Decimal } from '../../base/number/decimal.ts';
import { seededRng } from '../../base/number/rng.ts';
import { rowsOf, ticksOf, type BarColumns } from '../../model/bars/bars.ts';
import type { Instrument, InstrumentId, Market } from '../../model/instrument.ts';
import { lotsPerCoin } from '../../model/instrument.ts';
import { INTERVALS, nests, openOf, typicalLengthMs, type CommonInterval } from '../../model/interval.ts';
import { SERVICE_DEFAULTS } from '../../paperExchange/dialect/config.ts';
import { PROFILES } from '../../paperExchange/dialect/profile.ts';
import type { TickBar } from '../../paperExchange/market/klines.ts';
import { replayBars } from '../../paperExchange/market/priceSource.ts';
import { followPrices } from '../../paperExchange/market/simulatedMarket.ts';
import type { TradedMarket } from '../../paperExchange/market/tradedMarket.ts';
import type { OwnTrade, UserOrder } from '../../paperExchange/orders/userOrder.ts';
import { demoKey } from '../../paperExchange/process/demo.ts';
import type { Service } from '../../paperExchange/service.ts';
import { openMemoryService } from '../../paperExchange/storage/historyArchiver.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';

/** Amounts as decimals, by asset. */
type Balances = Readonly<Record<string, string>>;

/** Settings of the exchange of a day. */
export interface DayExchangeSpec {
  /** The shortest bars of each instrument, of the day and before it. */
  readonly bars: readonly BarColumns[];
  readonly startMs: number;
  /** Starting balances by market. A market is absent if the account does not have it. */
  readonly balances: { readonly spot?: Balances; readonly futures?: Balances };
  readonly liquidationFeePpm: number;
  /** Asset in which equity is counted. */
  readonly asset: string;
  /** Longest interval of a feed. At the start of the day, the exchange has klines of all intervals up to this one. */
  readonly maxInterval: CommonInterval;
  readonly seed: number;
}

/** Index of the only account of the exchange. */
const ACCOUNT = 0;
/** Number of levels of the book. */
const LEVELS = 20;
/** Distance of two levels of the book, as a part of the first price. */
const SPACING_DIVISOR = 10_000;
/** The unit of the lots of a level: this part of the median volume of a bar. */
const LOTS_DIVISOR = 4;
/** Lots of a level, in that unit. */
const LOTS_PER_LEVEL = 4;
/** Number of bars from which the median volume is computed. */
const MEDIAN_ROWS = 1000;
/** Number of klines of each interval at the start of a day, a few more than the maximum of a reply. */
const MAX_KLINES = 320;
/** Number of newest trades in the first read. */
const FIRST_TRADE_LIMIT = 64;

/** A paper exchange with the account of one bot. */
export class DayExchange {
  /** The paper exchange. */
  readonly service: Service;
  /** The API key of the account. */
  readonly key = demoKey(1);
  /** The asset in which the account's money is counted. */
  readonly asset: string;
  /** Fills of each order of the account, by venue order id. */
  readonly tradesByOrderId = new Map<string, OwnTrade[]>();
  /** Number of fills of the account. */
  tradeCount = 0;
  /** Every order that was placed on the account, oldest first within a market. */
  readonly orders: UserOrder[] = [];
  /** Number of the last order that was read, by market. */
  readonly #lastOrder: Record<Market, number> = { spot: 0, futures: 0 };
  /** Id of the last trade that was read, by market. */
  readonly #lastTrade: Record<Market, number> = { spot: 0, futures: 0 };

  constructor({ bars, startMs, balances, liquidationFeePpm, asset, maxInterval, seed }: DayExchangeSpec) {
    const rng = seededRng(seed ^ 0x5eed);
    const randomBelow = (maxMs: number): number => Math.floor(rng.next() * maxMs);
    const delays = { admissionMs: randomBelow(60), visibilityMs: randomBelow(1500), cancelMs: randomBelow(300) };
    const markets = new Set(bars.map(({ instrument }) => instrument.market));
    this.asset = asset;
    this.service = openMemoryService(
      {
        ...SERVICE_DEFAULTS,
        instruments: bars.map(({ instrument }) => instrument),
        accounts: [
          {
            name: 'bot',
            uid: '10001',
            balances: balances.spot ?? {},
            ...(balances.futures === undefined ? {} : { futures: { balances: balances.futures } }),
            keys: [{ ...this.key, permissions: { ...this.key.permissions, markets: [...markets] } }],
          },
        ],
        profile: PROFILES.seed,
        delays,
        liquidationFeePpm,
        fundingSeed: seed,
      },
      startMs,
    );
    const barsById = new Map<InstrumentId, BarColumns>(bars.map((instrumentBars) => [instrumentBars.instrument.id, instrumentBars]));
    for (const [index, market] of this.service.markets.entries()) {
      followBars(market, barsById.get(market.instrument.id)!, { startMs, maxInterval, seed: seed * 31 + index, service: this.service });
    }
  }

  /** Time of the next event of the exchange, ms UTC. */
  get nextMs(): number {
    return (this.service.scheduler as DueQueue).nextMs;
  }

  /** Reads the orders and trades since the last call. Returns true if there were any. */
  read(): boolean {
    const countBefore = this.orders.length + this.tradeCount;
    for (const { market, side } of this.#sides()) {
      const placed = side.counters.orders;
      for (let number = this.#lastOrder[market] + 1; number <= placed; number++) {
        const order = side.orders.orderNumbered(number);
        if (order !== null) this.orders.push(order);
      }
      this.#lastOrder[market] = placed;
      const newTrades = this.#tradesAfter(side.orders, this.#lastTrade[market]);
      for (const trade of newTrades) this.#record(trade);
      this.#lastTrade[market] = newTrades.at(-1)?.tradeId ?? this.#lastTrade[market];
    }
    return this.orders.length + this.tradeCount > countBefore;
  }
  /** Returns the two sides of the exchange, if the account has them. */
  *#sides() {
    const { spot, futures } = this.service.sides;
    if (spot !== null) yield { market: 'spot' as const, side: spot };
    if (futures !== null) yield { market: 'futures' as const, side: futures };
  }
  /** Returns the trades after the trade `lastId`, oldest first. */
  #tradesAfter(
    orders: { trades(account: number, instrument: null, limit: number, fromId: null): readonly OwnTrade[] },
    lastId: number,
  ): readonly OwnTrade[] {
    // Reads more and more of the newest trades, until one of them is known.
    for (let limit = FIRST_TRADE_LIMIT; ; limit *= 4) {
      const newest = orders.trades(ACCOUNT, null, limit, null);
      const knownIndex = newest.findIndex(({ tradeId }) => tradeId <= lastId);
      if (knownIndex >= 0) return newest.slice(0, knownIndex).toReversed();
      if (newest.length < limit) return newest.toReversed();
    }
  }
  /** Adds a trade to the fills of its order. */
  #record(trade: OwnTrade): void {
    this.tradeCount++;
    const orderId = trade.isBuyer ? trade.bidId : trade.askId;
    const trades = this.tradesByOrderId.get(orderId);
    if (trades) trades.push(trade);
    else this.tradesByOrderId.set(orderId, [trade]);
  }

  /** Returns the orders that have not ended. */
  unendedOrders(): readonly UserOrder[] {
    const { spot, futures } = this.service.sides;
    return [...(spot?.unendedOrders() ?? []), ...(futures?.unendedOrders() ?? [])];
  }

  /** Returns the position of the account in lots, below 0 for a short position. */
  heldLots({ instrument }: TradedMarket): number {
    const { spot, futures } = this.service.sides;
    if (instrument.market === 'spot') {
      const units = spot!.venue.free(ACCOUNT, instrument.base) + spot!.venue.locked(ACCOUNT, instrument.base);
      return units / 10 ** (instrument.baseDigits - instrument.quantityDigits);
    }
    const { wallets } = futures!.venue;
    const positions = wallets.openPositions(ACCOUNT).filter(({ index }) => wallets.contracts[index]!.instrument === instrument);
    return positions.reduce((lots, position) => lots + (position.isLong ? position.lots : -position.lots), 0);
  }

  /** Returns the lots that stops at the exchange protect. These are the lots of trigger orders that close the position. */
  protectedLots({ instrument }: TradedMarket, isLong: boolean): number {
    const { futures } = this.service.sides;
    if (futures === null || instrument.market === 'spot') return 0;
    return futures.triggers
      .pending()
      .filter(({ trigger: { child } }) => child.instrument === instrument && (child.side === 'sell') === isLong)
      .reduce((lots, { trigger: { child } }) => lots + child.lots, 0);
  }

  /** Returns the equity of the account in its asset: cash, coins at the market price, margin and unrealised profit. */
  equity(): Decimal {
    const { spot, futures } = this.service.sides;
    let sum = new Decimal(0);
    const addValue = (units: number, digits: number, price: number = 1): void => {
      sum = sum.plus(new Decimal(units).div(new Decimal(10).pow(digits)).times(price));
    };
    for (const [asset, digits] of spot?.assets() ?? []) {
      const units = spot!.venue.free(ACCOUNT, asset) + spot!.venue.locked(ACCOUNT, asset);
      const market = spot!.markets.find(({ instrument }) => instrument.base === asset && instrument.quote === this.asset);
      if (asset === this.asset) addValue(units, digits);
      else if (market) addValue(units, digits, market.referencePrice / 10 ** market.instrument.priceDigits);
    }
    const digits = futures?.assets().get(this.asset);
    if (futures === null || digits === undefined) return sum;
    const { venue } = futures;
    const { wallets } = venue;
    const index = wallets.asset(this.asset);
    const { free, locked } = wallets.wallet(ACCOUNT, index);
    const positions = wallets.openPositions(ACCOUNT, index);
    const unitsInPositions = positions.reduce((units, position) => units + position.marginUnits + venue.unrealisedProfit(position), 0);
    addValue(free + locked + unitsInPositions, digits);
    return sum;
  }
}

/** How a market follows its bars on a day. */
interface DayFollowOptions {
  readonly startMs: number;
  readonly maxInterval: CommonInterval;
  readonly seed: number;
  readonly service: Service;
}

/** Makes a market follow the bars of a day, and gives it the klines before the day. */
function followBars(market: TradedMarket, bars: BarColumns, { startMs, maxInterval, seed, service }: DayFollowOptions): void {
  const firstRow = firstRowAt(bars, startMs);
  for (const interval of INTERVALS) {
    const canBeBuilt = interval === bars.interval || nests(bars.interval, interval);
    if (!canBeBuilt) continue;
    const isNeeded = typicalLengthMs(interval) <= typicalLengthMs(maxInterval);
    market.tape.klines.restore(interval, isNeeded ? klinesBefore(bars, firstRow, interval) : []);
  }
  const barsOfDay = rowsOf(bars, firstRow, bars.length);
  const source = replayBars(barsOfDay, barsOfDay.openMs[0]!, 1);
  const price = ticksOf(barsOfDay, 'open')[0]!;
  const spacingTicks = Math.max(1, Math.round(price / SPACING_DIVISOR));
  const lots = Math.max(1, Math.round(medianLots(barsOfDay) / LOTS_DIVISOR));
  const liquidity = {
    levelsPerSide: LEVELS,
    spreadTicks: Math.max(1, Math.round(spacingTicks / 2)),
    spacingTicks,
    maxLotsPerLevel: lots * LOTS_PER_LEVEL,
  };
  followPrices(market, source, { scheduler: service.scheduler, rng: seededRng(seed), ...liquidity, openingTicks: price });
}

/** Returns the median volume of the first `MEDIAN_ROWS` bars, in lots. */
function medianLots(bars: BarColumns): number {
  const volumes = Array.from(bars.volume.subarray(0, Math.min(bars.length, MEDIAN_ROWS))).toSorted((a, b) => a - b);
  return (volumes[Math.floor(volumes.length / 2)] ?? 0) * lotsPerCoin(bars.instrument);
}

/** Returns the first row that opens at `timeMs` or later. */
export function firstRowAt({ openMs, length }: BarColumns, timeMs: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (openMs[middle]! < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the newest complete klines before row `end`, oldest first. */
function klinesBefore(bars: BarColumns, end: number, interval: CommonInterval): readonly TickBar[] {
  if (end === 0) return [];
  const columns = (['open', 'high', 'low', 'close'] as const).map((name) => ticksOf(bars, name));
  const scale = 10 ** bars.instrument.quantityDigits;
  // The newest kline first.
  const klines: { -readonly [Key in keyof TickBar]: TickBar[Key] }[] = [];
  let row = end - 1;
  for (; row >= 0; row--) {
    const openMs = openOf(interval, bars.openMs[row]!);
    const [open, high, low, close] = columns.map((column) => column[row]!) as [number, number, number, number];
    const lots = Math.round(bars.volume[row]! * scale);
    const kline = klines.at(-1);
    if (kline?.openMs === openMs) {
      kline.open = open;
      kline.high = Math.max(kline.high, high);
      kline.low = Math.min(kline.low, low);
      kline.lots += lots;
      continue;
    }
    if (klines.length === MAX_KLINES) break;
    klines.push({ openMs, open, high, low, close, lots });
  }
  // If the bars end here, the oldest kline may lack its first bars.
  if (row < 0 && interval !== bars.interval) klines.pop();
  return klines.toReversed();
}

/** Returns a fill as text, in the form of `ReportedFills`. */
export function fillTextOf({ isBuyer, lots, price, fee, feeInBase, instrument }: OwnTrade): string {
  const { quantityDigits, priceDigits, baseDigits, quoteDigits, base, quote }: Instrument = instrument;
  const scaledText = (units: number, digits: number): string => new Decimal(units).div(new Decimal(10).pow(digits)).toFixed();
  const money = feeInBase ? `${scaledText(fee, baseDigits)} ${base}` : `${scaledText(fee, quoteDigits)} ${quote}`;
  return `${isBuyer ? 'buy' : 'sell'} ${scaledText(lots, quantityDigits)} at ${price / 10 ** priceDigits} fee ${money}`;
}
