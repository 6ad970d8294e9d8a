// Keeps lists of own trades and the text of each row. Bots read these lists often, and usually few trades are new.

import type { Instrument } from '../../model/instrument.ts';
import { encodeListOf, encodeRow, type AnswerShape, type Listing } from '../../protocol/shapes/answer.ts';
import type { Variants } from '../../protocol/shapes/variants.ts';
import type { OwnTrade, UserOrder, UserOrders } from '../orders/userOrder.ts';

/** Longest body that is cached, in characters. */
const MAX_BODY_LENGTH = 1 << 18;
/** Characters of all cached bodies together. */
const MAX_TOTAL_LENGTH = 1 << 23;
const MAX_BODIES = 128;
/** Number of rows whose text is cached. */
const MAX_ROWS = 1 << 14;

/** A body, and the number of trades that it was made from. */
interface CachedBody {
  readonly tradeCount: number;
  readonly body: string;
}

/** What a list shows. */
export interface TradeQuery {
  readonly account: number;
  /** Null: every instrument. */
  readonly instrument: Instrument | null;
  readonly limit: number;
  /** The first id; null: the newest trades. */
  readonly fromId: number | null;
}

/** How a list and its rows are written as text. */
export interface TradeText<T, R> {
  readonly answer: AnswerShape<Listing<R>>;
  readonly recordOf: (trade: T) => R;
  readonly variants: Variants;
}

/** Caches lists of own trades. Trades are only added and never change: with an equal number of trades, a list is the same. */
export class TradeLists<T extends OwnTrade, R> {
  /** Cached bodies by request, the oldest first. */
  readonly #bodies = new Map<string, CachedBody>();
  /** Rows by account and by the index of the trade in the list of the account. */
  readonly #rows = new Map<number, Map<number, string>>();
  #rowCount = 0;
  #totalLength = 0;
  readonly #orders: Pick<UserOrders<UserOrder, T>, 'tradeCount' | 'tradeIndexes' | 'tradeAt'>;
  readonly #text: TradeText<T, R>;

  constructor(orders: Pick<UserOrders<UserOrder, T>, 'tradeCount' | 'tradeIndexes' | 'tradeAt'>, text: TradeText<T, R>) {
    this.#orders = orders;
    this.#text = text;
  }

  /** Returns the body of a list. */
  bodyOf({ account, instrument, limit, fromId }: TradeQuery): string {
    const request = `${account} ${instrument?.id ?? ''} ${limit} ${fromId}`;
    const tradeCount = this.#orders.tradeCount(account);
    const cached = this.#bodies.get(request);
    if (cached?.tradeCount === tradeCount) return cached.body;
    const rows = this.#orders.tradeIndexes(account, instrument, limit, fromId).map((index) => this.#rowAt(account, index));
    const body = encodeListOf(this.#text.answer, rows, this.#text.variants);
    this.#forget(request);
    if (body.length > MAX_BODY_LENGTH) return body;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bodies.size < MAX_BODIES && this.#totalLength + body.length <= MAX_TOTAL_LENGTH) break;
      this.#forget(oldest);
    }
    this.#bodies.set(request, { tradeCount, body });
    this.#totalLength += body.length;
    return body;
  }
  #forget(request: string): void {
    this.#totalLength -= this.#bodies.get(request)?.body.length ?? 0;
    this.#bodies.delete(request);
  }

  /** Returns the row of a trade. */
  #rowAt(accountIndex: number, index: number): string {
    const knownRow = this.#rows.get(accountIndex)?.get(index);
    if (knownRow !== undefined) return knownRow;
    const { answer, recordOf, variants } = this.#text;
    const row = encodeRow(answer, recordOf(this.#orders.tradeAt(accountIndex, index)), variants);
    if (this.#rowCount >= MAX_ROWS) {
      this.#rows.clear();
      this.#rowCount = 0;
    }
    const rowsOfAccount = this.#rows.get(accountIndex) ?? new Map<number, string>();
    this.#rows.set(accountIndex, rowsOfAccount.set(index, row));
    this.#rowCount++;
    return row;
  }
}
