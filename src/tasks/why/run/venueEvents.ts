// Converts acts of a venue to events of an explanation, and adds their rules to the events of orders.

import { exactDecimalText } from '../model/amounts.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { VenueAct } from '../../../venue/trace/matchTrace.ts';
import type { ExplainedEvent, ExplainedOrder } from '../model/explanation.ts';
import { RULE_TEXTS } from './ruleTexts.ts';

/** The rule of the matching by which a market order ends at its collar. */
const COLLAR_RULE = 4;

/** Returns an act as an event. Its text has the rule in words. */
export function eventFromAct(act: VenueAct, instrument: Instrument, order: number | null): ExplainedEvent {
  const { kind, timeMs, rule, also, price, lots, fee, feeInBase, isMaker, tradeId } = act;
  const isFill = kind !== 'cancel';
  const feeDigits = feeInBase ? instrument.baseDigits : instrument.quoteDigits;
  const feeAsset = feeInBase ? instrument.base : instrument.quote;
  return {
    timeMs,
    order,
    inBar: true,
    kind: kind === 'cancel' ? 'canceled' : kind,
    rule,
    also,
    price: isFill ? exactDecimalText(price, instrument.priceDigits) : null,
    quantity: isFill ? exactDecimalText(lots, instrument.quantityDigits) : null,
    fee: isFill ? `${exactDecimalText(fee, feeDigits)} ${feeAsset}` : null,
    isMaker: isFill ? isMaker : null,
    tradeId: isFill ? String(tradeId) : null,
    code: null,
    text: actText(act),
  };
}

/** Returns the order with the rules of the venue in its fills and its cancellation. */
export function withRules(order: ExplainedOrder, acts: readonly VenueAct[], instrument: Instrument): ExplainedOrder {
  // A liquidation has no order of the bot, so it is matched by instrument, time and price alone.
  const isOfOrder = ({ ref, kind }: VenueAct): boolean => ref === order.order || kind === 'liquidation';
  const orderActs = acts.filter((act) => act.instrument === order.instrument && isOfOrder(act));
  const events = order.events.map((event): ExplainedEvent => {
    const act = orderActs.find((candidate) => isResultOf(candidate, event, instrument));
    if (act === undefined) return event;
    const kind = act.kind === 'liquidation' ? 'liquidation' : event.kind;
    return { ...event, kind, rule: act.rule, also: act.also, text: actText(act) };
  });
  return { ...order, events: events.map((event) => withCollarRule(order, event)) };
}

/** Returns true when the event of an order is the result of `act`. */
function isResultOf(act: VenueAct, event: ExplainedEvent, instrument: Instrument): boolean {
  if (event.kind === 'canceled') return act.kind === 'cancel' && act.timeMs === event.timeMs;
  if (event.kind !== 'fill' || act.kind === 'cancel') return false;
  if (act.timeMs !== event.timeMs || exactDecimalText(act.price, instrument.priceDigits) !== event.price) return false;
  return String(act.tradeId) === event.tradeId;
}

/**
 * Returns the event with the rule of the collar if it is the end of a market order at its collar. The bot cancels the remainder of such an
 * order after its row.
 */
function withCollarRule({ role, quoteAmount }: ExplainedOrder, event: ExplainedEvent): ExplainedEvent {
  const isUnexplainedCancel = event.kind === 'canceled' && event.rule === null;
  const hasCollar = role === 'market' && quoteAmount === null;
  if (!isUnexplainedCancel || !hasCollar) return event;
  return { ...event, rule: COLLAR_RULE, text: 'canceled: the rest of a market order beyond its collar' };
}

/** Returns an act in words, with its rule. */
function actText({ kind, rule, isMaker, price, quoted }: VenueAct): string {
  const ruleText = rule === null ? '' : `: ${RULE_TEXTS[rule]}`;
  if (kind === 'cancel') return rule === null ? 'canceled by the bot' : `canceled${ruleText}`;
  if (kind === 'liquidation') return `liquidated${ruleText}`;
  const hasSlippage = price !== quoted && !Number.isNaN(quoted);
  const slippageText = hasSlippage ? ', plus slippage' : '';
  return `filled as ${isMaker ? 'maker' : 'taker'}${ruleText}${slippageText}`;
}
