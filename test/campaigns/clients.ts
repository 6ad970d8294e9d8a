// Simulates clients of the paper exchange that trade at random with each other, and checks every reply at the end.

import { Decimal } from 'decimal.js';
import { callAsPromise } from '../../src/adapters/exchange/client/callAsPromise.ts';
import type { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import type { Rng } from '../../src/base/number/rng.ts';
import type { Op, OpArgs, OpResult } from '../../src/protocol/endpoints/endpoints.ts';

/** Largest distance of a quoted price from the middle, in ticks. It is small, so that the orders of clients meet. */
const MAX_DISTANCE_TICKS = 40;
/** The price around which all clients quote, in USDT. */
const MIDDLE_PRICE = 65_000;
/** Rows of a page of own trades. */
const PAGE_ROWS = 1000;
const SYMBOL = 'BTCUSDT';
const CONTRACT = 'E-BTC-USDT';
const TIMES_IN_FORCE = [null, null, 'IOC', 'FOK', 'POST_ONLY'] as const;

/** An order that the exchange has acknowledged. */
interface AcknowledgedOrder {
  readonly id: string;
  readonly isSpot: boolean;
}

/** One trade of an account. `bidId` and `askId` are the ids of the two orders; that of another account may be null. */
interface OwnTrade {
  readonly tradeId: string;
  readonly bidId: string | null;
  readonly askId: string | null;
  readonly isBuyer: boolean;
  readonly quantity: string;
}

/** One client with its own account. It records every order that the exchange has acknowledged. */
export class RandomClient {
  readonly name: string;
  readonly #client: RestClient;
  readonly #rng: Rng;
  /** Every order that the exchange has acknowledged. */
  readonly #acknowledged: AcknowledgedOrder[] = [];
  /** Holdings and paid fees of this account on spot, by coin. `checkOrders` fills the map. */
  readonly amountByCoin = new Map<string, Decimal>();
  refusalCount = 0;
  cancelCount = 0;
  /** Number of rows of own trades. A self-trade has two. */
  tradeRowCount = 0;

  constructor(name: string, client: RestClient, rng: Rng) {
    this.name = name;
    this.#client = client;
    this.#rng = rng;
  }

  get orderCount(): number {
    return this.#acknowledged.length;
  }

  /** Acts until `isOver` is true. Each action waits for the reply to the one before. */
  async trade(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#placeOrCancel();
  }

  /** Places an order on one of the markets, or cancels a recent one. */
  async #placeOrCancel(): Promise<void> {
    const recent = this.#acknowledged.at(-1 - this.#drawBetween(0, 4));
    if (recent !== undefined && this.#happens(0.3)) return this.#cancel(recent);
    const isSpot = this.#happens(0.5);
    const outcome = isSpot
      ? await callAsPromise(this.#client, 'spot.newOrder', this.#spotOrder())
      : await callAsPromise(this.#client, 'futures.createOrder', this.#futuresOrder());
    if (outcome.kind === 'acked') this.#acknowledged.push({ id: outcome.value.orderId, isSpot });
    else if (outcome.kind === 'refused') this.refusalCount++;
    else throw new Error(`${this.name}: an order ended ${JSON.stringify(outcome)}`);
  }

  /** Cancels an order. The exchange may refuse that, because the order has ended. */
  async #cancel({ id, isSpot }: AcknowledgedOrder): Promise<void> {
    const outcome = isSpot
      ? await callAsPromise(this.#client, 'spot.cancelOrder', { symbol: SYMBOL, orderId: id })
      : await callAsPromise(this.#client, 'futures.cancelOrder', { contractName: CONTRACT, orderId: id });
    if (outcome.kind === 'acked') this.cancelCount++;
  }

  /** Returns the terms of a random order on spot: in a fifth of the cases a market order. */
  #spotOrder(): OpArgs<'spot.newOrder'> {
    const side = this.#happens(0.5) ? 'BUY' : 'SELL';
    const volume = new Decimal(this.#drawBetween(10, 100)).div(10_000).toFixed();
    if (this.#happens(0.2))
      return { symbol: SYMBOL, side, type: 'MARKET', volume: side === 'BUY' ? String(this.#drawBetween(20, 400)) : volume };
    return {
      symbol: SYMBOL,
      side,
      type: 'LIMIT',
      volume,
      price: (MIDDLE_PRICE + this.#drawBetween(-MAX_DISTANCE_TICKS, MAX_DISTANCE_TICKS) / 100).toFixed(2),
    };
  }

  /** Returns the terms of a random order of the contract. */
  #futuresOrder(): OpArgs<'futures.createOrder'> {
    const timeInForce = TIMES_IN_FORCE[this.#drawBetween(0, TIMES_IN_FORCE.length - 1)]!;
    return {
      contractName: CONTRACT,
      side: this.#happens(0.5) ? 'BUY' : 'SELL',
      type: 'LIMIT',
      ...(timeInForce === null ? {} : { timeInForce }),
      open: this.#happens(0.7) ? 'OPEN' : 'CLOSE',
      positionType: 1,
      volume: String(this.#drawBetween(1, 50)),
      price: (MIDDLE_PRICE + this.#drawBetween(-MAX_DISTANCE_TICKS, MAX_DISTANCE_TICKS) / 10).toFixed(1),
    };
  }

  /** Checks that each acknowledged order exists and has the fills of its trades. Throws at the first that differs. */
  async checkOrders(): Promise<void> {
    const filledByOrder = await this.#filledByTrades();
    for (const { id, isSpot } of this.#acknowledged) {
      const row = isSpot
        ? await this.#read('spot.queryOrder', { symbol: SYMBOL, orderId: id })
        : await this.#read('futures.orderInformation', { contractName: CONTRACT, orderId: id });
      if (row === null) throw new Error(`${this.name}: order ${id} was acknowledged and is lost`);
      const filledQuantity = filledByOrder.get(id) ?? new Decimal(0);
      if (!filledQuantity.equals(row.executedQty))
        throw new Error(`${this.name}: order ${id} has ${row.executedQty} filled, its trades ${filledQuantity.toFixed()}`);
    }
  }

  /** Adds an amount to the sum of its coin. */
  #addCoins(coin: string, amount: string): void {
    this.amountByCoin.set(coin, (this.amountByCoin.get(coin) ?? new Decimal(0)).plus(amount));
  }

  /** Returns the filled quantities by order id, from the own trades. Also counts the trades, and adds up `amountByCoin`. */
  async #filledByTrades(): Promise<ReadonlyMap<string, Decimal>> {
    const filledByOrder = new Map<string, Decimal>();
    const addTrade = ({ isBuyer, bidId, askId, quantity }: OwnTrade): void => {
      const ownOrderId = isBuyer ? bidId : askId;
      if (ownOrderId === null) throw new Error(`${this.name}: a trade names no own order`);
      filledByOrder.set(ownOrderId, (filledByOrder.get(ownOrderId) ?? new Decimal(0)).plus(quantity));
      this.tradeRowCount++;
    };
    const balances = (await this.#read('spot.account', {})).rows;
    for (const { asset, free, locked } of balances) for (const amount of [free, locked]) this.#addCoins(asset, amount);
    await this.#forEachTrade(
      async (fromId) => (await this.#read('spot.myTrades', { symbol: SYMBOL, limit: PAGE_ROWS, fromId })).rows,
      (trade) => {
        addTrade(trade);
        this.#addCoins(trade.feeCoin, trade.fee);
      },
    );
    await this.#forEachTrade(
      async (fromId) => (await this.#read('futures.myTrades', { contractName: CONTRACT, limit: PAGE_ROWS, fromId })).rows,
      addTrade,
    );
    return filledByOrder;
  }

  /** Calls back for every trade, page by page, the oldest first. A self-trade has two rows. */
  async #forEachTrade<T extends OwnTrade>(readPage: (fromId: string) => Promise<readonly T[]>, onTrade: (trade: T) => void): Promise<void> {
    const readTrades = new Set<string>();
    for (let fromId = '1'; ;) {
      const rows = await readPage(fromId);
      const newTrades = rows.filter(({ tradeId, isBuyer }) => !readTrades.has(`${tradeId} ${isBuyer}`));
      for (const trade of newTrades) {
        readTrades.add(`${trade.tradeId} ${trade.isBuyer}`);
        onTrade(trade);
      }
      if (rows.length < PAGE_ROWS || newTrades.length === 0) return;
      for (const { tradeId } of rows) if (BigInt(tradeId) > BigInt(fromId)) fromId = tradeId;
    }
  }

  /** Sends a read. Throws an error if it gets no result. */
  async #read<O extends Op>(op: O, args: OpArgs<O>): Promise<OpResult<O>> {
    const outcome = await callAsPromise(this.#client, op, args);
    if (outcome.kind !== 'acked') throw new Error(`${this.name}: ${op} ended ${JSON.stringify(outcome)}`);
    return outcome.value;
  }

  /** Returns a random whole number, both bounds included. */
  #drawBetween(from: number, to: number): number {
    return from + Math.floor(this.#rng.next() * (to - from + 1));
  }
  /** True with this probability. */
  #happens(probability: number): boolean {
    return this.#rng.next() < probability;
  }
}
