// Runs a second, naive backtest for comparisons: visits every instant of every feed and matches in BigInt, as docs/matching.md says.
// It shares no code with the engine, the orders, the ledger or the venue. It knows spot without volume cap and slippage, with cash for each buy.

import type { BarColumns } from '../../src/model/bars/bars.ts';
import { randomDecision, FAST_BARS, CALLBACK_SALT, SLOW_BARS, type Action, type ScriptOptions } from './randomScript.ts';

/** The input of a naive backtest. */
export interface NaiveOptions {
  readonly script: ScriptOptions;
  /** In the order of the script's feed names. */
  readonly feeds: readonly BarColumns[];
  readonly latencyMs: number;
  readonly feesIn: 'received' | 'quote';
  readonly makerPpm: number;
  readonly takerPpm: number;
  /** Cash at the start, in units. */
  readonly cash: bigint;
}

/** One fill: price in ticks, quantity in lots, money in units. */
export interface NaiveFill {
  readonly order: number;
  readonly instrument: number;
  readonly isBuy: boolean;
  readonly price: number;
  readonly lots: number;
  readonly notional: number;
  readonly fee: number;
  readonly feeInBase: boolean;
  readonly isMaker: boolean;
  readonly timeMs: number;
}

/** An order of the naive backtest. Prices are in ticks, quantities in lots. */
interface NaiveOrder {
  readonly id: number;
  readonly symbolIndex: number;
  readonly isBuy: boolean;
  readonly isMarket: boolean;
  lots: number;
  /** The amount of a buy by money, in units; 0 for an order by quantity. */
  quote: bigint;
  /** 0 for a market order without a collar. */
  limit: number;
  readonly takeProfit: number;
  readonly stopLoss: number;
  /** Distance of the trailing stop; 0 for none. */
  readonly trailing: number;
  /** Id of the entry that a bracket leg protects; 0 for other orders. */
  readonly parent: number;
  readonly slot: string;
  state: 'draft' | 'sent' | 'working' | 'cancelSent' | 'done';
  ending: string;
  /** The time from which on it may fill. */
  admittedMs: number;
  filled: number;
  isCancelRequested: boolean;
}

/** The legs of one entry. Prices are in ticks. */
interface NaiveBracket {
  readonly entry: number;
  lots: number;
  readonly stop: number;
  readonly trailing: number;
  best: number;
  readonly entryPrice: number;
  readonly armedMs: number;
  /** The instant at which its stop triggered; a row triggers it at most once. */
  triggeredMs: number;
}

/** A stop that has fired. */
interface StopFill {
  readonly symbolIndex: number;
  readonly lots: number;
  readonly price: number;
  readonly timeMs: number;
}

/** The prices of a feed in ticks. */
interface Ticks {
  readonly open: number[];
  readonly high: number[];
  readonly low: number[];
  readonly close: number[];
}

const MILLION = 1_000_000n;
/** Units of spotInstrument(): quote units of one tick times one lot, and base units of one lot. */
const UNITS_PER_TICK_LOT = 1000n;
const BASE_PER_LOT = 1000n;
const MIN_LOTS = 2;

/** Prices of spotInstrument() have two decimals. */
const TICKS_PER_UNIT_PRICE = 100;
/** A market buy by quantity is a limit at this collar beyond the last price (`fills.collar`). */
const COLLAR_PPM = 10_000;

/** Returns the limit of a market buy by quantity, in ticks. */
const collarAbove = (lastTicks: number) => Math.floor((lastTicks * (1_000_000 + COLLAR_PPM)) / 1_000_000);
/** An order is made unlike the open ones at most this often, by one lot each time. */
const MAX_UNIQUE_TRIES = 16;

/** True when `other` is an order of the strategy in the decision slot of `order`. */
const isSameSlot = (order: NaiveOrder, other: NaiveOrder) =>
  other.symbolIndex === order.symbolIndex && other.parent === 0 && other.slot === order.slot;
/** Returns the quotient, rounded to the nearest whole number, a half up. */
const halfUp = (numerator: bigint, denominator: bigint) => (numerator * 2n + denominator) / (denominator * 2n);

