// Formats an order as lines: the verdict of each risk rule, and the acts of the venue.

import { formatTime } from '../../model/time.ts';
import type { ExplainedEvent, ExplainedOrder } from '../../tasks/why/model/explanation.ts';
import { rowsText } from './columns.ts';

/** Returns `order 12, buy 0.5 at 101.2 (limit)`. */
export function orderTitle({ order, side, quantity, quoteAmount, price, role, tag }: ExplainedOrder): string {
  const size = quantity === null ? (quoteAmount === null ? '' : `for ${plainAmount(quoteAmount)}`) : plainAmount(quantity);
  const label = tag === role || tag === '' || tag === side ? role : `${role}, ${tag}`;
  return `order ${order}, ${side} ${size}${price === null ? '' : ` at ${plainAmount(price)}`} (${label})`;
}

export function riskLines({ verdict, code, rules, role }: ExplainedOrder): readonly string[] {
  if (rules.length === 0) return [role === 'liquidation' ? 'the venue made the order itself; no rule was asked' : 'no rule was asked'];
  const first = rules.find((rule) => rule.verdict === 'denied')?.code;
  const rows = rules.map((rule) => [
    rule.code,
    rule.asked,
    rule.limit,
    rule.verdict === 'passed' ? 'passed' : `denied${rule.code === first ? '' : ' too'}${rule.detail === '' ? '' : `: ${rule.detail}`}`,
  ]);
  const head = ['rule', 'asked', 'limit', 'verdict'];
  return [...(verdict === 'denied' ? [`denied: ${code ?? ''}`] : []), ...rowsText([head, ...rows])];
}

/** Returns the acts of the venue during the bar, then those for the orders that were decided at the bar. */
export function venueLines(inBar: readonly ExplainedEvent[], orders: readonly ExplainedOrder[]): readonly string[] {
  const own = orders.flatMap(({ events }) => events);
  const others = inBar.filter((event) => !own.some((each) => isSame(each, event)));
  const all = [...others, ...own].toSorted((a, b) => Number(b.inBar) - Number(a.inBar) || a.timeMs - b.timeMs || rankOf(a) - rankOf(b));
  const rows = all.map((event) => [event.inBar ? 'in the bar' : 'afterwards', ...eventCells(event)]);
  if (rows.length === 0) return ['nothing: no order was at the venue'];
  return rowsText([['', 'time', 'order', 'rule', 'what'], ...rows], 'llrl');
}

/** Sorts events of the same time: the arrival of an order comes first. */
const rankOf = ({ kind }: ExplainedEvent): number => (kind === 'arrived' ? 0 : 1);

/** Returns an amount without trailing zeros. The asset after the number is kept. */
export function plainAmount(text: string | null): string {
  return (text ?? '').replace(/(\.\d*?)0+(?= |$)/, '$1').replace(/\.(?= |$)/, '');
}

function isSame(a: ExplainedEvent, b: ExplainedEvent): boolean {
  return a.order === b.order && a.timeMs === b.timeMs && a.kind === b.kind && a.tradeId === b.tradeId;
}

function eventCells({ timeMs, order, rule, also, text, price, quantity, fee }: ExplainedEvent): readonly string[] {
  const rules = rule === null ? '' : [rule, ...also].join(', ');
  const figures = price === null ? '' : `: ${plainAmount(quantity)} at ${plainAmount(price)}, fee ${plainAmount(fee)}`;
  return [formatTime(timeMs).replace('.000Z', 'Z'), String(order ?? ''), rules, `${text}${figures}`];
}
