// Output of `isobar why` for people: the answer first, then bar, values, conditions, fields, asked, risk, venue. At most 100 columns.

import { formatMinute, formatTime } from '../../model/time.ts';
import { withLead } from '../../report/terminal/lines.ts';
import type { ExplainedBar, ExplainedStrategy, Explanation } from '../../tasks/why/model/explanation.ts';
import { answerLines } from './answer.ts';
import { orderTitle, riskLines, venueLines } from './orderText.ts';
import { calledLines, whenLines, fieldLines, numberText, valueLines } from './strategyText.ts';

/** Returns the lines joined by \n, without a final \n. */
export function explanationText(explanation: Explanation): string {
  const { name, folder, bar, strategies, orders, venue, notes } = explanation;
  const lines = [
    `  ${name}, ${bar.instrument} ${bar.interval}, bar ${formatMinute(bar.openMs)}`,
    ...withLead('  ', folder),
    '',
    ...answerLines(explanation),
    ...section('Bar', [
      `${formatTime(bar.openMs)} to ${formatTime(bar.closeMs)}`,
      `open ${numberText(bar.open)}  high ${numberText(bar.high)}  low ${numberText(bar.low)}  close ${numberText(bar.close)}  volume ${numberText(bar.volume)}`,
    ]),
  ];
  for (const strategy of strategies) lines.push(...strategyLines(strategy, bar, strategies.length > 1));
  for (const order of orders) lines.push(...section(`Risk: ${orderTitle(order)}`, riskLines(order)));
  lines.push(...section('Venue', venueLines(venue, orders)));
  if (notes.length > 0) lines.push(...section('Notes', notes.flatMap((note) => withLead('', note)))); // prettier-ignore
  return lines.join('\n');
}

function strategyLines(strategy: ExplainedStrategy, bar: ExplainedBar, isOneOfMany: boolean): readonly string[] {
  const of = isOneOfMany ? ` of ${strategy.name}` : '';
  return [
    ...section(`Values${of} at its close`, valueLines(strategy.values, `${bar.instrument} ${bar.interval}`)),
    ...section(`Conditions${of}`, whenLines(strategy.when)),
    ...section(`Fields${of}`, fieldLines(strategy.fields)),
    ...section(`Read and asked for${of}`, calledLines(strategy)),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `  ${title}`, ...lines.map((line) => `    ${line}`.trimEnd())];
}
