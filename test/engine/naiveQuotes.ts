// A naive backtest in decimals over spot symbols of two quote assets, with which quoteAssets.test.ts compares the engine.
// It is written from docs/quote-assets.md, docs/matching.md and docs/risk.md alone, and shares no code with the engine.

import { Decimal } from '../../src/base/number/decimal.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { MINUTE, START_MS } from './backtestFixture.ts';

/** One order of a script. */
export interface Act {
  /** Position of the symbol among the bars. */
  readonly symbol: number;
  readonly kind: 'buyQuote' | 'buyEquity' | 'buyLimit' | 'sell' | 'sellLimit';
  /** A quantity, money of the quote asset, or a share of the equity, by `kind`. */
  readonly amount: string;
  /** A price. */
  readonly limit?: string;
}

/** The input of one comparison. Money is decimal text by asset. */
export interface QuotesCase {
  readonly bars: readonly BarColumns[];
  /** The acts of a minute, which is counted from START_MS. */
  readonly script: ReadonlyMap<number, readonly Act[]>;
  readonly cash: Readonly<Record<string, string>>;
  readonly feesIn: 'received' | 'quote';
  readonly maxOrderNotional: string | null;
}

/** What the strategy read in one minute, as decimal text. The names are those of the strategy API. */
export interface SeenMinute {
  readonly minute: number;
  /** In USDT. */
  readonly equity: string;
  /** In BTC. */
  readonly equityIn: string;
  /** In USDT. */
  readonly cash: string;
  /** In BTC. */
  readonly cashIn: string;
}

/** A working order with exact amounts. */
interface Order {
  readonly symbol: number;
  readonly isBuy: boolean;
  readonly amount: Decimal;
  /** Null for a market order. */
  readonly limit: Decimal | null;
  /** The money that a buy holds back, with its fee. */
  readonly reserved: Decimal;
  /** The first minute whose row may fill it. */
  readonly sinceMinute: number;
  ending: string;
}

/** Decimals of money in USDT and in BTC. */
const MONEY_DIGITS = 8;
const MAKER_FEE = new Decimal('0.001');
const TAKER_FEE = new Decimal('0.002');
const zero = new Decimal(0);
// Roundings to a number of decimals: to the nearest (a half up), down, and up.
const roundNearest = (value: Decimal, digits = MONEY_DIGITS) => value.toDecimalPlaces(digits, Decimal.ROUND_HALF_UP);
const roundDown = (value: Decimal, digits = MONEY_DIGITS) => value.toDecimalPlaces(digits, Decimal.ROUND_DOWN);
const roundUp = (value: Decimal, digits = MONEY_DIGITS) => value.toDecimalPlaces(digits, Decimal.ROUND_UP);

/** A run of one case with cash in USDT and BTC. Its public members hold the results once `run` has ended. */
export class NaiveQuotes {
  readonly cash: Record<string, Decimal>;
  /** By symbol: the coins held. */
  readonly heldAmounts: Decimal[];
  /** Minute, symbol, side, price, quantity and fee of each fill. */
  readonly fills: string[] = [];
  /** How each order has ended: `filled`, `canceled`, `open` or a deny code. */
  readonly endings: string[] = [];
  /** Each minute with the equity at its end. */
  readonly equity: string[] = [];
  readonly minutes: SeenMinute[] = [];
  readonly #case: QuotesCase;
  /** Position of BTCUSDT among the bars: its price converts BTC to USDT. */
  readonly #rateSymbol: number;
  /** By symbol: the newest close, null before the first row. */
  readonly #closes: (Decimal | null)[];
  /** By symbol: the row of each minute that has one. */
  readonly #rowOfMinute: ReadonlyMap<number, number>[];
  #orders: Order[] = [];

  constructor(quotesCase: QuotesCase, rateSymbol: number) {
    this.#case = quotesCase;
    this.#rateSymbol = rateSymbol;
    this.cash = { USDT: new Decimal(quotesCase.cash['USDT'] ?? 0), BTC: new Decimal(quotesCase.cash['BTC'] ?? 0) };
    this.heldAmounts = quotesCase.bars.map(() => zero);
    this.#closes = quotesCase.bars.map(() => null);
    this.#rowOfMinute = quotesCase.bars.map(({ openMs }) => new Map(Array.from(openMs, (ms, row) => [(ms - START_MS) / MINUTE, row])));
  }

