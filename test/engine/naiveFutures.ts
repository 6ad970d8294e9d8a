// Runs a second, naive margin account of one contract for comparisons, in BigInt, by rules 16 to 20 of docs/matching.md.
// It shares no code with the venue or the bot. It gets the accepted orders and computes their fills.

export interface NaiveTerms {
  readonly isInverse: boolean;
  readonly leverage: bigint;
  readonly isCross: boolean;
  readonly isNet: boolean;
  readonly liquidationFeePpm: bigint;
  readonly cash: bigint;
}
/** Open, high, low, close in ticks. */
export type NaiveRow = readonly [number, number, number, number];

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

export interface NaiveFill {
  readonly row: number;
  readonly atOpen: boolean;
  readonly isBuy: boolean;
  readonly price: number;
  readonly lots: number;
  readonly fee: bigint;
  readonly isLiquidation: boolean;
}

interface Resting {
  readonly request: NaiveRequest;
  readonly sequence: number;
  readonly isBuy: boolean;
  /** The limit at which it trades; 0: at any price. */
  limit: number;
  /** A trigger order that has not fired. */
  waits: boolean;
  readonly triggersAbove: boolean;
  /** It may trade in rows from this one on; `late`: it came after the open of that row was offered. */
  readonly fromRow: number;
  late: boolean;
  isOpen: boolean;
  readonly guards: Guard | null;
}
interface Guard {
  readonly isLong: boolean;
  readonly lots: number;
  readonly stop: number;
  readonly trailing: number;
  best: number;
  readonly entryPrice: number;
  readonly row: number;
  readonly atOpen: boolean;
  readonly isChasing: boolean;
  isOpen: boolean;
  triggeredRow: number;
}
interface Side {
  readonly isLong: boolean;
  lots: bigint;
  entry: bigint;
  margin: bigint;
  average: number;
  openedRow: number;
  openedDuringRow: boolean;
}
/** An event that a row may cause, with the properties by which the rules order it. */
interface RowEvent {
  readonly level: number;
  readonly isBuy: boolean;
  readonly reduces: boolean;
  readonly falls: boolean;
  readonly atOpen: boolean;
  readonly stage: number;
  readonly isAlive: () => boolean;
  readonly apply: () => void;
}

