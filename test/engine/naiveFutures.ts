// Runs a second, naive margin account of one contract for comparisons, in BigInt, by rules 16 to 20 of docs/matching.md.
// It shares no code with the venue or the bot. It gets the accepted orders and computes their fills.

/** The account and the contract. `leverage` and `cash` (in units) are whole numbers. */
export interface NaiveTerms {
  readonly isInverse: boolean;
  readonly leverage: bigint;
  readonly isCross: boolean;
  readonly isNet: boolean;
  readonly liquidationFeePpm: bigint;
  readonly cash: bigint;
}
/** Open, high, low, close in ticks. */
export type NaiveRow = readonly [open: number, high: number, low: number, close: number];

/** An order that a strategy places at the close of a row. `isLong` is the side of the position that it opens or reduces. */
export interface NaiveRequest {
  readonly kind: 'limit' | 'trigger' | 'market';
  readonly isLong: boolean;
  readonly reduces: boolean;
  readonly lots: number;
  /** The limit of a limit order or the level of a trigger order. Market orders ignore it. */
  readonly level: number;
  readonly stop: number;
  readonly target: number;
  readonly trailing: number;
}

/** One fill: price in ticks, quantity in lots, fee in units. */
export interface NaiveFill {
  readonly row: number;
  readonly atOpen: boolean;
  readonly isBuy: boolean;
  readonly price: number;
  readonly lots: number;
  readonly fee: bigint;
  readonly isLiquidation: boolean;
}

/** A working order. */
interface WorkingOrder {
  readonly request: NaiveRequest;
  readonly isBuy: boolean;
  /** The limit at which it trades; 0 for any price. */
  limit: number;
  /** True for a trigger order that has not fired. */
  isWaiting: boolean;
  /** True for a trigger order that fires when the price rises to its level. */
  readonly triggersAbove: boolean;
  /** The first row in which it may trade. */
  readonly fromRow: number;
  /** True if it arrived in `fromRow` after the orders that are marketable at the open had been filled. */
  isLate: boolean;
  isOpen: boolean;
  /** The bracket whose target this order is; null for other orders. */
  readonly targetOf: Bracket | null;
}
/** The legs of one entry. Prices are in ticks. */
interface Bracket {
  readonly isLong: boolean;
  readonly lots: number;
  readonly stop: number;
  readonly trailing: number;
  best: number;
  readonly entryPrice: number;
  /** The row in which the entry has filled, and whether it has filled at the open of that row. */
  readonly row: number;
  readonly atOpen: boolean;
  /** True for an entry that the price has triggered in its own direction: the extreme of the row comes after the entry. */
  readonly isChasing: boolean;
  isOpen: boolean;
  /** The row in which the stop has triggered; -1 for none. */
  triggeredRow: number;
}
/** How an order fills. `price` is in ticks. */
interface FillTerms {
  readonly price: number;
  readonly isMaker: boolean;
  readonly atOpen: boolean;
}
/** One side of the position. */
interface Side {
  readonly isLong: boolean;
  lots: bigint;
  /** The value of the position at its entry prices, in units. */
  entry: bigint;
  margin: bigint;
  /** The average entry price, in ticks. */
  average: number;
  openedRow: number;
  openedDuringRow: boolean;
}
/** An event that a row may cause, with the properties by which the rules order it. */
interface RowEvent {
  /** The price that causes it, in ticks; 0 for any price. */
  readonly level: number;
  readonly isBuy: boolean;
  readonly reduces: boolean;
  /** True if the price falls to the level, false if it rises to it. */
  readonly falls: boolean;
  readonly atOpen: boolean;
  /** Events of a lower stage come first. */
  readonly stage: number;
  /** False once another event has ended or changed its order. */
  readonly isAlive: () => boolean;
  readonly apply: () => void;
}

