// The short answer of `isobar why`, which is printed before the details.

import { formatMinute } from '../../model/time.ts';
import { withLead } from '../../report/terminal/lines.ts';
import type { ExplainedEvent, ExplainedOrder, ExplainedStrategy, Explanation } from '../../tasks/why/model/explanation.ts';
import { orderTitle, plainAmount } from './orderText.ts';

const LEAD = '  ';

export function answerLines({ orders, venue, strategies, question, bar }: Explanation): readonly string[] {
  const asked = question.order === null ? orders : orders.filter(({ order }) => order === question.order);
  const lines = asked.flatMap((order) => withLead(LEAD, `${orderTitle(order)}: ${outcomeText(order, bar.closeMs)}`));
  if (question.order !== null) return lines;
  for (const event of venue) if (!orders.some(({ order }) => order === event.order)) lines.push(...withLead(LEAD, earlierText(event)));
  for (const strategy of strategies) if (strategy.noTrade !== null) lines.push(...noTrade(strategy, strategies.length > 1));
  return lines;
}

/** Returns the event of an order that was decided at an earlier bar, as text. */
function earlierText({ order, kind, quantity, price, rule }: ExplainedEvent): string {
  const by = rule === null ? '' : ` by rule ${rule}`;
  const what = kind === 'canceled' ? 'was canceled' : `filled ${plainAmount(quantity)} at ${plainAmount(price)}`;
  return `order ${order ?? ''} ${what} in this bar${by}: --order ${order ?? ''} shows its decision`;
}

function noTrade({ name, noTrade: reasons, lastTradeMs }: ExplainedStrategy, isNamed: boolean): readonly string[] {
  const lastTrade = lastTradeMs === null ? 'it has not traded before' : `its last trade was at ${formatMinute(lastTradeMs)}`;
  const head = `${isNamed ? `${name}: ` : ''}the strategy placed no order at this bar (${lastTrade}):`;
  return [...withLead(LEAD, head), ...(reasons ?? []).flatMap((reason) => withLead(`${LEAD}- `, reason))];
}

function outcomeText({ verdict, code, ending, events, role, rules }: ExplainedOrder, closeMs: number): string {
  if (verdict === 'denied') {
    const detail = rules.find((rule) => rule.code === code)?.detail ?? '';
    return `denied by ${code}${detail === '' ? '' : `: ${detail}`}`;
  }
  const fills = events.filter(({ kind }) => kind === 'fill' || kind === 'liquidation');
  const [first] = fills;
  const start = role === 'liquidation' ? 'made by the venue' : 'approved';
  if (first === undefined)
    return `${start}, then ${ending === 'open' ? 'open to the end of the run' : ending}${code === null ? '' : ` (${code})`}`;
  const rule = first.rule === null ? '' : ` by rule ${first.rule}`;
  const others = fills.length === 1 ? '' : ` and ${fills.length - 1} more`;
  const when = first.timeMs < closeMs ? 'in this bar' : formatMinute(first.timeMs);
  return `${start}, filled ${plainAmount(first.quantity)} at ${plainAmount(first.price)}${rule}, ${when}${others}${ending === 'filled' ? '' : `; then ${ending}`}`;
}