const MILLION = 1_000_000n;
const roundUp = (a: bigint, b: bigint) => (a + b - 1n) / b;
const halfUp = (a: bigint, b: bigint) => (2n * a + b) / (2n * b);
/** The fixtures' contracts: rates of opening and closing orders, and the tiers of maintenance. */
const RATES = { open: { maker: 200n, taker: 400n }, close: { maker: 250n, taker: 500n } };
const TIERS = {
  linear: [[500_000_000n, 5_000n], [2_500_000_000n, 10_000n], [10n ** 30n, 25_000n]],
  inverse: [[1_000_000_000n, 5_000n], [10n ** 30n, 10_000n]],
} as const; // prettier-ignore

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
  #orders: Resting[] = [];
  #guards: Guard[] = [];
  #sequence = 0;
  #row = 0;

  constructor(terms: NaiveTerms, rows: readonly NaiveRow[], marks: readonly NaiveRow[] | null) {
    this.#terms = terms;
    this.#rows = rows;
    this.#marks = marks ?? rows;
    this.#cash = terms.cash;
    const side = (isLong: boolean): Side => ({
      isLong,
      lots: 0n,
      entry: 0n,
      margin: 0n,
      average: 0,
      openedRow: -1,
      openedDuringRow: false,
    });
    this.#sides = [side(true), side(false)];
  }

  /** Runs all rows with the accepted orders of each row. Returns the equity at the last mark. */
  run(requests: ReadonlyMap<number, readonly NaiveRequest[]>): bigint {
    this.#rows.forEach((_, row) => {
      this.#row = row;
      this.#playRow();
      this.#settle();
      this.#follow();
      for (const request of requests.get(row) ?? []) this.#place(request, row + 1, false, null);
    });
    const mark = this.#marks.at(-1)![3];
    return this.#sides.reduce((sum, side) => (side.lots > 0n ? sum + side.margin + this.#profit(side, mark) : sum), this.#cash);
  }

  // --- Money

  #value(lots: bigint, ticks: number): bigint {
    return this.#terms.isInverse ? halfUp(lots * 10n ** 11n, BigInt(ticks)) : lots * BigInt(ticks);
  }
  #profit({ isLong, lots, entry }: Side, ticks: number): bigint {
    const value = this.#value(lots, ticks);
    return isLong === this.#terms.isInverse ? entry - value : value - entry;
  }
  #maintenance(value: bigint): bigint {
    let [from, lastRate, deduct] = [0n, 0n, 0n];
    for (const [upTo, rate] of TIERS[this.#terms.isInverse ? 'inverse' : 'linear']) {
      deduct += (from * (rate - lastRate)) / MILLION;
      if (value <= upTo) return roundUp(value * rate, MILLION) - deduct;
      [from, lastRate] = [upTo, rate];
    }
    throw new Error('the last tier has no end');
  }
  #cushion(side: Side, ticks: number): bigint {
    return side.margin + this.#profit(side, ticks) - this.#maintenance(this.#value(side.lots, ticks));
  }
  /** Whether a mark ends a side, the other side of a cross account standing at `otherMark`. */
  #isOver(side: Side, ticks: number, otherMark: (side: Side) => number): boolean {
    let left = this.#cushion(side, ticks);
    if (this.#terms.isCross) {
      left += this.#cash;
      for (const other of this.#sides) if (other !== side && other.lots > 0n) left += this.#cushion(other, otherMark(other));
    }
    return left <= 0n;
  }
  #lastMark(): number {
    return this.#row === 0 ? this.#rows[0]![0] : this.#marks[this.#row - 1]![3];
  }
  #worst({ isLong }: Side): number {
    const [, high, low] = this.#marks[this.#row]!;
    return isLong ? low : high;
  }
  #isDue(side: Side): boolean {
    return side.lots > 0n && this.#isOver(side, this.#worst(side), () => this.#lastMark());
  }

  // --- Liquidation

  /** Rule 19, in the middle of a row: one side at its worst mark, the other at the last one. */
  #end(side: Side, atOpen: boolean): void {
    const markOf = (one: Side) => (one === side ? this.#worst(one) : this.#lastMark());
    if (!this.#terms.isCross) this.#liquidate(side, markOf, true, atOpen);
    else this.#endCross(markOf, (one) => one === side, atOpen);
  }
  /** Rule 19, at the end of a row. */
  #settle(): void {
    if (this.#terms.isCross) this.#endCross((side) => this.#worst(side), () => true, false); // prettier-ignore
    else for (const side of this.#sides) if (side.lots > 0n && this.#isOver(side, this.#worst(side), () => 0)) this.#liquidate(side, (one) => this.#worst(one), true, false); // prettier-ignore
  }
  #endCross(markOf: (side: Side) => number, hasRow: (side: Side) => boolean, atOpen: boolean): void {
    const isShort = () => {
      const held = this.#sides.filter(({ lots }) => lots > 0n);
      return held.length > 0 && held.reduce((sum, side) => sum + this.#cushion(side, markOf(side)), this.#cash) <= 0n;
    };
    if (!isShort()) return;
    for (const order of this.#orders) if (!order.waits) order.isOpen = false;
    while (isShort()) {
      const held = this.#sides.filter(({ lots }) => lots > 0n);
      const [worst] = held.toSorted((a, b) => (this.#profit(a, markOf(a)) < this.#profit(b, markOf(b)) ? -1 : 1));
      this.#liquidate(worst!, markOf, hasRow(worst!), atOpen);
    }
  }
  /** Rule 20: the first mark that liquidates, on the way from the open or from the entry inside the row. */
  #liquidate(side: Side, markOf: (side: Side) => number, hasRow: boolean, atOpen: boolean): void {
    const { isLong, lots } = side;
    const worst = markOf(side);
    const [open, high, low] = this.#marks[this.#row]!;
    const enteredDuringRow = side.openedRow === this.#row && side.openedDuringRow && low < high;
    const from = !hasRow ? worst : enteredDuringRow ? Math.round(side.average) : open;
    const step = isLong ? -1 : 1;
    let price = from;
    while ((isLong ? price > worst : price < worst) && !this.#isOver(side, price, markOf)) price += step;
    const others = this.#sides.filter((other) => other !== side && other.lots > 0n);
    const backing =
      side.margin + (this.#terms.isCross ? others.reduce((sum, other) => sum + this.#cushion(other, markOf(other)), this.#cash) : 0n);
    const profit = this.#profit(side, price);
    const value = this.#value(lots, price);
    const credit = side.margin + profit;
    this.#cash += this.#terms.isCross || credit > 0n ? credit : 0n;
    const left = backing + profit;
    const max = roundUp(value * this.#terms.liquidationFeePpm, MILLION);
    const fee = left <= 0n ? 0n : left < max ? left : max;
    this.#cash -= fee;
    Object.assign(side, { lots: 0n, entry: 0n, margin: 0n });
    this.#cover();
    this.fills.push({ row: this.#row, atOpen, isBuy: !isLong, price, lots: Number(lots), fee, isLiquidation: true });
    this.liquidations++;
    for (const guard of this.#guards) if (guard.isLong === isLong) guard.isOpen = false;
    this.#flat(isLong);
  }
  #cover(): void {
    if (this.#cash < 0n && !(this.#terms.isCross && this.#sides.some(({ lots }) => lots > 0n))) this.#cash = 0n;
  }
  #flat(isLong: boolean): void {
    for (const order of this.#orders) if (order.request.reduces && order.request.isLong === isLong) order.isOpen = false;
  }

  // --- The row

  #playRow(): void {
    const [open, high, low] = this.#rows[this.#row]!;
    const takes = ({ isBuy, limit }: Resting) => limit === 0 || (isBuy ? limit >= open : limit <= open);
    const mine = () => this.#orders.filter((order) => order.isOpen && order.fromRow <= this.#row);
    const offer = (order: Resting): RowEvent =>
      this.#happening(order, order.limit, true, 2, () => this.#fillOrder(order, open, false, true));
    const held: RowEvent[] = [];
    for (const order of mine().filter((one) => !one.waits && takes(one))) {
      const happening = offer(order);
      if (!order.isOpen) continue;
      if (this.#behind(happening) === null) happening.apply();
      else held.push(happening);
    }
    const reached = ({ triggersAbove, request }: Resting, top: number, bottom: number) =>
      triggersAbove ? top >= request.level : bottom <= request.level;
    const waiting = mine().filter(({ waits }) => waits);
    const opening = waiting.filter((order) => reached(order, open, open));
    const firing = waiting.filter((order) => !opening.includes(order) && reached(order, high, low));
    this.#work(
      [
        ...held,
        ...this.#guards.filter((guard) => guard.isOpen && goesOff(guard, open, open)).map((guard) => this.#stop(guard, open, true, 0)),
        ...opening.map((order) => this.#happening(order, order.request.level, true, 1, () => this.#fire(order, open, true))),
      ],
      true,
      () => [],
    );
    const within = (price: number) => Math.max(low, Math.min(high, price));
    const afterOpen: RowEvent[] = [
      ...this.#guards.filter((guard) => guard.isOpen && goesOff(guard, high, low)).map((guard) => this.#stop(guard, guard.isLong ? Math.min(open, within(levelOf(guard))) : Math.max(open, within(levelOf(guard))), false, 0)),
      ...firing.map((order) => this.#happening(order, order.request.level, false, order.request.reduces ? (order.triggersAbove === order.isBuy ? 1 : 4) : 3, () => this.#fire(order, order.request.level, false))),
    ]; // prettier-ignore
    for (const order of mine().filter(({ waits }) => !waits)) {
      if (takes(order)) afterOpen.push(...(order.late ? [offer(order)] : []));
      else if (order.isBuy ? low < order.limit : high > order.limit) {
        afterOpen.push(
          this.#happening(order, order.limit, false, order.request.reduces ? 4 : 3, () => this.#fillOrder(order, order.limit, true, false)),
        );
      }
    }
    const seen = new Set<Guard>();
    this.#work(nearest(afterOpen, open), false, () => {
      const fresh = this.#guards.filter((guard) => guard.isOpen && guard.row === this.#row && !guard.atOpen && !seen.has(guard) && goesOff(guard, high, low));
      for (const guard of fresh) seen.add(guard);
      const price = (guard: Guard) => (guard.isLong ? Math.min(within(levelOf(guard)), guard.entryPrice) : Math.max(within(levelOf(guard)), guard.entryPrice));
      return nearest(fresh.map((guard) => this.#stop(guard, price(guard), false, 5)), open);
    }); // prettier-ignore
  }

  /** In order; what comes after a liquidation waits for what comes before it. */
  #work(list: RowEvent[], atOpen: boolean, more: () => RowEvent[]): void {
    for (;;) {
      list = list.filter(({ isAlive }) => isAlive());
      const next = list.find((one) => this.#behind(one) === null);
      if (next) {
        list = list.filter((one) => one !== next);
        next.apply();
        continue;
      }
      const last = more();
      list.push(...last);
      if (last.length > 0) continue;
      if (list.length === 0) return;
      this.#end(this.#behind(list[0]!)!, atOpen);
    }
  }
  /** The side whose liquidation comes before what happens. */
  #behind({ level, isBuy, reduces, falls, atOpen }: RowEvent): Side | null {
    if (level === 0) return null;
    const found = this.#sides.find((side) => {
      if (!this.#isDue(side)) return false;
      if (falls === side.isLong) return this.#isOver(side, level, () => this.#lastMark());
      return !atOpen && isBuy !== side.isLong && (this.#terms.isNet || reduces);
    });
    return found ?? null;
  }

  #happening(order: Resting, level: number, atOpen: boolean, stage: number, apply: () => void): RowEvent {
    const { isBuy, request, triggersAbove: otherTriggersAbove, waits } = order;
    return { level, isBuy, reduces: request.reduces, falls: waits ? !otherTriggersAbove : isBuy, atOpen, stage, isAlive: () => order.isOpen && order.waits === waits, apply }; // prettier-ignore
  }
  #stop(guard: Guard, price: number, atOpen: boolean, stage: number): RowEvent {
    const { isLong } = guard;
    const isAlive = () => guard.isOpen && guard.triggeredRow !== this.#row;
    return { level: levelOf(guard), isBuy: !isLong, reduces: true, falls: isLong, atOpen, stage, isAlive, apply: () => this.#stopOut(guard, price, atOpen) }; // prettier-ignore
  }

  // --- Orders

  #place(request: NaiveRequest, fromRow: number, late: boolean, guards: Guard | null): Resting {
    const close = this.#rows[this.#row]![3];
    const order: Resting = {
      request, sequence: this.#sequence++, isBuy: request.isLong !== request.reduces, limit: request.kind === 'limit' ? request.level : 0, waits: request.kind === 'trigger',
      triggersAbove: request.level > close, fromRow, late, isOpen: true, guards,
    }; // prettier-ignore
    this.#orders.push(order);
    return order;
  }

  /** Rule 17: an exit is a market order, an entry a limit at the collar, a hundredth beyond its level. */
  #fire(order: Resting, price: number, atOpen: boolean): void {
    order.waits = false;
    const { isBuy, request } = order;
    if (request.reduces) return this.#fillOrder(order, price, false, atOpen);
    order.limit = isBuy ? Math.floor((request.level * 1_010_000) / MILLION_NUMBER) : Math.ceil((request.level * 990_000) / MILLION_NUMBER);
    if (isBuy ? order.limit >= price : order.limit <= price) return this.#fillOrder(order, price, false, atOpen);
    // It rests, and has just come: in this row too, where the open has fired it.
    order.isOpen = false;
    this.#orders.push({ ...order, isOpen: true, fromRow: atOpen ? this.#row : this.#row + 1, late: true });
  }

  #fillOrder(order: Resting, price: number, isMaker: boolean, atOpen: boolean): void {
    const { request, isBuy } = order;
    const side = this.#sides[request.isLong ? 0 : 1];
    order.isOpen = false;
    const lots = BigInt(request.lots);
    if (request.reduces && side.lots < lots) return;
    const rate = RATES[request.reduces ? 'close' : 'open'][isMaker ? 'maker' : 'taker'];
    const value = this.#value(lots, price);
    const fee = halfUp(value * rate, MILLION);
    if (request.reduces) this.#reduce(side, lots, value, fee);
    else {
      const margin = roundUp(value, this.#terms.leverage);
      const others = this.#orders.filter((one) => one.isOpen && !one.request.reduces);
      const locked = others.reduce((sum, one) => sum + roundUp(this.#value(BigInt(one.request.lots), one.request.level) * 102n, this.#terms.leverage * 100n), 0n); // prettier-ignore
      if (this.#cash - locked < margin + 2n * fee) this.isTight = true;
      this.#cash -= margin + fee;
      if (side.lots === 0n) Object.assign(side, { openedRow: this.#row, openedDuringRow: !atOpen, average: price });
      else side.average = averageOf(this.#terms.isInverse, Number(side.lots), side.average, request.lots, price);
      side.lots += lots;
      side.entry += value;
      side.margin += margin;
    }
    this.fills.push({ row: this.#row, atOpen, isBuy, price, lots: request.lots, fee, isLiquidation: false });
    if (request.reduces) {
      if (order.guards) order.guards.isOpen = false;
      if (side.lots === 0n) this.#flat(request.isLong);
    } else this.#guard(order, price, atOpen, isMaker);
  }

  #reduce(side: Side, lots: bigint, value: bigint, fee: bigint): void {
    const isAll = lots === side.lots;
    const entry = isAll ? side.entry : halfUp(side.entry * lots, side.lots);
    const margin = isAll ? side.margin : (side.margin * lots) / side.lots;
    const profit = side.isLong === this.#terms.isInverse ? entry - value : value - entry;
    this.#cash -= fee;
    side.lots -= lots;
    side.entry -= entry;
    side.margin -= margin;
    let credit = margin + profit;
    if (!this.#terms.isCross && credit < 0n) {
      // What a part loses beyond its share of the margin, the margin of the rest pays first.
      side.margin -= -credit < side.margin ? -credit : side.margin;
      credit = 0n;
    }
    this.#cash += credit;
    this.#cover();
  }

  /** Rules 9 and 10: stop and target of an entry. */
  #guard({ request, triggersAbove, isBuy }: Resting, price: number, atOpen: boolean, isMaker: boolean): void {
    const { isLong, lots, stop, target, trailing, kind } = request;
    const isChasing = kind === 'trigger' && triggersAbove === isBuy && !isMaker;
    const guard: Guard = { isLong, lots, stop, trailing, best: price, entryPrice: price, row: this.#row, atOpen, isChasing, isOpen: stop > 0 || trailing > 0, triggeredRow: -1 }; // prettier-ignore
    this.#guards.push(guard);
    if (target === 0) return;
    const exit: NaiveRequest = { kind: 'limit', isLong, reduces: true, lots, level: target, stop: 0, target: 0, trailing: 0 };
    this.#place(exit, atOpen ? this.#row : this.#row + 1, true, guard);
  }
  #stopOut(guard: Guard, price: number, atOpen: boolean): void {
    guard.triggeredRow = this.#row;
    guard.isOpen = false;
    for (const order of this.#orders) if (order.guards === guard) order.isOpen = false;
    const { isLong, lots } = guard;
    const request: NaiveRequest = { kind: 'market', isLong, reduces: true, lots, level: 0, stop: 0, target: 0, trailing: 0 };
    this.#fillOrder(this.#place(request, this.#row, false, null), price, false, atOpen);
  }
  #follow(): void {
    const [, high, low, close] = this.#rows[this.#row]!;
    for (const guard of this.#guards) {
      const isWhole = guard.row < this.#row || guard.atOpen || guard.isChasing;
      guard.best = guard.isLong ? Math.max(guard.best, isWhole ? high : close) : Math.min(guard.best, isWhole ? low : close);
    }
    for (const order of this.#orders) order.late = false;
    this.#orders = this.#orders.filter(({ isOpen }) => isOpen);
    this.#guards = this.#guards.filter(({ isOpen }) => isOpen);
  }
}

const MILLION_NUMBER = 1_000_000;

function averageOf(isInverse: boolean, lots: number, ticks: number, moreLots: number, moreTicks: number): number {
  if (ticks === moreTicks) return ticks;
  const all = lots + moreLots;
  return isInverse ? all / (lots / ticks + moreLots / moreTicks) : (lots * ticks + moreLots * moreTicks) / all;
}
function levelOf({ isLong, stop, trailing, best }: Guard): number {
  if (isLong) return Math.max(stop, trailing > 0 ? best - trailing : 0);
  return Math.min(stop > 0 ? stop : Infinity, trailing > 0 ? best + trailing : Infinity);
}
const goesOff = (guard: Guard, high: number, low: number): boolean => (guard.isLong ? low <= levelOf(guard) : high >= levelOf(guard));
const nearest = (list: RowEvent[], open: number): RowEvent[] =>
  list.toSorted((a, b) => a.stage - b.stage || Math.abs(a.level - open) - Math.abs(b.level - open));
