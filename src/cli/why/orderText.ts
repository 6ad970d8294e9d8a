// Formats an order as lines: the verdict of each risk rule, and the events at the venue.

import { formatTime } from '../../model/time.ts';
import type { ExplainedEvent, ExplainedOrder } from '../../tasks/why/model/explanation.ts';
import { rowsText } from './columns.ts';

/** Returns the terms of an order, such as `order 12, buy 0.5 at 101.2 (limit)`. */
export function orderTitle({ order, side, quantity, quoteAmount, price, role, tag }: ExplainedOrder): string {
  const amountText = quoteAmount === null ? '' : `for ${plainAmount(quoteAmount)}`;
  const size = quantity === null ? amountText : plainAmount(quantity);
  const label = tag === role || tag === '' || tag === side ? role : `${role}, ${tag}`;
  const priceText = price === null ? '' : ` at ${plainAmount(price)}`;
  return `order ${order}, ${side} ${size}${priceText} (${label})`;
}

/** Returns the verdict of each risk rule. The first rule that denies an order decides. */
export function riskLines({ verdict, code, rules, role }: ExplainedOrder): readonly string[] {
  if (rules.length === 0) return [role === 'liquidation' ? 'the venue made the order itself; no rule was asked' : 'no rule was asked'];
  const firstDenyCode = rules.find((rule) => rule.verdict === 'denied')?.code;
  const verdictText = (rule: ExplainedOrder['rules'][number]): string => {
    if (rule.verdict === 'passed') return 'passed';
    const detail = rule.detail === '' ? '' : `: ${rule.detail}`;
    return `denied${rule.code === firstDenyCode ? '' : ' too'}${detail}`;
  };
  const rows = rules.map((rule) => [rule.code, rule.asked, rule.limit, verdictText(rule)]);
  const headings = ['rule', 'asked', 'limit', 'verdict'];
  return [...(verdict === 'denied' ? [`denied: ${code ?? ''}`] : []), ...rowsText([headings, ...rows])];
}

/** Returns the events at the venue during the bar, and those of the orders that were decided at the bar. */
export function venueLines(inBar: readonly ExplainedEvent[], orders: readonly ExplainedOrder[]): readonly string[] {
  const orderEvents = orders.flatMap(({ events }) => events);
  const otherEvents = inBar.filter((event) => !orderEvents.some((orderEvent) => isSame(orderEvent, event)));
  const events = [...otherEvents, ...orderEvents].toSorted(compareEvents);
  const rows = events.map((event) => [event.inBar ? 'in the bar' : 'afterwards', ...eventCells(event)]);
  if (rows.length === 0) return ['nothing: no order was at the venue'];
  return rowsText([['', 'time', 'order', 'rule', 'what'], ...rows], 'llrl');
}

/** Sorts the events in the bar first, then by time. Of events at the same time, the arrival of an order comes first. */
function compareEvents(a: ExplainedEvent, b: ExplainedEvent): number {
  return Number(b.inBar) - Number(a.inBar) || a.timeMs - b.timeMs || arrivalRank(a) - arrivalRank(b);
}

/** Returns the rank of an event among those of the same time. */
const arrivalRank = ({ kind }: ExplainedEvent): number => (kind === 'arrived' ? 0 : 1);

/** Returns an amount without trailing zeros. An asset after the number stays. */
export function plainAmount(text: string | null): string {
  return (text ?? '').replace(/(\.\d*?)0+(?= |$)/, '$1').replace(/\.(?= |$)/, '');
}

/** True when two records describe the same event. */
function isSame(a: ExplainedEvent, b: ExplainedEvent): boolean {
  return a.order === b.order && a.timeMs === b.timeMs && a.kind === b.kind && a.tradeId === b.tradeId;
}

/** Returns the cells of an event: time, order, rules and text. */
function eventCells({ timeMs, order, rule, also, text, price, quantity, fee }: ExplainedEvent): readonly string[] {
  const rules = rule === null ? '' : [rule, ...also].join(', ');
  const figures = price === null ? '' : `: ${plainAmount(quantity)} at ${plainAmount(price)}, fee ${plainAmount(fee)}`;
  return [formatTime(timeMs).replace('.000Z', 'Z'), String(order ?? ''), rules, `${text}${figures}`];
}
