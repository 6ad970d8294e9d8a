// The short answer of `isobar why`, which is printed before the details.

import { formatMinute } from '../../model/time.ts';
import { withLead } from '../../report/terminal/lines.ts';
import type { ExplainedEvent, ExplainedOrder, ExplainedStrategy, Explanation } from '../../tasks/why/model/explanation.ts';
import { orderTitle, plainAmount } from './orderText.ts';

const LEAD = '  ';

/** Returns the outcome of each order, then events of earlier orders, then why a strategy placed no order. */
export function explanationLines({ orders, venue, strategies, question, bar }: Explanation): readonly string[] {
  const requestedOrders = question.order === null ? orders : orders.filter(({ order }) => order === question.order);
  const lines = requestedOrders.flatMap((order) => withLead(LEAD, `${orderTitle(order)}: ${outcomeText(order, bar.closeMs)}`));
  if (question.order !== null) return lines;
  const earlierEvents = venue.filter((event) => !orders.some(({ order }) => order === event.order));
  for (const event of earlierEvents) lines.push(...withLead(LEAD, earlierText(event)));
  for (const strategy of strategies) if (strategy.noTrade !== null) lines.push(...noTradeLines(strategy, strategies.length > 1));
  return lines;
}

/** Returns the event of an order that was decided at an earlier bar, as text. */
function earlierText({ order, kind, quantity, price, rule }: ExplainedEvent): string {
  const ruleText = rule === null ? '' : ` by rule ${rule}`;
  const eventText = kind === 'canceled' ? 'was canceled' : `filled ${plainAmount(quantity)} at ${plainAmount(price)}`;
  return `order ${order ?? ''} ${eventText} in this bar${ruleText}: --order ${order ?? ''} shows its decision`;
}

/** Returns the reasons why a strategy placed no order. With several strategies, it names the strategy. */
function noTradeLines({ name, noTrade: reasons, lastTradeMs }: ExplainedStrategy, isNamed: boolean): readonly string[] {
  const lastTrade = lastTradeMs === null ? 'it has not traded before' : `its last trade was at ${formatMinute(lastTradeMs)}`;
  const head = `${isNamed ? `${name}: ` : ''}the strategy placed no order at this bar (${lastTrade}):`;
  return [...withLead(LEAD, head), ...(reasons ?? []).flatMap((reason) => withLead(`${LEAD}- `, reason))];
}

/** Returns whether risk approved the order, its first fill and its end. `closeMs` is the close of the bar. */
function outcomeText({ verdict, code, ending, events, role, rules }: ExplainedOrder, closeMs: number): string {
  if (verdict === 'denied') {
    const detail = rules.find((rule) => rule.code === code)?.detail ?? '';
    return `denied by ${code}${detail === '' ? '' : `: ${detail}`}`;
  }
  const fills = events.filter(({ kind }) => kind === 'fill' || kind === 'liquidation');
  const [first] = fills;
  const start = role === 'liquidation' ? 'made by the venue' : 'approved';
  if (first === undefined) {
    const endText = ending === 'open' ? 'open to the end of the run' : ending;
    return `${start}, then ${endText}${code === null ? '' : ` (${code})`}`;
  }
  const fillText = `filled ${plainAmount(first.quantity)} at ${plainAmount(first.price)}`;
  const ruleText = first.rule === null ? '' : ` by rule ${first.rule}`;
  const timeText = first.timeMs < closeMs ? 'in this bar' : formatMinute(first.timeMs);
  const others = fills.length === 1 ? '' : ` and ${fills.length - 1} more`;
  const endText = ending === 'filled' ? '' : `; then ${ending}`;
  return `${start}, ${fillText}${ruleText}, ${timeText}${others}${endText}`;
}