/** A naive backtest. Its members hold the fills, orders and equity once `run` has ended. */
export class NaiveBacktest {
  readonly fills: NaiveFill[] = [];
  readonly equity: { timeMs: number; units: number }[] = [];
  readonly orders: NaiveOrder[] = [];
  /** Number of orders that have waited for the end of another one. */
  replacements = 0;
  readonly #options: NaiveOptions;
  readonly #feeds: readonly BarColumns[];
  readonly #ticks: readonly Ticks[];
  /** Number of delivered rows, by feed. */
  readonly #nextRows: number[];
  /** The instrument of each feed. */
  readonly #symbolOfFeed: number[];
  /** By instrument: the feed with the shortest interval. */
  readonly #finestFeeds: number[];
  /** By instrument: the holding, in units of the coin. */
  readonly #heldUnits: bigint[];
  /** By instrument: the orders that have arrived at the venue, in that order. */
  readonly #books: NaiveOrder[][];
  /** By instrument: the armed brackets. */
  readonly #brackets: NaiveBracket[][];
  /** By instrument: orders whose cancel acts at the end of the row in progress. */
  readonly #cancelsAfterRow: NaiveOrder[][];
  /** By instrument: true while an exit waits for open sales to end. */
  readonly #exitPending: boolean[];
  /** By instrument: the brackets that an exit has set aside, and how many of the lots that were held then are left. */
  readonly #setAside: { brackets: NaiveBracket[]; lots: number }[];
  #openOrders: NaiveOrder[] = [];
  /** Orders that have ended at this instant. */
  readonly #endedOrders: NaiveOrder[] = [];
  /** Drafts, each with the order under cancel that it waits for (docs/strategies.md, cancel and replace). */
  #waitingReplacements: { readonly order: NaiveOrder; readonly old: NaiveOrder }[] = [];
  #dueCallbacks: { timeMs: number; run: () => void }[] = [];
  #cash: bigint;
  #nowMs = 0;
  /** Time of the fill in progress: a leg that it sends arrives at this time. Null outside of a fill. */
  #legMs: number | null = null;
  /** Fills of this instant that the script has not been notified of. */
  #unreportedFills: NaiveFill[] = [];

