// Converts the state of a journal for the engine of a new process: unfinished orders, drafts, and the baselines of loss rules.

import type { Lots, Ticks, TimeMs, Units } from '../../../base/brand.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { OrderId, VenueOrderId } from '../../../model/order.ts';
import type { OrderEnd } from '../../../orders/drafts.ts';
import { BotOrder } from '../../../orders/botOrder.ts';
import type { RestoredDraft, RestoredOrder, RestoredOrders } from '../../../orders/restoreBotOrder.ts';
import { restartOf, type DraftTrace, type JournalState, type OrderTrace, type Restart } from './journalState.ts';
import type { RecordBody, RecordOf } from './records.ts';
import { ladderFromRecord, ppmFromRecord, scaledFromRecord } from './recordDecimals.ts';

/** Facts of the restart. `isTorn`: some write was incomplete. `venueMs`: the venue's time now, an upper bound for a lost signing time. */
export interface RestartFacts {
  readonly isTorn: boolean;
  readonly venueMs: number;
}

/** Returns the orders of the journal. Throws ConfigError for an order of an instrument that is not in this run. */
export function restoredOrders(state: JournalState, instruments: readonly Instrument[], facts: RestartFacts): RestoredOrders {
  const restoreOrder = (
    traces: Iterable<OrderTrace>,
    stateOf: (trace: OrderTrace) => Pick<RestoredOrder, 'state' | 'signMs'>,
  ): RestoredOrder[] => [...traces].map((trace) => ({ ...orderFromTrace(trace, instruments), ...stateOf(trace) }));
  const endedAs = (end: 'provenAbsent' | 'refused') => (trace: OrderTrace) => ({
    state: end,
    signMs: trace.send?.signMs ?? trace.intent.createdMs,
  });
  const orders = [
    ...restoreOrder(state.unfinished.values(), (trace) => restartState(restartOf(trace, facts.isTorn), trace, facts.venueMs)),
    ...restoreOrder(state.provenAbsent.values(), endedAs('provenAbsent')),
    ...restoreOrder(state.refused.values(), endedAs('refused')),
  ];
  // Sorted by their ends, because reservations of orders proven absent end in that sequence.
  return {
    lastOrder: state.lastOrder,
    orders: orders.toSorted((a, b) => endTimeOf(a) - endTimeOf(b) || a.id - b.id),
    drafts: [...state.drafts.values()].map((trace) => restoredDraft(trace, instruments)),
  };
}

/** Returns a draft from its record, with the ends of the orders ahead of it. */
export function restoredDraft({ draft, ended }: DraftTrace, instruments: readonly Instrument[]): RestoredDraft {
  const index = indexOf(draft.symbol, instruments);
  const instrument = instruments[index]!;
  const order = new BotOrder();
  order.begin(draft.order, draft.strategy, instrument, index, draft.side, draft.createdMs);
  order.role = draft.role;
  order.reduceOnly = draft.reduceOnly;
  order.timeInForce = draft.timeInForce;
  order.slot = draft.slot;
  writeTerms(order, draft);
  return {
    order,
    ahead: draft.ahead as readonly OrderId[],
    replaced: replacedOrder(draft, instrument),
    targetLots: draft.target === null ? NaN : scaledFromRecord(draft.target, instrument.quantityDigits),
    ended: new Map([...ended].map(([id, trace]) => [id, endOfOrder(trace, instrument)])),
  };
}

/** Writes the recorded size, prices, bracket and trigger into an order. `rises`: a record of an earlier version may not have it. */
export function writeTerms(
  order: BotOrder,
  record: Omit<RecordOf<'DRAFT'> | RecordOf<'INTENT'>, 'rises'> & { rises?: boolean | undefined },
): void {
  const { priceDigits, quantityDigits, quoteDigits } = order.instrument;
  const price = (text: string | null): Ticks => (text === null ? 0 : scaledFromRecord(text, priceDigits)) as Ticks;
  order.lots = (record.qty === null ? 0 : scaledFromRecord(record.qty, quantityDigits)) as Lots;
  order.quoteUnits = (record.amount === null ? 0 : scaledFromRecord(record.amount, quoteDigits)) as Units;
  order.limit = price(record.price);
  order.takeProfit = price(record.takeProfit);
  order.ladder = ladderFromRecord(record.targets, priceDigits);
  order.stopLoss = price(record.stopLoss);
  order.trailing = price(record.trailing);
  order.trailingPpm = ppmFromRecord(record.trailingPercent);
  order.trailingFrom = price(record.trailingFrom ?? null);
  order.triggerTicks = price(record.condition);
  order.triggersAbove = record.rises ?? order.triggersAbove;
  order.isGuarded = order.takeProfit > 0 || order.stopLoss > 0 || order.trailing > 0;
}

/** Returns the order that a draft replaces, as it was when the draft was made; null if it replaces none. */
function replacedOrder({ ahead, replaced }: DraftTrace['draft'], { quantityDigits, quoteDigits }: Instrument): RestoredDraft['replaced'] {
  if (replaced === null) return null;
  const lots = (name: string): number => scaledFromRecord(String(replaced[name]), quantityDigits);
  const money = (name: string): number => scaledFromRecord(String(replaced[name]), quoteDigits);
  return {
    id: ahead[0] as OrderId,
    side: replaced['side'] === 'sell' ? 'sell' : 'buy',
    lots: lots('qty'),
    quoteUnits: money('amount'),
    filledLots: lots('filled'),
    filledUnits: money('spent'),
  };
}

