// Converts acts of a venue to events of an explanation, and adds their rules to the events of orders.

import { explainedAmountText } from '../model/amounts.ts';
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
    price: isFill ? explainedAmountText(price, instrument.priceDigits) : null,
    quantity: isFill ? explainedAmountText(lots, instrument.quantityDigits) : null,
    fee: isFill ? `${explainedAmountText(fee, feeDigits)} ${feeAsset}` : null,
    isMaker: isFill ? isMaker : null,
    tradeId: isFill ? String(tradeId) : null,
    code: null,
    text: actText(act),
  };
}

/** Returns the order with the rules of the venue in its fills and its cancellation. */
export function withRules(order: ExplainedOrder, acts: readonly VenueAct[], instrument: Instrument): ExplainedOrder {
  // A liquidation has no order of the bot, so it is matched by instrument, time and price alone.
  const orderActs = acts.filter((act) => act.instrument === order.instrument && (act.ref === order.order || act.kind === 'liquidation'));
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
  if (act.timeMs !== event.timeMs || explainedAmountText(act.price, instrument.priceDigits) !== event.price) return false;
  return String(act.tradeId) === event.tradeId;
}

/**
 * Returns the event with the rule of the collar if it is the end of a market order at its collar. The bot cancels the rest of such an order after its row.
 */
function withCollarRule({ role, quoteAmount }: ExplainedOrder, event: ExplainedEvent): ExplainedEvent {
  if (event.kind !== 'canceled' || event.rule !== null || role !== 'market' || quoteAmount !== null) return event;
  return { ...event, rule: COLLAR_RULE, text: 'canceled: the rest of a market order beyond its collar' };
}

/** Returns an act in words, with its rule. */
function actText({ kind, rule, isMaker, price, quoted }: VenueAct): string {
  const ruleText = rule === null ? '' : `: ${RULE_TEXTS[rule]}`;
  if (kind === 'cancel') return rule === null ? 'canceled by the bot' : `canceled${ruleText}`;
  if (kind === 'liquidation') return `liquidated${ruleText}`;
  const hasSlippage = price !== quoted && !Number.isNaN(quoted);
  return `filled as ${isMaker ? 'maker' : 'taker'}${ruleText}${hasSlippage ? ', plus slippage' : ''}`;
}