  constructor(options: NaiveOptions) {
    this.#options = options;
    this.#feeds = options.feeds;
    this.#cash = options.cash;
    const ticksOf = (column: Float64Array) => Array.from(column, (price) => Math.round(price * TICKS_PER_UNIT_PRICE));
    this.#ticks = options.feeds.map((bars) => ({
      open: ticksOf(bars.open),
      high: ticksOf(bars.high),
      low: ticksOf(bars.low),
      close: ticksOf(bars.close),
    }));
    this.#nextRows = options.feeds.map(() => 0);
    const ids = [...new Set(options.feeds.map(({ instrument }) => instrument.id))].toSorted();
    this.#symbolOfFeed = options.feeds.map(({ instrument }) => ids.indexOf(instrument.id));
    const intervalMs = (feed: number) => options.feeds[feed]!.closeMs[0]! - options.feeds[feed]!.openMs[0]!;
    this.#finestFeeds = ids.map((_, symbolIndex) => {
      const feedsOfSymbol = [...options.feeds.keys()].filter((feed) => this.#symbolOfFeed[feed] === symbolIndex);
      const [finest] = feedsOfSymbol.toSorted((first, second) => intervalMs(first) - intervalMs(second));
      return finest!;
    });
    this.#heldUnits = ids.map(() => 0n);
    this.#books = ids.map(() => []);
    this.#brackets = ids.map(() => []);
    this.#cancelsAfterRow = ids.map(() => []);
    this.#exitPending = ids.map(() => false);
    this.#setAside = ids.map(() => ({ brackets: [], lots: 0 }));
  }

  /** Visits all instants in their order. `fromMs`: start of the run, from which timers are counted. */
  run(fromMs: number): this {
    const { script } = this.#options;
    const readyMs = this.#readyMs();
    const periodMs = (script.timerMinutes ?? Infinity) * 60_000;
    let nextTimerMs = script.timerMinutes ? Math.floor(fromMs / periodMs + 1) * periodMs : Infinity;
    let isStarted = false;
    const lastMs = Math.max(...this.#feeds.map((bars) => bars.closeMs[bars.length - 1]!));
    for (;;) {
      const closes = this.#feeds.map((bars, feed) => bars.closeMs[this.#nextRows[feed]!] ?? Infinity);
      const instantMs = Math.min(...closes, nextTimerMs, ...this.#dueCallbacks.map(({ timeMs }) => timeMs));
      if (instantMs > lastMs) return this;
      this.#nowMs = instantMs;
      this.#runDue(instantMs);
      this.#finestFeeds.forEach((feed, symbolIndex) => {
        if (closes[feed] === instantMs) this.#matchRow(symbolIndex, feed, this.#nextRows[feed]!);
      });
      closes.forEach((close, feed) => {
        if (close === instantMs) this.#nextRows[feed]!++;
      });
      if (this.#finestFeeds.some((feed) => closes[feed] === instantMs))
        this.equity.push({ timeMs: instantMs, units: Number(this.#equity()) });
      if (!isStarted && instantMs >= readyMs) {
        isStarted = true;
        if (script.onStart) this.#act(0, CALLBACK_SALT.start);
      }
      this.#sendDrafts();
      this.#notify(isStarted);
      if (nextTimerMs <= instantMs) {
        nextTimerMs += periodMs;
        if (isStarted) this.#act(0, CALLBACK_SALT.timer);
      }
      if (!isStarted) continue;
      if (script.signals && closes[0] === instantMs && this.#crossedUp()) this.#act(0, CALLBACK_SALT.signal);
      if (script.onBar) closes.forEach((close, feed) => close === instantMs && this.#act(feed, CALLBACK_SALT.bar));
    }
  }

  /** Returns the time of the first decision, when the averages of the script have all their bars. */
  #readyMs(): number {
    const warmupRows = this.#options.script.signals ? SLOW_BARS : 0;
    return Math.max(...this.#feeds.map((bars, feed) => bars.closeMs[feed === 0 ? warmupRows : 0]!));
  }

  /** Runs the callbacks that are due at an instant, the earliest first. */
  #runDue(instantMs: number): void {
    for (;;) {
      const due = this.#dueCallbacks.find(({ timeMs }) => timeMs <= instantMs);
      if (!due) return;
      const earliest = this.#dueCallbacks.reduce((min, candidate) => (candidate.timeMs < min.timeMs ? candidate : min), due);
      this.#dueCallbacks = this.#dueCallbacks.filter((candidate) => candidate !== earliest);
      earliest.run();
    }
  }

  /** True when the fast average has crossed above the slow one. Compares the averages as products of whole numbers. */
  #crossedUp(): boolean {
    const { close } = this.#ticks[0]!;
    const endRow = this.#nextRows[0]!;
    const sumOfCloses = (bars: number, toRow: number) => close.slice(toRow - bars, toRow).reduce((sum, price) => sum + price, 0);
    const isFastAbove = (toRow: number) => sumOfCloses(FAST_BARS, toRow) * SLOW_BARS > sumOfCloses(SLOW_BARS, toRow) * FAST_BARS;
    return isFastAbove(endRow) && !isFastAbove(endRow - 1);
  }

  /** Returns the newest close of an instrument, in ticks. */
  #lastTicks(symbolIndex: number): number {
    const feed = this.#finestFeeds[symbolIndex]!;
    return this.#ticks[feed]!.close[this.#nextRows[feed]! - 1]!;
  }
  /** Returns cash and holdings at the newest closes, in units. */
  #equity(): bigint {
    return this.#heldUnits.reduce(
      (sum, lots, symbolIndex) => sum + (lots === 0n ? 0n : lots * BigInt(this.#lastTicks(symbolIndex))),
      this.#cash,
    );
  }
  /** Returns the whole lots of a holding. */
  #sellableLots(symbolIndex: number): number {
    return Number(this.#heldUnits[symbolIndex]! / BASE_PER_LOT);
  }
  /** True when less is held than the smallest order sells. */
  #isFlat(symbolIndex: number): boolean {
    return this.#heldUnits[symbolIndex]! < BigInt(MIN_LOTS) * BASE_PER_LOT;
  }
  /** Returns the lots that open orders still sell. */
  #lotsOnSale(symbolIndex: number): number {
    return this.#openOrders
      .filter((order) => order.symbolIndex === symbolIndex && !order.isBuy)
      .reduce((sum, order) => sum + order.lots - order.filled, 0);
  }

  // --- Actions of the script

  /** Lets the script decide at a closed bar, and carries out its actions. */
  #act(feed: number, salt: number): void {
    const symbolIndex = this.#symbolOfFeed[feed]!;
    const closeTicks = this.#ticks[feed]!.close[this.#nextRows[feed]! - 1]!;
    const actions = randomDecision(this.#options.script, {
      timeMs: this.#nowMs,
      feed,
      salt,
      closeTicks,
      isFlat: this.#isFlat(symbolIndex),
      heldLots: this.#sellableLots(symbolIndex),
      openOrders: [...this.#openOrders, ...this.#waitingReplacements.map(({ order }) => order)]
        .filter((order) => order.symbolIndex === symbolIndex)
        .map(({ id, slot }) => ({ id, tag: slot })),
    });
    for (const action of actions) this.#perform(symbolIndex, action);
  }

  /** Carries out one action of the script. */
  #perform(symbolIndex: number, action: Action): void {
    switch (action.kind) {
      case 'buy':
        this.#buy(symbolIndex, action);
        break;
      case 'sell':
        this.#submit(
          this.#draft(symbolIndex, false, { lots: action.lots, limit: action.limit ?? 0, slot: action.tag, isMarket: !action.limit }),
        );
        break;
      case 'exit':
        this.#exit(symbolIndex);
        break;
      case 'cancel': {
        const order = this.#openOrders.find(({ id }) => id === action.id);
        if (order) this.#cancel(order);
        this.#withdraw(({ id }) => id === action.id);
      }
    }
  }

  /** Places a buy: by lots, by money, or by a share of the equity. */
  #buy(symbolIndex: number, { quote, lots, equity, limit, tag, bracket }: Extract<Action, { kind: 'buy' }>): void {
    const orderFields = {
      slot: tag,
      takeProfit: bracket.takeProfit ?? 0,
      stopLoss: bracket.stopLoss ?? 0,
      trailing: bracket.trailing ?? 0,
    };
    if (lots !== undefined) {
      const limitTicks = limit ?? collarAbove(this.#lastTicks(symbolIndex));
      this.#submit(this.#draft(symbolIndex, true, { ...orderFields, lots, limit: limitTicks, isMarket: limit === undefined }));
      return;
    }
    const money = quote !== undefined ? BigInt(quote) * 1_000_000n : (this.#equity() * BigInt(Math.round(equity! * 1000))) / 1000n;
    this.#submit(this.#draft(symbolIndex, true, { ...orderFields, quote: money, isMarket: true }));
  }

  /** Exits: the brackets are dropped, open orders are cancelled, and the position is closed. */
  #exit(symbolIndex: number): void {
    const setAside = [...this.#setAside[symbolIndex]!.brackets, ...this.#brackets[symbolIndex]!];
    this.#setAside[symbolIndex]!.brackets = this.#brackets[symbolIndex] = [];
    this.#withdraw((draft) => draft.symbolIndex === symbolIndex);
    for (const order of this.#openOrders.filter((candidate) => candidate.symbolIndex === symbolIndex).toReversed()) {
      if (order.slot === 'exit' && order.parent === 0) continue;
      this.#cancel(order);
    }
    this.#setAside[symbolIndex] = { brackets: setAside, lots: this.#sellableLots(symbolIndex) };
    this.#close(symbolIndex);
    this.#rearmBrackets(symbolIndex);
  }
  /** Arms the brackets that an exit has set aside for what it has left of the lots that they protected, the highest stop first. */
  #rearmBrackets(symbolIndex: number): void {
    const { brackets, lots } = this.#setAside[symbolIndex]!;
    const isExiting = this.#openOrders.some((order) => order.symbolIndex === symbolIndex && order.slot === 'exit' && order.parent === 0);
    if (isExiting || this.#exitPending[symbolIndex]) return;
    this.#setAside[symbolIndex] = { brackets: [], lots: 0 };
    const armed = this.#brackets[symbolIndex]!;
    let unprotectedLots = Math.min(lots, this.#sellableLots(symbolIndex) - armed.reduce((sum, bracket) => sum + bracket.lots, 0));
    for (const bracket of brackets.toSorted((first, second) => levelOf(second) - levelOf(first))) {
      bracket.lots = Math.min(bracket.lots, unprotectedLots);
      unprotectedLots -= Math.max(0, bracket.lots);
      if (bracket.lots > 0 && !this.#isFlat(symbolIndex)) armed.push(bracket);
    }
  }
  /** Sets the brackets aside that entries have armed while an exit waited. */
  #setArmedAside(symbolIndex: number): void {
    const aside = this.#setAside[symbolIndex]!;
    if (aside.brackets.length === 0) aside.lots = 0;
    for (const bracket of this.#brackets[symbolIndex]!.splice(0)) {
      aside.brackets.push(bracket);
      aside.lots += bracket.lots;
    }
  }
  /** Sells the position, or waits until its open sells have ended. */
  #close(symbolIndex: number): void {
    if (this.#isFlat(symbolIndex)) return;
    if (this.#lotsOnSale(symbolIndex) > 0) {
      this.#exitPending[symbolIndex] = true;
      return;
    }
    this.#submit(this.#draft(symbolIndex, false, { lots: this.#sellableLots(symbolIndex), slot: 'exit', isMarket: true }));
  }

  /** Returns a new order with these fields. */
  #draft(symbolIndex: number, isBuy: boolean, fields: Partial<NaiveOrder>): NaiveOrder {
    const order: NaiveOrder = {
      lots: 0, quote: 0n, limit: 0, takeProfit: 0, stopLoss: 0, trailing: 0, parent: 0, slot: '', isMarket: false,
      state: 'draft', ending: 'open', admittedMs: NaN, filled: 0, isCancelRequested: false,
      ...fields, id: this.orders.length + 1, symbolIndex, isBuy,
    }; // prettier-ignore
    this.orders.push(order);
    return order;
  }

  /** Withdraws the waiting drafts for which `isChosen` is true. They are never sent. */
  #withdraw(isChosen: (draft: NaiveOrder) => boolean): void {
    for (const { order } of this.#waitingReplacements.filter((candidate) => isChosen(candidate.order))) {
      order.state = 'done';
      order.ending = 'canceled';
    }
    this.#waitingReplacements = this.#waitingReplacements.filter(({ order }) => order.state === 'draft');
  }
  /** Sends waiting drafts once the rows of the instant have been delivered. */
  #sendDrafts(): void {
    for (const old of this.#endedOrders.splice(0)) this.#sendAfter(old);
  }
  /** Sends the order that replaces `old`, or denies it if `old` has filled on the same side. */
  #sendAfter(old: NaiveOrder): void {
    const replacement = this.#waitingReplacements.find((candidate) => candidate.old === old)?.order;
    if (!replacement) return;
    this.#waitingReplacements = this.#waitingReplacements.filter(({ order }) => order !== replacement);
    if (old.ending === 'filled' && old.isBuy === replacement.isBuy) {
      replacement.state = 'done';
      replacement.ending = 'denied';
      return;
    }
    // A market buy by quantity takes its cap from the newest price.
    if (replacement.isBuy && replacement.isMarket && replacement.lots > 0)
      replacement.limit = collarAbove(this.#lastTicks(replacement.symbolIndex));
    this.#submit(replacement);
  }

  /** Checks an order and sends it. It waits if it replaces an order that is being cancelled. */
  #submit(order: NaiveOrder): void {
    const { latencyMs } = this.#options;
    const old = order.parent === 0 ? this.#openOrders.find((other) => isSameSlot(order, other)) : undefined;
    const isBusy = this.#waitingReplacements.some((candidate) => isSameSlot(order, candidate.order));
    if (old && !isBusy && (old.state === 'cancelSent' || old.isCancelRequested)) {
      this.#waitingReplacements.push({ order, old });
      this.replacements++;
      return;
    }
    const isRefused = this.#isSlotBusy(order) || !this.#makeUnique(order) || this.#isWrongSide(order) || !this.#mayTrade(order);
    if (isRefused) {
      order.state = 'done';
      order.ending = 'denied';
      return;
    }
    this.#openOrders.push(order);
    order.state = 'sent';
    if (latencyMs === 0 || order.parent > 0) this.#arrive(order);
    else this.#dueCallbacks.push({ timeMs: this.#nowMs + latencyMs, run: () => this.#arrive(order) });
  }
  /** True when docs/risk.md denies a buy with STOP_SIDE or TARGET_SIDE. Sells have no bracket here. */
  #isWrongSide({ symbolIndex, isBuy, isMarket, limit, stopLoss, takeProfit }: NaiveOrder): boolean {
    if (!isBuy) return false;
    const entry = isMarket ? this.#lastTicks(symbolIndex) : Math.min(limit, this.#lastTicks(symbolIndex));
    return stopLoss >= entry || (takeProfit > 0 && takeProfit < entry);
  }
  /** True when an open order of the strategy has the decision slot. */
  #isSlotBusy(order: NaiveOrder): boolean {
    return order.parent === 0 && this.#openOrders.some((other) => isSameSlot(order, other));
  }
  /** Makes an order unlike all open ones: one lot smaller each time. Returns false if that fails. */
  #makeUnique(order: NaiveOrder): boolean {
    const isTaken = () =>
      this.#openOrders.some(
        (other) =>
          other.symbolIndex === order.symbolIndex &&
          other.isBuy === order.isBuy &&
          other.limit === order.limit &&
          other.lots === order.lots &&
          other.quote === order.quote,
      );
    for (let tries = 0; isTaken(); tries++) {
      if (tries === MAX_UNIQUE_TRIES) return false;
      if (order.lots > 0) order.lots--;
      else order.quote--;
      if (order.quote === 0n && order.lots < MIN_LOTS) return false;
    }
    return true;
  }
  /** True when an order is large enough, and a sale has the lots that it sells. */
  #mayTrade(order: NaiveOrder): boolean {
    if (order.quote === 0n && order.lots < MIN_LOTS) return false;
    return order.isBuy || this.#lotsOnSale(order.symbolIndex) + order.lots <= this.#sellableLots(order.symbolIndex);
  }

  /** Puts an order into the book. A leg arrives at the time of the fill that it follows. */
  #arrive(order: NaiveOrder): void {
    order.admittedMs = order.parent > 0 && this.#legMs !== null ? this.#legMs : this.#nowMs;
    order.state = 'working';
    this.#books[order.symbolIndex]!.push(order);
    if (order.isCancelRequested) this.#cancel(order);
  }

  /** Cancels an order after the latency. */
  #cancel(order: NaiveOrder): void {
    if (order.state === 'sent') order.isCancelRequested = true;
    if (order.state !== 'working') return;
    order.state = 'cancelSent';
    const { latencyMs } = this.#options;
    if (latencyMs === 0) this.#end(order, 'canceled');
    else this.#dueCallbacks.push({ timeMs: this.#nowMs + latencyMs, run: () => this.#cancelArrives(order) });
  }
  /** Ends an order when its cancel arrives: at once if no row is in progress, else after that row. */
  #cancelArrives(order: NaiveOrder): void {
    if (order.state === 'done') return;
    const feed = this.#finestFeeds[order.symbolIndex]!;
    const isDuringRow = this.#feeds[feed]!.openMs[this.#nextRows[feed]!]! < this.#nowMs;
    if (isDuringRow) this.#cancelsAfterRow[order.symbolIndex]!.push(order);
    else this.#end(order, 'canceled');
  }
  /** Ends an order, and sends the exit that waited for it. */
  #end(order: NaiveOrder, ending: string): void {
    order.state = 'done';
    order.ending = ending;
    this.#openOrders = this.#openOrders.filter((candidate) => candidate !== order);
    this.#books[order.symbolIndex] = this.#books[order.symbolIndex]!.filter((candidate) => candidate !== order);
    // A waiting exit acts before a waiting replacement.
    if (this.#exitPending[order.symbolIndex] && this.#lotsOnSale(order.symbolIndex) === 0) {
      this.#exitPending[order.symbolIndex] = false;
      this.#setArmedAside(order.symbolIndex);
      this.#close(order.symbolIndex);
    }
    this.#rearmBrackets(order.symbolIndex);
    // Its waiting replacement is sent later, or dropped if the order has filled.
    this.#endedOrders.push(order);
  }

  // --- Matching, by the rules of docs/matching.md

  /** Matches one row of a symbol in the order of the rules of docs/matching.md. */
  #matchRow(symbolIndex: number, feed: number, row: number): void {
    const bars = this.#feeds[feed]!;
    const openMs = bars.openMs[row]!;
    const closeMs = bars.closeMs[row]!;
    const ticks = this.#ticks[feed]!;
    const open = ticks.open[row]!;
    const high = ticks.high[row]!;
    const low = ticks.low[row]!;
    this.#fillAtOpen(symbolIndex, openMs, open);
    // Rule 8: stops that the row opens beyond, then stops that it reaches.
    this.#triggerStops(symbolIndex, openMs, -Infinity, (level) => (open <= level ? open : null));
    this.#triggerStops(symbolIndex, closeMs, -Infinity, (level) => (low <= level ? Math.min(level, high) : null));
    this.#fillAtOpen(symbolIndex, openMs, open);
    // Rule 7: limits that the row trades through.
    this.#forEachOrder(symbolIndex, ({ admittedMs, limit, isBuy }) => {
      if (admittedMs > openMs || limit === 0 || (isBuy ? limit >= open : limit <= open)) return false;
      return isBuy ? low < limit : high > limit;
    }, (order) => this.#fill(order, { price: order.limit, isMaker: true, timeMs: closeMs })); // prettier-ignore
    // Rule 10: stops of entries that this row has filled.
    this.#triggerStops(symbolIndex, closeMs, closeMs, (level, { entryPrice }) => (low <= level ? Math.min(level, entryPrice) : null));
    // Rule 10: in the row of the entry, only the close is certain to come after the entry.
    for (const bracket of this.#brackets[symbolIndex]!)
      bracket.best = Math.max(bracket.best, bracket.armedMs > openMs ? ticks.close[row]! : high);
    for (const order of this.#cancelsAfterRow[symbolIndex]!.splice(0)) if (order.state !== 'done') this.#end(order, 'canceled');
    for (const order of this.#openOrders.filter((candidate) => candidate.symbolIndex === symbolIndex).toReversed()) {
      if (order.isMarket && order.lots > 0 && order.limit > 0 && order.admittedMs <= openMs) this.#cancel(order);
    }
  }

  /** Fills all orders that are marketable at the open of a row. */
  #fillAtOpen(symbolIndex: number, openMs: number, open: number): void {
    this.#forEachOrder(
      symbolIndex,
      ({ admittedMs, limit, isBuy }) => admittedMs <= openMs && (limit === 0 || (isBuy ? limit >= open : limit <= open)),
      (order) => this.#fill(order, { price: open, isMaker: false, timeMs: openMs }),
    );
  }
  /**
   * Calls `call` once for every order of the book for which `takes` is true, in the order of arrival. Orders that arrive meanwhile are
   * included.
   */
  #forEachOrder(symbolIndex: number, takes: (order: NaiveOrder) => boolean, call: (order: NaiveOrder) => void): void {
    const visited = new Set<NaiveOrder>();
    for (;;) {
      const order = this.#books[symbolIndex]!.find((candidate) => !visited.has(candidate) && takes(candidate));
      if (!order) return;
      visited.add(order);
      call(order);
    }
  }

  /** Triggers the stops for which `priceAt` returns a price, if they were armed at or after `sinceMs`. */
  #triggerStops(
    symbolIndex: number,
    timeMs: number,
    sinceMs: number,
    priceAt: (level: number, bracket: NaiveBracket) => number | null,
  ): void {
    for (const bracket of this.#brackets[symbolIndex]!.slice()) {
      const level = levelOf(bracket);
      const price = bracket.armedMs < sinceMs ? null : priceAt(level, bracket);
      if (price === null || bracket.triggeredMs === this.#nowMs) continue;
      bracket.triggeredMs = this.#nowMs;
      this.#brackets[symbolIndex] = this.#brackets[symbolIndex]!.filter((candidate) => candidate !== bracket);
      for (const order of this.#openOrders.toReversed()) {
        // Rule 8: a stop removes its target at once, even if the strategy's own cancel of the target is still on its way.
        if (order.parent === bracket.entry) this.#end(order, 'canceled');
        else if (order.id === bracket.entry) this.#cancel(order);
      }
      bracket.lots = Math.min(bracket.lots, this.#sellableLots(symbolIndex));
      if (bracket.lots < MIN_LOTS) continue;
      // Resting limits of the strategy may hold the lots that the stop sells. Then they are cancelled.
      const hasTooFewLots = this.#sellableLots(symbolIndex) - this.#lotsOnSale(symbolIndex) < bracket.lots;
      const restingSales = this.#openOrders
        .toReversed()
        .filter((order) => order.symbolIndex === symbolIndex && !order.isBuy && order.parent === 0 && !order.isMarket);
      if (hasTooFewLots) for (const order of restingSales) this.#cancel(order);
      const lots = Math.min(bracket.lots, this.#sellableLots(symbolIndex) - this.#lotsOnSale(symbolIndex));
      if (lots >= MIN_LOTS) this.#fillStop(bracket, { symbolIndex, lots, price, timeMs });
      // Lots that could not be sold stay protected.
      if (bracket.lots >= MIN_LOTS) this.#brackets[symbolIndex].push(bracket);
    }
  }
  /** Sends the stop leg of a bracket, and fills it at once. */
  #fillStop(bracket: NaiveBracket, { symbolIndex, lots, price, timeMs }: StopFill): void {
    const leg = this.#draft(symbolIndex, false, { lots, isMarket: true, parent: bracket.entry, slot: 'stop' });
    this.#legMs = timeMs;
    this.#submit(leg);
    if (leg.state !== 'done') {
      bracket.lots -= leg.lots;
      this.#fill(leg, { price, isMaker: false, timeMs });
    }
    this.#legMs = null;
  }

  /** Fills an order whole: money, coins, fee and bracket. */
  #fill(order: NaiveOrder, { price, isMaker, timeMs }: Pick<NaiveFill, 'price' | 'isMaker' | 'timeMs'>): void {
    const { feesIn, makerPpm, takerPpm } = this.#options;
    const { symbolIndex, isBuy } = order;
    const lots = order.quote > 0n ? Number(order.quote / (BigInt(price) * UNITS_PER_TICK_LOT)) : order.lots;
    if (lots === 0) return this.#end(order, 'canceled');
    const notional = BigInt(price) * BigInt(lots) * UNITS_PER_TICK_LOT;
    const units = BigInt(lots) * BASE_PER_LOT;
    const feeInBase = isBuy && feesIn === 'received';
    const fee = halfUp((feeInBase ? units : notional) * BigInt(isMaker ? makerPpm : takerPpm), MILLION);
    this.#heldUnits[symbolIndex]! += (isBuy ? units : -units) - (feeInBase ? fee : 0n);
    this.#cash += (isBuy ? -notional : notional) - (feeInBase ? 0n : fee);
    const fill = {
      order: order.id,
      instrument: symbolIndex,
      isBuy,
      price,
      lots,
      notional: Number(notional),
      fee: Number(fee),
      feeInBase,
      isMaker,
      timeMs,
    };
    this.fills.push(fill);
    this.#unreportedFills.push(fill);
    order.filled = lots;
    if (!isBuy) this.#reduceSetAside(order, lots);
    const legMs = this.#legMs;
    this.#legMs = timeMs;
    // The stop of an entry for which an exit waits is there when that exit is sent, so that it is set aside.
    const isArmedFirst = order.quote > 0n || (this.#exitPending[symbolIndex]! && isBuy && order.parent === 0);
    if (isArmedFirst) this.#armBracket(order, price, lots, timeMs);
    this.#end(order, 'filled');
    if (!isArmedFirst) this.#armBracket(order, price, lots, timeMs);
    this.#legMs = legMs;
  }

  /** A sale closes lots whose brackets are set aside, and a target those of its own bracket. */
  #reduceSetAside({ symbolIndex, parent, slot }: NaiveOrder, lots: number): void {
    const setAside = this.#setAside[symbolIndex]!;
    setAside.lots -= lots;
    if (setAside.lots <= 0 || this.#isFlat(symbolIndex)) setAside.brackets = [];
    for (const bracket of setAside.brackets) if (bracket.entry === parent && slot === 'target') bracket.lots -= lots;
    setAside.brackets = setAside.brackets.filter((bracket) => bracket.lots > 0);
  }

  /**
   * Follows a fill with its bracket. An entry arms its stop and sends its target (rule 9). A leg makes its bracket smaller. Another sale
   * that closes the position ends all brackets.
   */
  #armBracket(order: NaiveOrder, price: number, lots: number, timeMs: number): void {
    const { symbolIndex, id, parent } = order;
    if (parent > 0) {
      const bracket = this.#brackets[symbolIndex]!.find(({ entry }) => entry === parent);
      if (!bracket) return;
      bracket.lots -= lots;
      if (bracket.lots <= 0 || this.#isFlat(symbolIndex))
        this.#brackets[symbolIndex] = this.#brackets[symbolIndex]!.filter((candidate) => candidate !== bracket);
      return;
    }
    if (!order.isBuy) {
      // An order that closes the position in another way ends its brackets.
      if (this.#isFlat(symbolIndex)) this.#brackets[symbolIndex] = [];
      return;
    }
    const protectedLots = Math.min(lots, this.#sellableLots(symbolIndex));
    const { stopLoss, trailing, takeProfit } = order;
    if ((stopLoss > 0 || trailing > 0) && protectedLots > 0) {
      this.#brackets[symbolIndex]!.push({
        entry: id,
        lots: protectedLots,
        stop: stopLoss,
        trailing,
        best: price,
        entryPrice: price,
        armedMs: timeMs,
        triggeredMs: NaN,
      });
    }
    const freeLots = Math.min(lots, this.#sellableLots(symbolIndex) - this.#lotsOnSale(symbolIndex));
    if (takeProfit > 0 && freeLots >= MIN_LOTS && !this.#exitPending[symbolIndex])
      this.#submit(this.#draft(symbolIndex, false, { lots: freeLots, limit: takeProfit, parent: id, slot: 'target' }));
  }

  /** Reports the fills of the instant to the script, the earliest first. */
  #notify(isStarted: boolean): void {
    const reported = this.#unreportedFills.splice(0);
    if (!isStarted || !this.#options.script.onFill) return;
    reported.sort((a, b) => a.timeMs - b.timeMs || a.instrument - b.instrument || this.fills.indexOf(a) - this.fills.indexOf(b));
    for (const fill of reported) this.#act(0, CALLBACK_SALT.fill + fill.order);
  }
}

/** Returns the price at which the stop of a bracket triggers, in ticks. */
const levelOf = ({ stop, trailing, best }: NaiveBracket): number => Math.max(stop, trailing > 0 ? best - trailing : 0);
