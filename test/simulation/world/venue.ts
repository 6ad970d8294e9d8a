// The production exchange of the world, with markets that follow a seed, and the truth about the bot's account, noted as it happens.

import { lots } from '../../../src/base/brand.ts';
import { seededRng } from '../../../src/base/number/rng.ts';
import { instrumentId, type Instrument } from '../../../src/model/instrument.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import { SERVICE_DEFAULTS } from '../../../src/paperExchange/dialect/config.ts';
import { PROFILES } from '../../../src/paperExchange/dialect/profile.ts';
import { followPrices } from '../../../src/paperExchange/market/simulatedMarket.ts';
import { walk, type PriceSource } from '../../../src/paperExchange/market/priceSource.ts';
import type { OwnTrade, UserOrder } from '../../../src/paperExchange/orders/userOrder.ts';
import { demoKey } from '../../../src/paperExchange/process/demo.ts';
import { openService } from '../../../src/paperExchange/storage/persistence.ts';
import type { Service } from '../../../src/paperExchange/service.ts';
import { writeHistory } from '../../../src/paperExchange/market/simulatedMarket.ts';

export const SYMBOLS = ['AAA', 'BBB', 'CCC', 'DDD'] as const;
export const CASH = 1_000_000;
/** Coins of the account that are not the bot's. */
const OTHER = 50;
const FIRST_TICKS = 10_000;
const HISTORY_MS = 7_200_000;

const spot = (base: string): Instrument => ({
  id: instrumentId('spot', `${base}USDT`),
  market: 'spot',
  wireName: `${base}USDT`,
  base,
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 4,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 1000,
  takerFeePpm: 1000,
});

/** An order of the bot, as the exchange has it. */
export interface TrueOrder {
  readonly order: UserOrder;
  readonly cid: string;
  readonly placedMs: number;
  readonly trades: OwnTrade[];
}

export class SimulatedVenue {
  readonly service: Service;
  readonly key = demoKey(1);
  /** Every order that was ever placed, by exchange id. */
  readonly orders = new Map<string, TrueOrder>();
  /** The same, oldest first. */
  readonly placed: TrueOrder[] = [];
  /** How many orders bear each client order id. */
  readonly byCid = new Map<string, number>();
  /** The first order of each client order id. */
  readonly ofCid = new Map<string, TrueOrder>();
  /** Creates whose second copy a network has delivered, by client order id. */
  readonly copied = new Map<string, number>();
  readonly #placed = new Map<string, TrueOrder[]>();
  tradeCount = 0;
  /** Counts all changes of orders. */
  changes = 0;
  /** A jump of all prices. */
  factor = 1;

  constructor(seed: number, startMs: number) {
    const rng = seededRng(seed ^ 0x5eed);
    const [admissionMs, visibilityMs, cancelMs] = [60, 1500, 300].map((max) => Math.floor(rng.next() * max)) as [number, number, number];
    this.service = openService(
      {
        ...SERVICE_DEFAULTS,
        instruments: SYMBOLS.map(spot),
        accounts: [
          {
            name: 'bot',
            uid: '10001',
            balances: { USDT: String(CASH), ...Object.fromEntries(SYMBOLS.map((base) => [base, String(OTHER)])) },
            keys: [this.key],
          },
        ],
        // Every other exchange carries a signed request out again if it comes again.
        profile: { ...PROFILES.seed, replayedRequest: rng.next() < 0.5 ? 'accept' : 'refuse' },
        delays: { admissionMs, visibilityMs, cancelMs },
      },
      startMs,
    );
    for (const [index, market] of this.service.markets.entries()) {
      const own = seededRng(seed * 31 + index);
      const price = writeHistory(
        market,
        walk(own, startMs - HISTORY_MS, { price: FIRST_TICKS, stepMs: 15_000, stepPpm: 150, lots: 2000 }),
        startMs,
      );
      const plain = walk(own, startMs, { price, stepMs: 12_000, stepPpm: 150, lots: 20_000 });
      const source: PriceSource = () => {
        const point = plain();
        return point === null ? null : { ...point, price: Math.round(point.price * this.factor) };
      };
      followPrices(market, source, this.service.scheduler, own, { levels: 4, spread: 2, spacing: 5, lots: 4000, price });
    }
    this.#note();
  }

