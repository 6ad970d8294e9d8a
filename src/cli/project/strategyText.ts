// Output of `isobar strategy list` and `show`.

import type { StrategyNotes } from '../../tasks/project/inspect.ts';
import type { ListedStrategy } from '../../tasks/project/files.ts';
import { counted } from '../../base/text/format.ts';
import { alignedRows } from '../terminal/tables.ts';
import { indented } from '../terminal/wrapped.ts';

/** Width of the label column. */
const LABEL = 12;

export function strategyListText(listed: readonly ListedStrategy[]): string {
  if (listed.length === 0) return 'There is no strategy in ./strategies: isobar strategy new meanCross writes one.';
  return listed.map((each) => entryText(each).join('\n')).join('\n');
}

function entryText({ name, file, about, params, feeds, problem }: ListedStrategy): readonly string[] {
  // The message begins with the name of the file.
  if (problem !== null) return indented(problem, 2).map((line, at) => (at === 0 ? line.trimStart() : line));
  return [`${name}  (${counted(params, 'parameter')}; feeds: ${feeds.join(', ')})`, `  ${file}`, ...indentedHelp(about, 2)];
}

/** Returns the description of a strategy. `about` is the comment at the start of its file. */
export function strategyText(name: string, file: string, about: string, notes: StrategyNotes): string {
  const parts = [
    [`${name}  ${file}`, ...indentedHelp(about, 2)],
    paramTable(notes),
    feedTable(notes),
    [
      ...labelLines('Indicators', notes.indicators),
      ...labelLines('Called', notes.calls.length > 0 ? notes.calls : ['never: it has neither onBar nor a handler']),
    ],
  ];
  return parts.map((lines) => lines.join('\n')).join('\n\n');
}

function paramTable({ params }: StrategyNotes): readonly string[] {
  if (params.length === 0) return ['It has no parameters.'];
  const rows = params.map((param) => [param.name, param.kind, param.default, param.range, param.unit]);
  const [head = '', ...table] = alignedRows([['parameter', 'kind', 'default', 'range', 'unit'], ...rows]);
  return [head, ...table.flatMap((line, at) => [line, ...indentedHelp(params[at]?.help ?? '', 4)])];
}

function feedTable({ feeds }: StrategyNotes): readonly string[] {
  const rows = feeds.map(({ name, interval, isList, warmupBars }) => [
    name,
    isList ? 'all of that name' : 'one',
    interval ?? 'any',
    warmupBars === 0 ? 'none' : counted(warmupBars, 'bar'),
  ]);
  return alignedRows([['feed', 'asks for', 'interval', 'warm-up'], ...rows]);
}

/** Returns `word` before the first item, and each item on lines of its own. */
function labelLines(word: string, items: readonly string[]): readonly string[] {
  return items.flatMap((item) => indented(item, LABEL)).map((line, at) => (at === 0 ? word.padEnd(LABEL) + line.slice(LABEL) : line));
}

/** Returns no lines for an empty text. */
const indentedHelp = (text: string, columns: number): readonly string[] => (text === '' ? [] : indented(text, columns));
