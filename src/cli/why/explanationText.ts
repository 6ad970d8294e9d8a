// Output of `isobar why` for people: the answer first, then one section for each part of the explanation. At most 100 columns.

import { formatMinute, formatTime } from '../../model/time.ts';
import { withLead } from '../../report/terminal/lines.ts';
import type { ExplainedBar, ExplainedStrategy, Explanation } from '../../tasks/why/model/explanation.ts';
import { explanationLines } from './explanationLines.ts';
import { orderTitle, riskLines, venueLines } from './orderText.ts';
import { calledLines, whenLines, fieldLines, numberText, valueLines } from './strategyText.ts';

/** Returns the explanation as text without a final line break. */
export function explanationText(explanation: Explanation): string {
  const { name, folder, bar, strategies, orders, venue, notes } = explanation;
  const lines = [
    `  ${name}, ${bar.instrument} ${bar.interval}, bar ${formatMinute(bar.openMs)}`,
    ...withLead('  ', folder),
    '',
    ...explanationLines(explanation),
    ...section('Bar', [
      `${formatTime(bar.openMs)} to ${formatTime(bar.closeMs)}`,
      (['open', 'high', 'low', 'close', 'volume'] as const).map((column) => `${column} ${numberText(bar[column])}`).join('  '),
    ]),
  ];
  for (const strategy of strategies) lines.push(...strategyLines(strategy, bar, strategies.length > 1));
  for (const order of orders) lines.push(...section(`Risk: ${orderTitle(order)}`, riskLines(order)));
  lines.push(...section('Venue', venueLines(venue, orders)));
  const noteLines = notes.flatMap((note) => withLead('', note));
  lines.push(...section('Notes', noteLines));
  return lines.join('\n');
}

/** Returns the sections of one strategy. With several strategies, the titles name the strategy. */
function strategyLines(strategy: ExplainedStrategy, bar: ExplainedBar, isNamed: boolean): readonly string[] {
  const ofStrategy = isNamed ? ` of ${strategy.name}` : '';
  return [
    ...section(`Values${ofStrategy} at its close`, valueLines(strategy.values, `${bar.instrument} ${bar.interval}`)),
    ...section(`Conditions${ofStrategy}`, whenLines(strategy.when)),
    ...section(`Fields${ofStrategy}`, fieldLines(strategy.fields)),
    ...section(`Read and asked for${ofStrategy}`, calledLines(strategy)),
  ];
}

/** Returns a title with lines below it. Empty when there are no lines. */
function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `  ${title}`, ...lines.map((line) => `    ${line}`.trimEnd())];
}