/** Returns how an order has ended. */
function endOfOrder({ intent, fills, state }: OrderTrace, { quantityDigits, quoteDigits }: Instrument): OrderEnd {
  const filledLots = fills.reduce((sum, { qty }) => sum + scaledFromRecord(qty, quantityDigits), 0);
  const isFilled = intent.qty !== null && filledLots >= scaledFromRecord(intent.qty, quantityDigits);
  return {
    filledLots: filledLots as Lots,
    filledUnits: fills.reduce((sum, { notional }) => sum + scaledFromRecord(notional, quoteDigits), 0) as Units,
    reason: isFilled ? 'filled' : (state?.reason ?? 'canceled'),
  };
}

const endTimeOf = ({ endMs }: RestoredOrder): number => (Number.isNaN(endMs) ? Infinity : endMs);

function restartState(restart: Restart, trace: OrderTrace, venueMs: number): Pick<RestoredOrder, 'state' | 'signMs'> {
  const signMs = trace.send?.signMs ?? venueMs;
  // A terminal status that was read once must be read again. Until then the order counts as open.
  return { state: restart.kind === 'unconfirmed' ? 'working' : restart.kind, signMs };
}

/** Returns an order from its INTENT alone, as it was when it was sent. */
export function sentOrder(intent: OrderTrace['intent'], instruments: readonly Instrument[]): RestoredOrder {
  const trace = { intent, send: null, orderId: null, contestedId: null, state: null, fills: [], targets: [], endMs: NaN };
  return { ...orderFromTrace(trace, instruments), state: 'sent', signMs: intent.createdMs };
}

/** Returns an unfinished order as the engine had it. The caller adds its state and its signing time. */
function orderFromTrace(
  { intent, orderId, fills, targets, endMs }: OrderTrace,
  instruments: readonly Instrument[],
): Omit<RestoredOrder, 'state' | 'signMs'> {
  const index = indexOf(intent.symbol, instruments);
  const instrument = instruments[index]!;
  const { priceDigits, quantityDigits, quoteDigits } = instrument;
  const price = (text: string | null): Ticks => (text === null ? 0 : scaledFromRecord(text, priceDigits)) as Ticks;
  const sum = (valueOf: (fill: OrderTrace['fills'][number]) => number): number => fills.reduce((total, fill) => total + valueOf(fill), 0);
  const filledLots = sum(({ qty }) => scaledFromRecord(qty, quantityDigits));
  const targetLots = targets.reduce((total, { qty }) => total + (qty === null ? 0 : scaledFromRecord(qty, quantityDigits)), 0);
  return {
    id: intent.order as OrderId,
    strategy: intent.strategy,
    instrument,
    instrumentIndex: index,
    side: intent.side,
    role: intent.role,
    lots: (intent.qty === null ? 0 : scaledFromRecord(intent.qty, quantityDigits)) as Lots,
    quoteUnits: (intent.amount === null ? 0 : scaledFromRecord(intent.amount, quoteDigits)) as Units,
    limit: price(intent.price),
    reduceOnly: intent.reduceOnly,
    timeInForce: intent.timeInForce,
    slot: intent.slot,
    parent: intent.parent as OrderId,
    takeProfit: price(intent.takeProfit),
    ladder: ladderFromRecord(intent.targets, priceDigits),
    stopLoss: price(intent.stopLoss),
    trailing: price(intent.trailing),
    trailingPpm: ppmFromRecord(intent.trailingPercent),
    trailingFrom: price(intent.trailingFrom ?? null),
    firedAtTicks: price(intent.trigger),
    triggerTicks: price(intent.condition),
    triggersAbove: intent.rises,
    amends: (intent.amends ?? 0) as OrderId,
    createdMs: intent.createdMs as TimeMs,
    venueId: orderId as VenueOrderId | null,
    filledLots: filledLots as Lots,
    filledUnits: sum(({ notional }) => scaledFromRecord(notional, quoteDigits)) as Units,
    pendingTargetLots: (intent.takeProfit === null ? 0 : Math.max(0, filledLots - targetLots)) as Lots,
    endMs,
  };
}

/** Returns the index of an instrument by its id. Throws ConfigError if it is not in this run. */
export function indexOf(symbol: string, instruments: readonly Instrument[]): number {
  const index = instruments.findIndex(({ id }) => id === symbol);
  if (index >= 0) return index;
  throw new ConfigError(
    `journal: ${symbol} was traded, and no feed of the config names it`,
    'name it again, so that its orders and holdings stay watched; or begin another data folder',
  );
}

// --- Baselines of loss rules: cursors of the account

const MEMORY_CHANNEL = 'memory ';

/** Returns the cursor with the baseline of a loss rule. */
export const memoryCursor = (code: string, memory: readonly number[]): RecordBody<'CURSOR'> => ({
  symbol: 'account',
  channel: MEMORY_CHANNEL + code,
  value: JSON.stringify(memory),
});

/** Returns the baselines of the loss rules, by code. */
export function memoryOf(state: JournalState): ReadonlyMap<string, readonly number[]> {
  const cursors = [...state.cursors.values()].filter(({ symbol, channel }) => symbol === 'account' && channel.startsWith(MEMORY_CHANNEL));
  return new Map(cursors.map(({ channel, value }) => [channel.slice(MEMORY_CHANNEL.length), numbersOf(value)]));
}
function numbersOf(text: string): readonly number[] {
  const parsedValue: unknown = JSON.parse(text);
  return Array.isArray(parsedValue) ? parsedValue.map((value) => (typeof value === 'number' ? value : NaN)) : [];
}
