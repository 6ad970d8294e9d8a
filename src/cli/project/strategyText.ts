// Output of `isobar strategy list` and `show` for people: the strategies of the project, or the parameters and feeds of one.

import type { StrategyNotes } from '../../tasks/project/inspectStrategy.ts';
import type { ListedStrategy } from '../../tasks/project/listStrategies.ts';
import { counted } from '../../base/text/format.ts';
import { alignedRows } from '../terminal/tables.ts';
import { indentText } from '../terminal/wrapText.ts';

/** Width of the label column. */
const LABEL_COLUMNS = 12;

/** Returns the output of `strategy list`. */
export function strategyListText(strategies: readonly ListedStrategy[]): string {
  if (strategies.length === 0) return 'There is no strategy in ./strategies: isobar strategy new meanCross writes one.';
  return strategies.map((strategy) => entryLines(strategy).join('\n')).join('\n');
}

/** Returns the lines of one strategy: its parameters, file and first sentence, or why it cannot be loaded. */
function entryLines({ name, file, about, params, feeds, problem }: ListedStrategy): readonly string[] {
  // The first line is not indented, because the message begins with the name of the file.
  if (problem !== null) return indentText(problem, 2).map((line, index) => (index === 0 ? line.trimStart() : line));
  return [`${name}  (${counted(params, 'parameter')}; feeds: ${feeds.join(', ')})`, `  ${file}`, ...indentedHelp(about, 2)];
}

/** Returns the description of a strategy. `about` is the comment at the start of its file. */
export function strategyText(name: string, file: string, about: string, notes: StrategyNotes): string {
  const sections = [
    [`${name}  ${file}`, ...indentedHelp(about, 2)],
    paramTable(notes),
    feedTable(notes),
    [
      ...labelLines('Indicators', notes.indicators),
      ...labelLines('Called', notes.calls.length > 0 ? notes.calls : ['never: it has neither onBar nor a handler']),
    ],
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

/** Returns the table of parameters, with the help of each below its row. */
function paramTable({ params }: StrategyNotes): readonly string[] {
  if (params.length === 0) return ['It has no parameters.'];
  const rows = params.map((param) => [param.name, param.kind, param.default, param.range, param.unit]);
  const [headings = '', ...paramLines] = alignedRows([['parameter', 'kind', 'default', 'range', 'unit'], ...rows]);
  return [headings, ...paramLines.flatMap((line, index) => [line, ...indentedHelp(params[index]?.help ?? '', 4)])];
}

/** Returns the table of feeds with the warm-up of each. */
function feedTable({ feeds }: StrategyNotes): readonly string[] {
  const rows = feeds.map(({ name, interval, isList, warmupBars }) => [
    name,
    isList ? 'all of that name' : 'one',
    interval ?? 'any',
    warmupBars === 0 ? 'none' : counted(warmupBars, 'bar'),
  ]);
  return alignedRows([['feed', 'asks for', 'interval', 'warm-up'], ...rows]);
}

/** Returns the lines of the texts, each text on lines of its own, with the label in front of the first line. */
function labelLines(label: string, texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => indentText(text, LABEL_COLUMNS));
  return lines.map((line, index) => (index === 0 ? label.padEnd(LABEL_COLUMNS) + line.slice(LABEL_COLUMNS) : line));
}

/** Returns an indented text. Empty for an empty text. */
const indentedHelp = (text: string, columns: number): readonly string[] => (text === '' ? [] : indentText(text, columns));
