// `isobar strategy list` and `show`: what strategies there are, and what one of them asks for.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectStrategy, type StrategyNotes } from '../app/inspectStrategy.ts';
import { shownPath } from '../app/definition/paths.ts';
import { packageFolder } from '../app/version.ts';
import { loadStrategy } from '../plugins/loadStrategy.ts';
import { alignedRows } from './tables.ts';

const WIDTH = 100;

interface Listed {
  readonly name: string;
  readonly file: string;
  readonly about: string;
  readonly params: number;
  readonly feeds: readonly string[];
  /** Why it cannot be used; null where it can. */
  readonly trouble: string | null;
}

export async function listStrategies({ json }: { readonly json: boolean }): Promise<void> {
  const shipped = join(packageFolder(), 'strategies');
  const folders = [...new Set(['strategies', shownPath(shipped)])].filter((folder) => existsSync(folder));
  const listed: Listed[] = [];
  for (const folder of folders) for (const file of strategyFiles(folder)) listed.push(await look(join(folder, file)));
  if (json) return print(JSON.stringify(listed));
  if (listed.length === 0) return print('There is no strategy in ./strategies: isobar strategy new meanCross writes one.');
  for (const { name, file, about, params, feeds, trouble } of listed) {
    print(`${name}  (${params} parameters; feeds: ${feeds.join(', ') || 'none'})`);
    print(`  ${file}`);
    print(wrapped(trouble ?? about, 2));
  }
}

function strategyFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.(test|spec|d)\.[cm]?[jt]s$/.test(name))
    .toSorted();
}

async function look(file: string): Promise<Listed> {
  const about = firstSentence(readFileSync(file, 'utf8'));
  try {
    const { strategy, name } = await loadStrategy(file, file);
    const { params, feeds } = inspectStrategy(strategy, file);
    return { name, file, about, params: params.length, feeds: feeds.map((feed) => feed.name), trouble: null };
  } catch (error) {
    // One file that does not load is a line of the list, not its end.
    return { name: file, file, about, params: 0, feeds: [], trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Of the comment at the head of a file. */
function firstSentence(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, Math.max(0, end))
    .map((line) => line.replace(/^\/\/\s?/, ''))
    .join(' ');
}

export async function showStrategy({ file, json }: { readonly file: string; readonly json: boolean }): Promise<void> {
  const { strategy, name, hash } = await loadStrategy(file, file);
  const notes = inspectStrategy(strategy, file);
  if (json) return print(JSON.stringify({ name, file, sha256: hash, ...notes }));
  print(`${name}  ${file}`);
  const about = firstSentence(readFileSync(file, 'utf8'));
  if (about !== '') print(wrapped(about, 2));
  print('');
  print(paramTable(notes));
  print('');
  print(feedTable(notes));
  print('');
  if (notes.indicators.length > 0) print(wrapped(`Indicators  ${notes.indicators.join('; ')}`, 0));
  print(wrapped(`Called      ${notes.calls.join('; ') || 'never'}`, 0));
}

function paramTable({ params }: StrategyNotes): string {
  if (params.length === 0) return 'It has no parameters.';
  const rows = params.map((of) => [of.name, of.kind, of.default, of.range, of.unit]);
  const table = alignedRows([['parameter', 'kind', 'default', 'range', 'unit'], ...rows]);
  return table.map((line, at) => [line, at > 0 && params[at - 1]!.help !== '' ? wrapped(params[at - 1]!.help, 4) : []].flat().join('\n')).join('\n');
}

function feedTable({ feeds }: StrategyNotes): string {
  const rows = feeds.map(({ name, interval, isList, warmupBars }) => [
    name,
    isList ? 'all of that name' : 'one',
    interval ?? 'any',
    warmupBars === 0 ? 'none' : `${warmupBars} bars`,
  ]);
  return alignedRows([['feed', 'asks for', 'interval', 'warm-up'], ...rows]).join('\n');
}

function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each).join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
