// Finds the events in which a rerun differs from the journal of the bot.

import { appendAll } from '../../base/memory/appendAll.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import { isPlainDecimal } from '../../base/number/decimalText.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closeOf } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import { ENDINGS, SIDES } from '../../model/run/run.ts';
import { openAt } from './barTimes.ts';
import { causeOfSilence, isSameBar } from './catalogFeeds.ts';
import type { DivergentEvent, DivergentWhat } from './divergences.ts';
import { barKey, type RecordedRun, type ReportedEnd, type ReportedFill, type ReportedOrder } from './recordedRun.ts';
import { chosenRole, pairedOrders } from './orderPairs.ts';
import type { Rerun } from './rerunStrategies.ts';
import { roleOfIntent } from './rerunScript.ts';

/** An event that differs between backtest and bot. Its `id` is the same in every rerun. */
export interface ListedDifference extends DivergentEvent {
  readonly id: string;
}

/** Returns the rank of an event among those of the same time: bars before decisions before all others, which follow the journal. */
function rankOf(what: DivergentWhat): number {
  if (what === 'bar') return 0;
  return what === 'decision' ? 1 : 2;
}

/** Returns all events that differ, the earliest first. */
export function differencesOf(rerun: Rerun, run: RecordedRun): readonly ListedDifference[] {
  const differences = [...barDifferences(rerun, run), ...new OrderDifferences(rerun, run).all(), ...fundingDifferences(rerun, run)];
  return differences.toSorted((a, b) => a.time - b.time || rankOf(a.what) - rankOf(b.what) || a.seq - b.seq);
}

/** Returns the bars that the bot did not receive or received with other values, and the bars at which it did not decide. */
function barDifferences(rerun: Rerun, run: RecordedRun): readonly ListedDifference[] {
  const differences: ListedDifference[] = [];
  rerun.feeds.forEach(({ bars }, feed) => {
    for (let row = 0; row < bars.length; row++) {
      const difference = barDifference(rerun, run, feed, row);
      if (difference !== null) differences.push(difference);
    }
    appendAll(differences, barsOfBotAlone(rerun, run, feed));
  });
  return differences;
}

/** Returns the bars of a feed that the bot received after its warm-up and the rerun lacks. Bars from trades differ by those of the rerun. */
function barsOfBotAlone({ feeds }: Rerun, run: RecordedRun, feedIndex: number): readonly ListedDifference[] {
  const { bars } = feeds[feedIndex]!;
  if (isTradeBars(bars.interval)) return [];
  const known = new Set(bars.openMs);
  return [...run.bars.values()].flatMap(({ feed, openMs, values, seq }): readonly ListedDifference[] => {
    const time = closeOf(bars.interval, openMs);
    const isOfRun = feed === feedIndex && seq > 0 && time <= run.lastMs;
    if (!isOfRun || known.has(openMs)) return [];
    return [{ id: `bar ${feed} ${openMs}`, seq, time, what: 'bar', backtest: null, live: barText(values, bars.instrument) }];
  });
}

/** Compares a bar of the rerun, given by its feed and row, with what the bot received and decided. Null when nothing differs. */
function barDifference({ feeds, undecided }: Rerun, run: RecordedRun, feedIndex: number, row: number): ListedDifference | null {
  const { bars, firstRow, isExecutionOnly = false } = feeds[feedIndex]!;
  const { instrument } = bars;
  const openMs = bars.openMs[row]!;
  const time = bars.closeMs[row]!;
  const values = [bars.open[row]!, bars.high[row]!, bars.low[row]!, bars.close[row]!, bars.volume[row]!];
  const received = run.bars.get(barKey(feedIndex, openMs));
  const id = `bar ${feedIndex} ${openMs}`;
  const isUndecided = undecided.has(time);
  if (received === undefined) {
    if (isUndecided) return null;
    return { id, seq: run.seqAfter(time), time, what: 'bar', backtest: barText(values, instrument), live: null };
  }
  const { seq } = received;
  if (!isSameBar([...values, time], received, instrument)) {
    const texts = { backtest: barText(values, instrument), live: barText(received.values, instrument) };
    return { id, seq, time, what: 'bar', ...texts };
  }
  const mayDecide = !isExecutionOnly && row >= firstRow && !isUndecided;
  if (!mayDecide || causeOfSilence(run, time) === null) return null;
  const live = `no decision: the bar came with the instant of ${formatTime(received.atMs)}`;
  return { id, seq, time, what: 'decision', backtest: 'decided', live };
}