  /** When something is due here. */
  get nextMs(): number {
    return (this.service.scheduler as DueQueue).nextMs;
  }

  live(): readonly UserOrder[] {
    return this.service.spot.live().filter(({ account }) => account === 0);
  }
  /** Units of an asset, free and locked. */
  units(asset: string): number {
    const { venue } = this.service.spot;
    return venue.free(0, asset) + venue.locked(0, asset);
  }

  /** What of a coin is the bot's, in lots. What second copies of its orders traded is the account's. */
  heldLots(base: string): number {
    return (this.units(base) - OTHER * 1e8 - this.#copyUnits(base)) / 1e4;
  }
  /** What of a coin a kill has to close, in lots: what a second copy has sold is sold, and what one has bought is the account's. */
  closableLots(base: string): number {
    return (this.units(base) - OTHER * 1e8 - this.#copyUnits(base, true)) / 1e4;
  }
  #copyUnits(base: string, areBuys = false): number {
    let units = 0;
    if (this.orders.size === this.ofCid.size) return units;
    for (const cid of this.copied.keys())
      for (const { isBuyer, lots: qty, fee, feeInBase, instrument } of this.copiesOf(cid).flatMap(({ trades }) => trades))
        if (instrument.base === base && (isBuyer || !areBuys)) units += (isBuyer ? qty : -qty) * 1e4 - (feeInBase ? fee : 0);
    return units;
  }
  /** Units of money that second copies have moved. */
  get copiedCash(): number {
    const trades = Array.from(this.copied.keys()).flatMap((cid) => this.copiesOf(cid).flatMap((copy) => copy.trades));
    const unitsOf = ({ isBuyer, lots: qty, price, fee, feeInBase }: OwnTrade): number =>
      (isBuyer ? -1 : 1) * qty * price * 100 - (feeInBase ? 0 : fee);
    return trades.reduce((sum, trade) => sum + unitsOf(trade), 0);
  }
  /** The orders of a client order id that are not the bot's: all but the one that it has, or the first. */
  copiesOf(cid: string): readonly TrueOrder[] {
    const all = this.#placed.get(cid) ?? [];
    if (all.length < 2) return [];
    const own = all.find(({ order }) => order.id === this.knownId(cid)) ?? all[0];
    return all.filter((each) => each !== own);
  }
  /** The order of a client order id that is the bot's. */
  ownOf(cid: string): TrueOrder | undefined {
    const known = this.copied.has(cid) ? this.knownId(cid) : null;
    return (known === null ? undefined : this.orders.get(known)) ?? this.ofCid.get(cid);
  }
  /** The exchange id that the bot has for a client order id; the world sets it. */
  knownId: (cid: string) => string | null = () => null;

  #note(): void {
    const side = this.service.spot;
    const place = side.place.bind(side);
    const book = (side as unknown as { book(account: number, trade: OwnTrade): void }).book.bind(side);
    Object.assign(side, {
      place: (...args: Parameters<typeof place>) => {
        const order = place(...args);
        if (order !== null && order.account === 0) {
          const cid = order.clientOrderId ?? '';
          const noted = { order, cid, placedMs: side.nowMs, trades: [] };
          this.orders.set(order.id, noted);
          this.placed.push(noted);
          if (!this.ofCid.has(cid)) this.ofCid.set(cid, noted);
          const placed = this.#placed.get(cid) ?? [];
          this.#placed.set(cid, placed);
          placed.push(noted);
          this.byCid.set(cid, (this.byCid.get(cid) ?? 0) + 1);
          this.changes++;
        }
        return order;
      },
      book: (account: number, trade: OwnTrade) => {
        if (account === 0) {
          this.tradeCount++;
          this.changes++;
          this.orders.get(trade.isBuyer ? trade.bidId : trade.askId)?.trades.push(trade);
        }
        book(account, trade);
      },
    });
  }
}