const MILLION = 1_000_000n;
const minOf = (first: bigint, second: bigint) => (first < second ? first : second);
const maxOf = (first: bigint, second: bigint) => (first > second ? first : second);
/** Returns the quotient, rounded up. */
const roundUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;
/** Returns the quotient, rounded to the nearest whole number, a half up. */
const halfUp = (dividend: bigint, divisor: bigint) => (2n * dividend + divisor) / (2n * divisor);
/** The fees of the contracts of test/fixtures/futuresVenue.ts, in ppm. */
const FEES_PPM = { open: { maker: 200n, taker: 400n }, close: { maker: 250n, taker: 500n } };
/** Their margin tiers: the position value up to which each reaches, in units, and its maintenance rate in ppm. */
const TIERS = {
  linear: [[500_000_000n, 5_000n], [2_500_000_000n, 10_000n], [10n ** 30n, 25_000n]],
  inverse: [[1_000_000_000n, 5_000n], [10n ** 30n, 10_000n]],
} as const; // prettier-ignore

const PPM = 1_000_000;

/** A margin account with one contract, its orders and its fills. */
export class NaiveFutures {
  readonly fills: NaiveFill[] = [];
  liquidations = 0;
  /** True when an order may have had less margin than it needed. The naive account then does not predict the fills. */
  isTight = false;
  readonly #terms: NaiveTerms;
  readonly #rows: readonly NaiveRow[];
  readonly #marks: readonly NaiveRow[];
  readonly #sides: readonly [Side, Side];
  #cash: bigint;
  #orders: WorkingOrder[] = [];
  #brackets: Bracket[] = [];
  #row = 0;

  constructor(terms: NaiveTerms, rows: readonly NaiveRow[], marks: readonly NaiveRow[] | null) {
    this.#terms = terms;
    this.#rows = rows;
    this.#marks = marks ?? rows;
    this.#cash = terms.cash;
    const emptySide = (isLong: boolean): Side => ({
      isLong,
      lots: 0n,
      entry: 0n,
      margin: 0n,
      average: 0,
      openedRow: -1,
      openedDuringRow: false,
    });
    this.#sides = [emptySide(true), emptySide(false)];
  }