/** Returns the prices and the volume of a bar as text. */
function barText(values: readonly number[], { priceDigits, quantityDigits }: Instrument): string {
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = values;
  const prices = Object.entries({ open, high, low, close }).map(([name, price]) => `${name} ${price.toFixed(priceDigits)}`);
  return `${prices.join(' ')} volume ${volume.toFixed(quantityDigits)}`;
}

/** A fill of the backtest or of the bot, with amounts as decimals. */
interface PlainFill {
  readonly seq: number | null;
  readonly timeMs: number;
  readonly price: string;
  readonly qty: string;
  readonly notional: string;
  readonly fee: string;
  readonly coin: string;
}

/** Endings of orders that the exchange did not take. */
const REFUSALS: ReadonlySet<string> = new Set(['refused', 'notSent']);

/** Compares the orders of a rerun, with their fills and ends, with those of the journal. */
class OrderDifferences {
  readonly #rerun: Rerun;
  readonly #run: RecordedRun;
  readonly #differences: ListedDifference[] = [];
  /** The rows of the fills of the rerun, by the id of their order. */
  readonly #fillRowsByOrder = new Map<number, number[]>();

  constructor(rerun: Rerun, run: RecordedRun) {
    this.#rerun = rerun;
    this.#run = run;
    const { fills } = rerun;
    for (let row = 0; row < fills.length; row++) {
      const id = fills.orderId[row]!;
      this.#fillRowsByOrder.set(id, [...(this.#fillRowsByOrder.get(id) ?? []), row]);
    }
  }

  /** Returns all differences. */
  all(): readonly ListedDifference[] {
    for (const { row, recorded, id } of pairedOrders(this.#rerun, this.#run)) {
      if (row !== null) this.#compare(row, recorded, id);
      else if (recorded!.intent !== null || recorded!.end !== null) {
        const { seq, createdMs: time } = recorded!;
        this.#add({ id: `order ${id}`, seq, time, what: 'order', backtest: null, live: recordedText(recorded!) });
      }
    }
    return this.#differences;
  }

  /** Adds a difference to the result. */
  #add(difference: ListedDifference): void {
    this.#differences.push(difference);
  }

