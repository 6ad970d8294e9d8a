// Keeps lists of own trades and the text of each row. Bots read these lists often, and usually few trades are new.

import type { Instrument } from '../../model/instrument.ts';
import { encodeListOf, encodeRow, type AnswerShape, type Listing } from '../../protocol/shapes/answer.ts';
import type { Variants } from '../../protocol/shapes/variants.ts';
import type { OwnTrade, UserOrder, UserOrders } from '../orders/userOrder.ts';

/** Limits of what is kept: the characters of a body and of all bodies, the number of bodies, and the number of rows. */
const MAX_BODY_LENGTH = 1 << 18;
const MAX_TOTAL_LENGTH = 1 << 23;
const MAX_BODIES = 128;
const MAX_ROWS = 1 << 14;

/** A body, and the number of trades that it was made from. */
interface KeptBody {
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

/** How the rows of a list are written. */
export interface TradeText<T, R> {
  readonly answer: AnswerShape<Listing<R>>;
  readonly recordOf: (trade: T) => R;
  readonly variants: Variants;
}

/** Trades are only added, so a list is the same as long as the account has the same number of trades, and a row never changes. */
export class TradeLists<T extends OwnTrade, R> {
  /** Bodies by request, the oldest first. */
  readonly #kept = new Map<string, KeptBody>();
  /** Rows by account and by the index of the trade in the list of the account. */
  readonly #rows = new Map<number, Map<number, string>>();
  #rowCount = 0;
  #keptLength = 0;
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
    const cached = this.#kept.get(request);
    if (cached?.tradeCount === tradeCount) return cached.body;
    const rows = this.#orders.tradeIndexes(account, instrument, limit, fromId).map((index) => this.#rowAt(account, index));
    const body = encodeListOf(this.#text.answer, rows, this.#text.variants);
    this.#forget(request);
    if (body.length > MAX_BODY_LENGTH) return body;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MAX_BODIES && this.#keptLength + body.length <= MAX_TOTAL_LENGTH) break;
      this.#forget(oldest);
    }
    this.#kept.set(request, { tradeCount, body });
    this.#keptLength += body.length;
    return body;
  }
  #forget(request: string): void {
    this.#keptLength -= this.#kept.get(request)?.body.length ?? 0;
    this.#kept.delete(request);
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