  /** Runs the script minute by minute: matches the rows, books the equity, and places the orders of the minute. */
  run(): this {
    const allOrders: Order[] = [];
    const lastMinute = Math.max(...this.#rowOfMinute.flatMap((rows) => [...rows.keys()]));
    for (let minute = 0; minute <= lastMinute; minute++) {
      const rowsBySymbol = this.#case.bars.map((_, symbol) => this.#rowOfMinute[symbol]!.get(minute));
      if (rowsBySymbol.every((row) => row === undefined)) continue;
      for (const [symbol, row] of rowsBySymbol.entries()) if (row !== undefined) this.#match(symbol, row, minute);
      for (const [symbol, row] of rowsBySymbol.entries()) {
        if (row !== undefined) this.#closes[symbol] = this.#price(symbol, 'close', row);
      }
      const closeMinute = minute + 1;
      this.equity.push(`${closeMinute} ${this.#equity().toFixed()}`);
      const acts = this.#case.script.get(closeMinute);
      if (acts === undefined) continue;
      const rate = this.#rate();
      this.minutes.push({
        minute: closeMinute,
        equity: this.#equity().toFixed(),
        equityIn: roundDown(this.#equity().div(rate)).toFixed(),
        cash: this.cash['USDT']!.toFixed(),
        cashIn: this.cash['BTC']!.toFixed(),
      });
      for (const act of acts) {
        if (this.#orders.some(({ symbol }) => symbol === act.symbol)) continue;
        const order = this.#orderFor(act, closeMinute);
        allOrders.push(order);
        if (order.ending === 'open') this.#orders.push(order);
      }
    }
    this.endings.push(...allOrders.map(({ ending }) => ending));
    return this;
  }

  #instrument(symbol: number) {
    return this.#case.bars[symbol]!.instrument;
  }
  /** Returns a price of a row with the digits of the symbol. */
  #price(symbol: number, column: 'open' | 'high' | 'low' | 'close', row: number): Decimal {
    return roundNearest(new Decimal(this.#case.bars[symbol]![column][row]!), this.#instrument(symbol).priceDigits);
  }
  /** Returns the newest close of BTCUSDT; before its first one, its first open. */
  #rate(): Decimal {
    return this.#closes[this.#rateSymbol] ?? this.#price(this.#rateSymbol, 'open', 0);
  }
  /** Returns cash and holdings of one quote asset at the newest closes. */
  #money(asset: string): Decimal {
    return this.heldAmounts.reduce((sum, amountHeld, symbol) => {
      if (amountHeld.isZero() || this.#instrument(symbol).quote !== asset) return sum;
      return sum.plus(roundNearest(amountHeld.times(this.#closes[symbol]!)));
    }, this.cash[asset]!);
  }
  /** Returns the equity in USDT at the newest closes. */
  #equity(): Decimal {
    return this.#money('USDT').plus(roundNearest(this.#money('BTC').times(this.#rate())));
  }
  /** Returns money of a symbol's quote asset in USDT, rounded up. */
  #inUsdt(symbol: number, money: Decimal): Decimal {
    return this.#instrument(symbol).quote === 'USDT' ? money : roundUp(money.times(this.#rate()));
  }

  /** Returns a share of the equity in the quote asset of a symbol. */
  #shareOfEquity(share: string, quote: string): Decimal {
    const usdt = roundDown(this.#equity().times(share));
    return quote === 'BTC' ? roundDown(usdt.div(this.#rate())) : usdt;
  }

  /** Returns the order of an act. One that a check denies has ended already. */
  #orderFor({ symbol, kind, amount: text, limit: limitText }: Act, closeMinute: number): Order {
    const { quote, quantityDigits, minLots } = this.#instrument(symbol);
    const mark = this.#closes[symbol]!;
    const isBuy = kind.startsWith('buy');
    const limit = limitText === undefined ? null : new Decimal(limitText);
    const isByAmount = kind === 'buyQuote' || kind === 'buyEquity';
    const amount = kind === 'buyEquity' ? this.#shareOfEquity(text, quote) : new Decimal(text);
    const minQuantity = new Decimal(Number(minLots)).div(new Decimal(10).pow(quantityDigits));
    const collar = roundUp(mark.times('1.01'), this.#instrument(symbol).priceDigits);
    const worstPrice = limit === null ? collar : Decimal.max(limit, mark);
    const worstNotional = isByAmount ? amount : roundUp(amount.times(worstPrice));
    const feeRate = this.#case.feesIn === 'quote' ? TAKER_FEE : zero;
    const costAtLimit = limit === null ? zero : roundUp(amount.times(limit));
    const cost = isByAmount ? amount : costAtLimit;
    const reserved = isBuy ? cost.plus(roundUp(cost.times(feeRate))) : zero;
    const order: Order = { symbol, isBuy, amount, limit, reserved, sinceMinute: closeMinute, ending: 'open' };
    const reservedByOthers = this.#orders
      .filter((other) => this.#instrument(other.symbol).quote === quote)
      .reduce((sum, other) => sum.plus(other.reserved), zero);
    const { maxOrderNotional } = this.#case;
    const isReduction = !isBuy && amount.lte(this.heldAmounts[symbol]!);
    const isTooSmall = amount.lt(isByAmount ? roundUp(minQuantity.times(mark)) : minQuantity);
    const isTooLarge = maxOrderNotional !== null && !isReduction && this.#inUsdt(symbol, worstNotional).gt(maxOrderNotional);
    const lacksCover = isBuy ? reservedByOthers.plus(reserved).gt(this.cash[quote]!) : amount.gt(this.heldAmounts[symbol]!);
    if (isTooSmall) order.ending = 'PRECISION';
    else if (isTooLarge) order.ending = 'NOTIONAL_MAX';
    else if (lacksCover) order.ending = 'MARGIN';
    return order;
  }

  /** Matches the open orders of a symbol with one row. */
  #match(symbol: number, row: number, minute: number): void {
    for (const order of this.#orders.filter((candidate) => candidate.symbol === symbol && candidate.sinceMinute <= minute)) {
      const open = this.#price(symbol, 'open', row);
      const { limit, isBuy } = order;
      const isMarketableAtOpen = limit === null || (isBuy ? open.lte(limit) : open.gte(limit));
      if (isMarketableAtOpen) this.#fill(order, { price: open, isMaker: false, minute });
      else if (isBuy ? this.#price(symbol, 'low', row).lt(limit) : this.#price(symbol, 'high', row).gt(limit))
        this.#fill(order, { price: limit, isMaker: true, minute });
    }
    this.#orders = this.#orders.filter(({ ending }) => ending === 'open');
  }

  /** Fills an order whole: coins, money and fee. */
  #fill(order: Order, { price, isMaker, minute }: { readonly price: Decimal; readonly isMaker: boolean; readonly minute: number }): void {
    const { symbol, isBuy, amount, limit } = order;
    const { quote, wireName, quantityDigits, baseDigits } = this.#instrument(symbol);
    const quantity = isBuy && limit === null ? roundDown(amount.div(price), quantityDigits) : amount;
    if (quantity.isZero()) {
      order.ending = 'canceled';
      return;
    }
    order.ending = 'filled';
    const notional = quantity.times(price);
    const isFeeInCoins = isBuy && this.#case.feesIn === 'received';
    const feeBase = isFeeInCoins ? quantity : notional;
    const fee = roundNearest(feeBase.times(isMaker ? MAKER_FEE : TAKER_FEE), isFeeInCoins ? baseDigits : MONEY_DIGITS);
    this.heldAmounts[symbol] = this.heldAmounts[symbol]!.plus(isBuy ? quantity : quantity.neg()).minus(isFeeInCoins ? fee : 0);
    this.cash[quote] = this.cash[quote]!.plus(isBuy ? notional.neg() : notional).minus(isFeeInCoins ? 0 : fee);
    // A taker fills at the open of the minute, a maker is reported at its end.
    const fillMinute = isMaker ? minute + 1 : minute;
    const side = isBuy ? 'buy' : 'sell';
    this.fills.push([fillMinute, wireName, side, price.toFixed(), quantity.toFixed(), fee.toFixed()].join(' '));
  }
}