  /** Compares an order of the rerun (its row) with its recorded order: its terms, then its fills, then its end. */
  #compare(row: number, recorded: ReportedOrder | null, id: string): void {
    const { orders } = this.#rerun;
    const time = orders.createdMs[row]!;
    const terms = this.#termsOf(row);
    const orderDifference = { id: `order ${id}`, time, what: 'order' } as const;
    if (recorded === null) return this.#add({ ...orderDifference, seq: this.#run.seqAfter(time), backtest: terms, live: null });
    const { intent, end, seq } = recorded;
    const ending = ENDINGS[orders.ending[row]!]!;
    const code = orders.texts[orders.code[row]!] ?? '';
    const live = recordedText(recorded);
    if (intent === null) {
      const isSameDenial = ending === 'denied' && code === end?.code;
      if (!isSameDenial) this.#add({ ...orderDifference, seq, backtest: terms, live });
      return;
    }
    if (ending === 'denied' || terms !== intentTerms(intent)) {
      const backtest = ending === 'denied' ? `${terms}, denied ${code}` : terms;
      this.#add({ ...orderDifference, seq, backtest, live });
    }
    const isEndReported = this.#compareFills(row, recorded, id);
    if (!isEndReported) this.#compareEnd(row, end, id);
  }

  /** Compares the end of an order. An order that has filled whole counts as one without an end. */
  #compareEnd(row: number, end: ReportedEnd | null, id: string): void {
    const { orders } = this.#rerun;
    const ending = ENDINGS[orders.ending[row]!]!;
    const code = orders.texts[orders.code[row]!] ?? '';
    const isEndedInRerun = ending === 'refused' || ending === 'canceled' || ending === 'notSent';
    const liveEnd = end === null || end.ending === 'denied' ? null : end;
    if ((isEndedInRerun ? ending : null) === (liveEnd?.ending ?? null)) return;
    // The journal has one record for both. A module that wraps the exchange may refuse orders with a code of its own.
    const isSameRefusal = REFUSALS.has(ending) && liveEnd !== null && REFUSALS.has(liveEnd.ending) && code === liveEnd.code;
    if (isSameRefusal) return;
    const time = liveEnd?.t ?? orders.doneMs[row]!;
    const backtest = isEndedInRerun ? `${ending} ${code}`.trim() : null;
    const live = liveEnd === null ? null : endText(liveEnd);
    this.#add({ id: `end ${id}`, seq: end?.seq ?? this.#run.seqAfter(time), time, what: 'end', backtest, live });
  }

  /** Compares the fills of an order one by one. Returns true when the end of the bot's order is among the differences. */
  #compareFills(row: number, { fills: reported, end }: ReportedOrder, id: string): boolean {
    const { orders, instruments, feeds } = this.#rerun;
    const instrument = instruments[orders.instrument[row]!]!;
    const { bars } = feeds.findLast((feed) => feed.bars.instrument.id === instrument.id)!;
    const rerunFills = (this.#fillRowsByOrder.get(orders.id[row]!) ?? []).map((fillRow) => this.#plainFill(fillRow, instrument));
    const liveFills = reported.map(plainRecord);
    for (let index = 0; index < Math.max(rerunFills.length, liveFills.length); index++) {
      const rerunFill = rerunFills[index];
      const liveFill = liveFills[index];
      const time = Math.min(rerunFill?.timeMs ?? Infinity, liveFill?.timeMs ?? Infinity);
      const seq = liveFill?.seq ?? this.#run.seqAfter(time);
      const backtest = fillText(rerunFill);
      const live = fillText(liveFill);
      // The bot's order ended without this fill, so its end is the first difference.
      if (liveFill === undefined && end !== null) {
        const endMs = Math.min(time, end.t);
        this.#add({ id: `end ${id}`, seq: end.seq, time: endMs, what: 'end', backtest: `filled ${backtest ?? ''}`, live: endText(end) });
        return true;
      }
      if (rerunFill === undefined || liveFill === undefined || !isSameFill(rerunFill, liveFill, bars))
        this.#add({ id: `fill ${id} ${index}`, seq, time, what: 'fill', backtest, live });
      else if (feeText(rerunFill) !== feeText(liveFill))
        this.#add({ id: `fee ${id} ${index}`, seq, time, what: 'fee', backtest: feeText(rerunFill), live: feeText(liveFill) });
    }
    return false;
  }

  /** Returns a fill of the rerun as plain decimals. */
  #plainFill(row: number, { priceDigits, quantityDigits, quoteDigits, baseDigits, base, quote }: Instrument): PlainFill {
    const { price, lots, notional, fee, feeInBase, timeMs } = this.#rerun.fills;
    const isFeeInBase = feeInBase[row] === 1;
    return {
      seq: null,
      timeMs: timeMs[row]!,
      price: fromScaled(price[row]!, priceDigits),
      qty: fromScaled(lots[row]!, quantityDigits),
      notional: fromScaled(notional[row]!, quoteDigits),
      fee: fromScaled(fee[row]!, isFeeInBase ? baseDigits : quoteDigits),
      coin: isFeeInBase ? base : quote,
    };
  }

  /** Returns the terms of an order of the rerun, in the form of the journal's INTENT. */
  #termsOf(row: number): string {
    const { orders, instruments } = this.#rerun;
    const instrument = instruments[orders.instrument[row]!]!;
    const { quantityDigits, quoteDigits, priceDigits } = instrument;
    const amount = orders.quoteUnits[row]!;
    const role = chosenRole(orders, row);
    return termsText({
      side: SIDES[orders.side[row]!]!,
      role,
      symbol: instrument.id,
      qty: amount > 0 ? null : fromScaled(orders.lots[row]!, quantityDigits),
      amount: amount > 0 ? fromScaled(amount, quoteDigits) : null,
      price: orders.limit[row]! > 0 ? fromScaled(orders.limit[row]!, priceDigits) : null,
    });
  }
}

/** The terms of an order as text, for comparisons. */
interface PlainTerms {
  readonly side: string;
  readonly role: string;
  readonly symbol: string;
  readonly qty: string | null;
  readonly amount: string | null;
  readonly price: string | null;
}

/** Returns the terms of an order as text. The limit of a market order is its collar, and is omitted. */
function termsText({ side, role, symbol, qty, amount, price }: PlainTerms): string {
  const isPriced = price !== null && (role === 'limit' || role === 'takeProfit');
  return `${side} ${withoutTrailingZeros(qty ?? amount ?? '0')} ${symbol} ${role}${isPriced ? ` at ${withoutTrailingZeros(price)}` : ''}`;
}

/** Returns the terms of a recorded INTENT as text. */
const intentTerms = (intent: NonNullable<ReportedOrder['intent']>): string => termsText({ ...intent, role: roleOfIntent(intent) });

/** Returns the terms of a recorded order; its end if it has no INTENT. */
function recordedText({ intent, end }: ReportedOrder): string {
  if (intent !== null) return intentTerms(intent);
  return end === null ? 'an order' : `${end.ending} ${end.code}`;
}