  /** Runs all rows with the accepted orders of each row. Returns the equity at the last mark. */
  run(requests: ReadonlyMap<number, readonly NaiveRequest[]>): bigint {
    this.#rows.forEach((_, row) => {
      this.#row = row;
      this.#matchRow();
      this.#liquidateAtRowEnd();
      this.#endRow();
      for (const request of requests.get(row) ?? []) this.#place(request, { fromRow: row + 1, isLate: false, targetOf: null });
    });
    const mark = this.#marks.at(-1)![3];
    return this.#sides.reduce((sum, side) => (side.lots > 0n ? sum + side.margin + this.#profit(side, mark) : sum), this.#cash);
  }

  // --- Money

  /** Returns the value of contracts at a price, in units. */
  #valueOf(lots: bigint, ticks: number): bigint {
    return this.#terms.isInverse ? halfUp(lots * 10n ** 11n, BigInt(ticks)) : lots * BigInt(ticks);
  }
  /** Returns the profit of a side at a price, in units. */
  #profit({ isLong, lots, entry }: Side, ticks: number): bigint {
    const value = this.#valueOf(lots, ticks);
    return isLong === this.#terms.isInverse ? entry - value : value - entry;
  }
  /** Returns the maintenance margin of a position value, by its tiers. */
  #maintenance(value: bigint): bigint {
    let from = 0n;
    let lastRate = 0n;
    let deduction = 0n;
    for (const [upTo, rate] of TIERS[this.#terms.isInverse ? 'inverse' : 'linear']) {
      deduction += (from * (rate - lastRate)) / MILLION;
      if (value <= upTo) return roundUp(value * rate, MILLION) - deduction;
      from = upTo;
      lastRate = rate;
    }
    throw new Error('the last tier has no end');
  }
  /** Returns what a side has beyond its maintenance margin at a price; negative if it has less. */
  #cushion(side: Side, ticks: number): bigint {
    return side.margin + this.#profit(side, ticks) - this.#maintenance(this.#valueOf(side.lots, ticks));
  }
  /** True when a mark liquidates a side. In a cross account the other side is valued at `otherMark`. */
  #isLiquidatedAt(side: Side, ticks: number, otherMark: (side: Side) => number): boolean {
    let remainingUnits = this.#cushion(side, ticks);
    if (this.#terms.isCross) {
      remainingUnits += this.#cash;
      for (const other of this.#sides) if (other !== side && other.lots > 0n) remainingUnits += this.#cushion(other, otherMark(other));
    }
    return remainingUnits <= 0n;
  }
  /** Returns the close of the mark before the row. */
  #lastMark(): number {
    return this.#row === 0 ? this.#rows[0]![0] : this.#marks[this.#row - 1]![3];
  }
  /** Returns the mark of the row that is worst for a side. */
  #worstMark({ isLong }: Side): number {
    const [, high, low] = this.#marks[this.#row]!;
    return isLong ? low : high;
  }
  /** True when the worst mark of the row liquidates a side. */
  #isDue(side: Side): boolean {
    return side.lots > 0n && this.#isLiquidatedAt(side, this.#worstMark(side), () => this.#lastMark());
  }

  // --- Liquidation

  /** Rule 19, inside a row: values one side at its worst mark of the row, and the other at the last mark. */
  #liquidateWithin(side: Side, atOpen: boolean): void {
    const markOf = (candidate: Side) => (candidate === side ? this.#worstMark(candidate) : this.#lastMark());
    if (!this.#terms.isCross) this.#liquidate(side, markOf, true, atOpen);
    else this.#endCross(markOf, (candidate) => candidate === side, atOpen);
  }
  /** Rule 19, at the end of a row: values each side at its worst mark of the row. */
  #liquidateAtRowEnd(): void {
    if (this.#terms.isCross)
      this.#endCross((side) => this.#worstMark(side), () => true, false); // prettier-ignore
    else
      for (const side of this.#sides)
        if (side.lots > 0n && this.#isLiquidatedAt(side, this.#worstMark(side), () => 0))
          this.#liquidate(side, (candidate) => this.#worstMark(candidate), true, false);
  }
  /**
   * Liquidates cross positions, the largest loss first, until the account is above its maintenance margin. `walksRow` is true for a side
   * whose first liquidating mark is searched within the row; another side is liquidated at its mark.
   */
  #endCross(markOf: (side: Side) => number, walksRow: (side: Side) => boolean, atOpen: boolean): void {
    const isBelowMaintenance = () => {
      const openSides = this.#sides.filter(({ lots }) => lots > 0n);
      if (openSides.length === 0) return false;
      return openSides.reduce((sum, side) => sum + this.#cushion(side, markOf(side)), this.#cash) <= 0n;
    };
    if (!isBelowMaintenance()) return;
    for (const order of this.#orders) if (!order.isWaiting) order.isOpen = false;
    while (isBelowMaintenance()) {
      const openSides = this.#sides.filter(({ lots }) => lots > 0n);
      const profitOf = (side: Side) => this.#profit(side, markOf(side));
      const [largestLoss] = openSides.toSorted((first, second) => (profitOf(first) < profitOf(second) ? -1 : 1));
      this.#liquidate(largestLoss!, markOf, walksRow(largestLoss!), atOpen);
    }
  }
  /** Rule 20: finds the first mark that liquidates, on the way from the open or from the entry inside the row. */
  #liquidate(side: Side, markOf: (side: Side) => number, walksRow: boolean, atOpen: boolean): void {
    const { isLong, lots } = side;
    const worst = markOf(side);
    const [open, high, low] = this.#marks[this.#row]!;
    const enteredDuringRow = side.openedRow === this.#row && side.openedDuringRow && low < high;
    const direction = isLong ? -1 : 1;
    const firstMark = enteredDuringRow ? Math.round(side.average) : open;
    let price = walksRow ? firstMark : worst;
    const isBeforeWorst = () => (isLong ? price > worst : price < worst);
    while (isBeforeWorst() && !this.#isLiquidatedAt(side, price, markOf)) price += direction;
    const others = this.#sides.filter((other) => other !== side && other.lots > 0n);
    const accountBacking = others.reduce((sum, other) => sum + this.#cushion(other, markOf(other)), this.#cash);
    const backing = side.margin + (this.#terms.isCross ? accountBacking : 0n);
    const profit = this.#profit(side, price);
    const value = this.#valueOf(lots, price);
    const credit = side.margin + profit;
    this.#cash += this.#terms.isCross || credit > 0n ? credit : 0n;
    const remainingUnits = backing + profit;
    const maxFee = roundUp(value * this.#terms.liquidationFeePpm, MILLION);
    const fee = minOf(maxOf(remainingUnits, 0n), maxFee);
    this.#cash -= fee;
    Object.assign(side, { lots: 0n, entry: 0n, margin: 0n });
    this.#cover();
    this.fills.push({ row: this.#row, atOpen, isBuy: !isLong, price, lots: Number(lots), fee, isLiquidation: true });
    this.liquidations++;
    for (const bracket of this.#brackets) if (bracket.isLong === isLong) bracket.isOpen = false;
    this.#cancelReducingOrders(isLong);
  }
  /** Sets a negative balance to zero: the insurance account pays the loss. */
  #cover(): void {
    if (this.#cash < 0n && !(this.#terms.isCross && this.#sides.some(({ lots }) => lots > 0n))) this.#cash = 0n;
  }
  /** Cancels the orders that reduce a side. */
  #cancelReducingOrders(isLong: boolean): void {
    for (const order of this.#orders) if (order.request.reduces && order.request.isLong === isLong) order.isOpen = false;
  }

  // --- The row

  /** Matches one row: orders at its open, then everything that the row reaches after the open. */
  #matchRow(): void {
    const waitingForLiquidation = this.#matchOpen();
    const [open, high, low] = this.#rows[this.#row]!;
    const waiting = this.#ordersOfRow().filter(({ isWaiting }) => isWaiting);
    const openedOver = waiting.filter((order) => isReached(order, open, open));
    const reachedLater = waiting.filter((order) => !openedOver.includes(order) && isReached(order, high, low));
    this.#applyEvents([...waitingForLiquidation, ...this.#stopsAtOpen(openedOver, open)], true, () => []);
    const afterOpen = [...this.#stopEvents(), ...this.#triggerEvents(reachedLater), ...this.#limitEvents()];
    this.#applyEvents(nearestFirst(afterOpen, open), false, this.#stopsOfThisRow());
  }

  /** Returns the open orders that may trade in this row. */
  #ordersOfRow(): WorkingOrder[] {
    return this.#orders.filter((order) => order.isOpen && order.fromRow <= this.#row);
  }
  /** True when an order can fill at the open of this row. */
  #isMarketableAtOpen({ isBuy, limit }: WorkingOrder): boolean {
    const [open] = this.#rows[this.#row]!;
    return limit === 0 || (isBuy ? limit >= open : limit <= open);
  }

  /** Fills the orders that are marketable at the open. Returns the events that a liquidation precedes. */
  #matchOpen(): RowEvent[] {
    const waitingEvents: RowEvent[] = [];
    for (const order of this.#ordersOfRow().filter((candidate) => !candidate.isWaiting && this.#isMarketableAtOpen(candidate))) {
      const event = this.#openFillEvent(order);
      if (!order.isOpen) continue;
      if (this.#liquidationBefore(event) === null) event.apply();
      else waitingEvents.push(event);
    }
    return waitingEvents;
  }
  /** Returns the event that an order fills at the open. */
  #openFillEvent(order: WorkingOrder): RowEvent {
    const [open] = this.#rows[this.#row]!;
    const apply = () => this.#fillOrder(order, { price: open, isMaker: false, atOpen: true });
    return this.#orderEvent(order, { level: order.limit, atOpen: true, stage: -1, apply });
  }

  /** Returns the stops and trigger orders that the row opens beyond. */
  #stopsAtOpen(triggered: readonly WorkingOrder[], open: number): RowEvent[] {
    const brackets = this.#brackets.filter((bracket) => bracket.isOpen && isTriggered(bracket, open, open));
    return [
      ...brackets.map((bracket) => this.#stopEvent(bracket, open, true, 0)),
      ...triggered.map((order) => {
        const apply = () => this.#fire(order, open, true);
        return this.#orderEvent(order, { level: order.request.level, atOpen: true, stage: 1, apply });
      }),
    ];
  }

  /** Returns the stops of positions that the row reaches after its open. */
  #stopEvents(): RowEvent[] {
    const [open, high, low] = this.#rows[this.#row]!;
    const triggered = this.#brackets.filter((bracket) => bracket.isOpen && isTriggered(bracket, high, low));
    return triggered.map((bracket) => this.#stopEvent(bracket, this.#stopPrice(bracket, open), false, 0));
  }

  /** Returns the trigger orders that the row reaches after its open: stops that reduce come first, entries second, profits last. */
  #triggerEvents(orders: readonly WorkingOrder[]): RowEvent[] {
    const stageOf = ({ request, triggersAbove, isBuy }: WorkingOrder) => {
      if (!request.reduces) return 3;
      return triggersAbove === isBuy ? 1 : 4;
    };
    return orders.map((order) => {
      const { level } = order.request;
      return this.#orderEvent(order, { level, atOpen: false, stage: stageOf(order), apply: () => this.#fire(order, level, false) });
    });
  }

  /** Returns the limits that the row trades through, and the late orders that its open would have filled. */
  #limitEvents(): RowEvent[] {
    const [, high, low] = this.#rows[this.#row]!;
    const events: RowEvent[] = [];
    for (const order of this.#ordersOfRow().filter(({ isWaiting }) => !isWaiting)) {
      const { limit, isBuy, isLate, request } = order;
      if (this.#isMarketableAtOpen(order)) events.push(...(isLate ? [this.#openFillEvent(order)] : []));
      else if (isBuy ? low < limit : high > limit) {
        const apply = () => this.#fillOrder(order, { price: limit, isMaker: true, atOpen: false });
        events.push(this.#orderEvent(order, { level: limit, atOpen: false, stage: request.reduces ? 4 : 3, apply }));
      }
    }
    return events;
  }

  /** Returns a function that returns, at each call, the stops of entries that this row has filled since the last call. */
  #stopsOfThisRow(): () => RowEvent[] {
    const [open, high, low] = this.#rows[this.#row]!;
    const handled = new Set<Bracket>();
    return () => {
      const isNew = (bracket: Bracket) => bracket.isOpen && bracket.row === this.#row && !bracket.atOpen && !handled.has(bracket);
      const reached = this.#brackets.filter((bracket) => isNew(bracket) && isTriggered(bracket, high, low));
      for (const bracket of reached) handled.add(bracket);
      const events = reached.map((bracket) => this.#stopEvent(bracket, this.#stopPrice(bracket, bracket.entryPrice), false, 5));
      return nearestFirst(events, open);
    };
  }

  /** Returns the level of a bracket within the row, but no better than `bound`. */
  #stopPrice(bracket: Bracket, bound: number): number {
    const [, high, low] = this.#rows[this.#row]!;
    const level = Math.max(low, Math.min(high, levelOf(bracket)));
    return bracket.isLong ? Math.min(level, bound) : Math.max(level, bound);
  }

  /** Applies events in their order. An event that a liquidation precedes waits until the side has been liquidated. */
  #applyEvents(events: RowEvent[], atOpen: boolean, laterEvents: () => RowEvent[]): void {
    for (;;) {
      events = events.filter(({ isAlive }) => isAlive());
      const nextEvent = events.find((candidate) => this.#liquidationBefore(candidate) === null);
      if (nextEvent) {
        events = events.filter((candidate) => candidate !== nextEvent);
        nextEvent.apply();
        continue;
      }
      const added = laterEvents();
      events.push(...added);
      if (added.length > 0) continue;
      if (events.length === 0) return;
      this.#liquidateWithin(this.#liquidationBefore(events[0]!)!, atOpen);
    }
  }
  /** Returns the side whose liquidation comes before the event, or null. */
  #liquidationBefore({ level, isBuy, reduces, falls, atOpen }: RowEvent): Side | null {
    if (level === 0) return null;
    const ownSide = this.#sides.find((side) => {
      if (!this.#isDue(side)) return false;
      if (falls === side.isLong) return this.#isLiquidatedAt(side, level, () => this.#lastMark());
      return !atOpen && isBuy !== side.isLong && (this.#terms.isNet || reduces);
    });
    return ownSide ?? null;
  }

  /** Returns the event that a row reaches an order. */
  #orderEvent(order: WorkingOrder, { level, atOpen, stage, apply }: Pick<RowEvent, 'level' | 'atOpen' | 'stage' | 'apply'>): RowEvent {
    const { isBuy, request, triggersAbove, isWaiting } = order;
    return {
      level,
      isBuy,
      reduces: request.reduces,
      falls: isWaiting ? !triggersAbove : isBuy,
      atOpen,
      stage,
      isAlive: () => order.isOpen && order.isWaiting === isWaiting,
      apply,
    };
  }
  /** Returns the event that a row reaches a stop. */
  #stopEvent(bracket: Bracket, price: number, atOpen: boolean, stage: number): RowEvent {
    const { isLong } = bracket;
    const isAlive = () => bracket.isOpen && bracket.triggeredRow !== this.#row;
    return {
      level: levelOf(bracket),
      isBuy: !isLong,
      reduces: true,
      falls: isLong,
      atOpen,
      stage,
      isAlive,
      apply: () => this.#stopOut(bracket, price, atOpen),
    };
  }

  // --- Orders

  /** Returns a new order, which may fill from row `fromRow` on. */
  #place(request: NaiveRequest, { fromRow, isLate, targetOf }: Pick<WorkingOrder, 'fromRow' | 'isLate' | 'targetOf'>): WorkingOrder {
    const close = this.#rows[this.#row]![3];
    const order: WorkingOrder = {
      request,
      isBuy: request.isLong !== request.reduces,
      limit: request.kind === 'limit' ? request.level : 0,
      isWaiting: request.kind === 'trigger',
      triggersAbove: request.level > close,
      fromRow,
      isLate,
      isOpen: true,
      targetOf,
    };
    this.#orders.push(order);
    return order;
  }

  /** Rule 17: a fired exit is a market order. A fired entry is a limit at the collar, a hundredth beyond its level. */
  #fire(order: WorkingOrder, price: number, atOpen: boolean): void {
    order.isWaiting = false;
    const { isBuy, request } = order;
    if (request.reduces) return this.#fillOrder(order, { price, isMaker: false, atOpen });
    order.limit = isBuy ? Math.floor((request.level * 1_010_000) / PPM) : Math.ceil((request.level * 990_000) / PPM);
    if (isBuy ? order.limit >= price : order.limit <= price) return this.#fillOrder(order, { price, isMaker: false, atOpen });
    // The order rests. If the open has fired it, it may already trade in this row.
    order.isOpen = false;
    this.#orders.push({ ...order, isOpen: true, fromRow: atOpen ? this.#row : this.#row + 1, isLate: true });
  }

  /** Fills an order: fee, margin, position and bracket. A reducing order that the position does not cover ends without a fill. */
  #fillOrder(order: WorkingOrder, { price, isMaker, atOpen }: FillTerms): void {
    const { request, isBuy } = order;
    const side = this.#sides[request.isLong ? 0 : 1];
    order.isOpen = false;
    const lots = BigInt(request.lots);
    if (request.reduces && side.lots < lots) return;
    const feePpm = FEES_PPM[request.reduces ? 'close' : 'open'][isMaker ? 'maker' : 'taker'];
    const value = this.#valueOf(lots, price);
    const fee = halfUp(value * feePpm, MILLION);
    if (request.reduces) this.#reduce(side, lots, value, fee);
    else this.#increase(side, lots, { value, fee, price, atOpen });
    this.fills.push({ row: this.#row, atOpen, isBuy, price, lots: request.lots, fee, isLiquidation: false });
    if (request.reduces) {
      if (order.targetOf) order.targetOf.isOpen = false;
      if (side.lots === 0n) this.#cancelReducingOrders(request.isLong);
    } else this.#armBracket(order, price, atOpen, isMaker);
  }

  /** Adds lots to a position, and takes their margin and fee from the cash. */
  #increase(
    side: Side,
    lots: bigint,
    { value, fee, price, atOpen }: { readonly value: bigint; readonly fee: bigint; readonly price: number; readonly atOpen: boolean },
  ): void {
    const margin = roundUp(value, this.#terms.leverage);
    if (this.#cash - this.#lockedMargin() < margin + 2n * fee) this.isTight = true;
    this.#cash -= margin + fee;
    if (side.lots === 0n) Object.assign(side, { openedRow: this.#row, openedDuringRow: !atOpen, average: price });
    else {
      const heldPart = { lots: Number(side.lots), ticks: side.average };
      side.average = averagePrice(this.#terms.isInverse, [heldPart, { lots: Number(lots), ticks: price }]);
    }
    side.lots += lots;
    side.entry += value;
    side.margin += margin;
  }
  /** Returns the margin that open entries may need at their levels, with two percent for fees and slippage. */
  #lockedMargin(): bigint {
    const entries = this.#orders.filter(({ isOpen, request }) => isOpen && !request.reduces);
    return entries.reduce((sum, { request }) => {
      const value = this.#valueOf(BigInt(request.lots), request.level);
      return sum + roundUp(value * 102n, this.#terms.leverage * 100n);
    }, 0n);
  }

  /** Closes a part of a position, and credits its margin and profit. */
  #reduce(side: Side, lots: bigint, value: bigint, fee: bigint): void {
    const isWholePosition = lots === side.lots;
    const entry = isWholePosition ? side.entry : halfUp(side.entry * lots, side.lots);
    const margin = isWholePosition ? side.margin : (side.margin * lots) / side.lots;
    const profit = side.isLong === this.#terms.isInverse ? entry - value : value - entry;
    this.#cash -= fee;
    side.lots -= lots;
    side.entry -= entry;
    side.margin -= margin;
    let credit = margin + profit;
    if (!this.#terms.isCross && credit < 0n) {
      // A loss of the closed part beyond its share of the margin is paid from the remaining margin.
      side.margin -= minOf(-credit, side.margin);
      credit = 0n;
    }
    this.#cash += credit;
    this.#cover();
  }

  /** Rules 9 and 10: places the stop and the target of an entry. */
  #armBracket({ request, triggersAbove, isBuy }: WorkingOrder, price: number, atOpen: boolean, isMaker: boolean): void {
    const { isLong, lots, stop, target, trailing, kind } = request;
    const isChasing = kind === 'trigger' && triggersAbove === isBuy && !isMaker;
    const bracket: Bracket = {
      isLong,
      lots,
      stop,
      trailing,
      best: price,
      entryPrice: price,
      row: this.#row,
      atOpen,
      isChasing,
      isOpen: stop > 0 || trailing > 0,
      triggeredRow: -1,
    };
    this.#brackets.push(bracket);
    if (target === 0) return;
    const exit: NaiveRequest = { kind: 'limit', isLong, reduces: true, lots, level: target, stop: 0, target: 0, trailing: 0 };
    this.#place(exit, { fromRow: atOpen ? this.#row : this.#row + 1, isLate: true, targetOf: bracket });
  }
  /** Closes the position of a bracket at the market, and cancels its other orders. */
  #stopOut(bracket: Bracket, price: number, atOpen: boolean): void {
    bracket.triggeredRow = this.#row;
    bracket.isOpen = false;
    for (const order of this.#orders) if (order.targetOf === bracket) order.isOpen = false;
    const { isLong, lots } = bracket;
    const request: NaiveRequest = { kind: 'market', isLong, reduces: true, lots, level: 0, stop: 0, target: 0, trailing: 0 };
    const order = this.#place(request, { fromRow: this.#row, isLate: false, targetOf: null });
    this.#fillOrder(order, { price, isMaker: false, atOpen });
  }
  /** Moves trailing stops at the end of a row, and drops ended orders and brackets. */
  #endRow(): void {
    const [, high, low, close] = this.#rows[this.#row]!;
    for (const bracket of this.#brackets) {
      // Only the close is certain to come after an entry inside the row.
      const isExtremeAfterEntry = bracket.row < this.#row || bracket.atOpen || bracket.isChasing;
      const rowHigh = isExtremeAfterEntry ? high : close;
      const rowLow = isExtremeAfterEntry ? low : close;
      bracket.best = bracket.isLong ? Math.max(bracket.best, rowHigh) : Math.min(bracket.best, rowLow);
    }
    for (const order of this.#orders) order.isLate = false;
    this.#orders = this.#orders.filter(({ isOpen }) => isOpen);
    this.#brackets = this.#brackets.filter(({ isOpen }) => isOpen);
  }
}

/** A part of a position that was opened at one price. */
interface PositionPart {
  readonly lots: number;
  readonly ticks: number;
}

/** Returns the average entry price of two parts of a position: by quantity, or by value for an inverse contract. */
function averagePrice(isInverse: boolean, [first, second]: readonly [PositionPart, PositionPart]): number {
  if (first.ticks === second.ticks) return first.ticks;
  const totalLots = first.lots + second.lots;
  if (isInverse) return totalLots / (first.lots / first.ticks + second.lots / second.ticks);
  return (first.lots * first.ticks + second.lots * second.ticks) / totalLots;
}
/** True when a row with this high and low reaches the level of a trigger order. */
const isReached = ({ triggersAbove, request }: WorkingOrder, high: number, low: number): boolean =>
  triggersAbove ? high >= request.level : low <= request.level;
/** Returns the level of the nearer stop, fixed or trailing. */
function levelOf({ isLong, stop, trailing, best }: Bracket): number {
  if (isLong) return Math.max(stop, trailing > 0 ? best - trailing : 0);
  return Math.min(stop > 0 ? stop : Infinity, trailing > 0 ? best + trailing : Infinity);
}
/** True when a row with this high and low reaches the stop of a bracket. */
const isTriggered = (bracket: Bracket, high: number, low: number): boolean =>
  bracket.isLong ? low <= levelOf(bracket) : high >= levelOf(bracket);
/** Sorts events by stage, and within a stage by their distance from the open. */
const nearestFirst = (events: RowEvent[], open: number): RowEvent[] =>
  events.toSorted((first, second) => {
    const distanceOf = ({ level }: RowEvent) => Math.abs(level - open);
    return first.stage - second.stage || distanceOf(first) - distanceOf(second);
  });