/** Returns how an order ended, with the code of the end unless it is the same word. */
const endText = ({ ending, code }: ReportedEnd): string => (ending === code ? ending : `${ending} ${code}`.trim());

/** Returns a recorded fill with decimals in their shortest form. */
const plainRecord = ({ record }: ReportedFill): PlainFill => ({
  seq: record.seq,
  timeMs: record.executedMs,
  price: withoutTrailingZeros(record.price),
  qty: withoutTrailingZeros(record.qty),
  notional: withoutTrailingZeros(record.notional),
  fee: withoutTrailingZeros(record.fee),
  coin: record.feeCoin,
});

/** Returns the fee and the notional of a fill as text. */
const feeText = ({ fee, coin, notional }: PlainFill): string => `fee ${fee} ${coin} of ${notional}`;

/** Returns a fill as text, or null without a fill. */
const fillText = (fill: PlainFill | undefined): string | null =>
  fill === undefined ? null : `${fill.qty} at ${fill.price}, ${formatTime(fill.timeMs)}`;

/** Returns true when a fill of the rerun and one of the bot have the same price and quantity, and fall into one bar. */
const isSameFill = (rerunFill: PlainFill, liveFill: PlainFill, bars: BarColumns): boolean =>
  rerunFill.price === liveFill.price && rerunFill.qty === liveFill.qty && isSameTime(rerunFill.timeMs, liveFill.timeMs, bars);

/** Returns true when a fill of the rerun and one of the bot fall into one bar. A backtest has no finer times. */
export const isSameTime = (rerunMs: number, liveMs: number, bars: BarColumns): boolean =>
  rerunMs === liveMs || openAt(bars, rerunMs) === openAt(bars, liveMs) || openAt(bars, rerunMs - 1) === openAt(bars, liveMs);

/** Returns a decimal without trailing zeros. */
function withoutTrailingZeros(text: string): string {
  return isPlainDecimal(text) && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Length of an hour, ms. Payments are compared by hour. */
const HOUR_MS = 3_600_000;
/** The time before an hour that counts to the hour, ms. A catalog may have a payment some ms before the hour, and the bot sees it later. */
const EARLY_MS = 60_000;

/** The funding that was paid for one instrument within one hour. */
interface PaidFunding {
  /** Number of the journal record of the bot's payment; null for a payment of the backtest. */
  seq: number | null;
  /** Time of the first payment of the hour, ms UTC. */
  time: number;
  /** Sum in units of the settlement asset. */
  amount: number;
  digits: number;
}

/** Returns the funding payments whose amounts differ. */
function fundingDifferences({ payments, instruments }: Rerun, { funded, seqAfter }: RecordedRun): readonly ListedDifference[] {
  const backtest = new Map<string, PaidFunding>();
  const live = new Map<string, PaidFunding>();
  const addToHour = (sums: Map<string, PaidFunding>, symbol: string, paid: PaidFunding): void => {
    const key = `${symbol} ${Math.floor((paid.time + EARLY_MS) / HOUR_MS)}`;
    const sumOfHour = sums.get(key);
    if (sumOfHour === undefined) sums.set(key, { ...paid });
    else sumOfHour.amount += paid.amount;
  };
  for (let row = 0; row < payments.length; row++) {
    const { id, quoteDigits: digits } = instruments[payments.instrument[row]!]!;
    const isFunding = payments.kind[row] === 0;
    if (isFunding) addToHour(backtest, id, { seq: null, time: payments.timeMs[row]!, amount: payments.units[row]!, digits });
  }
  for (const { symbol, amount, paidMs, seq } of funded) {
    const digits = instruments.find(({ id }) => id === symbol)?.quoteDigits ?? 0;
    addToHour(live, symbol, { seq, time: paidMs, amount: Math.round(Number(amount) * 10 ** digits), digits });
  }
  return [...new Set([...backtest.keys(), ...live.keys()])].flatMap((key): readonly ListedDifference[] => {
    const backtestPaid = backtest.get(key);
    const livePaid = live.get(key);
    if (backtestPaid?.amount === livePaid?.amount) return [];
    const time = backtestPaid?.time ?? livePaid!.time;
    const seq = livePaid?.seq ?? seqAfter(time);
    return [{ id: `funding ${key}`, seq, time, what: 'funding', backtest: paidText(backtestPaid), live: paidText(livePaid) }];
  });
}

/** Returns the amount of a payment as text. Null without a payment. */
const paidText = (paid: PaidFunding | undefined): string | null => (paid === undefined ? null : fromScaled(paid.amount, paid.digits));
