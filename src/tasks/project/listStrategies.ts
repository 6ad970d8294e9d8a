// Lists the strategies of a project and of the package, with the description in each file.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadStrategy } from '../../adapters/plugins/loadStrategy.ts';
import { displayPath } from '../../definition/text/paths.ts';
import { inspectStrategy } from './inspectStrategy.ts';
import { packageFolder } from '../../adapters/runtime/version.ts';

/** A strategy of the project, as `isobar strategy list` shows it. */
export interface ListedStrategy {
  readonly name: string;
  /** Path of the file, as the user would type it. */
  readonly file: string;
  /** First sentence of the comment at the head of the file; empty: no comment. */
  readonly about: string;
  /** Number of parameters. */
  readonly params: number;
  readonly feeds: readonly string[];
  /** Why the strategy cannot be used; null: usable. */
  readonly problem: string | null;
}

/** Returns the strategies under ./strategies, then those of the package. A file that does not load is listed with its problem. */
export async function listStrategies(): Promise<readonly ListedStrategy[]> {
  // The set drops a duplicate: inside a checkout of isobar both are the same folder.
  const candidates = new Set(['strategies', displayPath(join(packageFolder(), 'strategies'))]);
  const folders = [...candidates].filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory());
  const files = folders.flatMap((folder) => strategyFiles(folder).map((name) => join(folder, name)));
  const listed: ListedStrategy[] = [];
  for (const file of files) listed.push(await describeStrategy(file));
  return listed;
}

/** Returns the comment at the head of a strategy file, as one line; empty: no comment. */
export function aboutOf(file: string): string {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  const [lineComments] = /^(?:\/\/.*\n?)+/.exec(text) ?? [];
  if (lineComments !== undefined) return joinedLines(lineComments, /^\/\/+\s?/);
  const [, blockComment = ''] = /^\/\*+([\s\S]*?)\*\//.exec(text) ?? [];
  return joinedLines(blockComment, /^\s*\*?\s?/);
}

/** Returns the lines of a comment as one line. `marks` matches what begins each line of the comment. */
function joinedLines(comment: string, marks: RegExp): string {
  return comment
    .split('\n')
    .map((line) => line.replace(marks, '').trim())
    .join(' ')
    .trim();
}

/** Returns the strategy files of a folder. Leaves out tests, declarations, and files without a default export, which hold shared code. */
function strategyFiles(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => /(?<!\.(?:test|spec|d))\.[cm]?[jt]s$/.test(name) && !name.includes('node_modules'))
      // A folder may have such a name, and a link may have no target.
      .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
      .filter((name) => /\bexport\s+default\b|\bas\s+default\b/.test(readFileSync(join(folder, name), 'utf8')))
      .toSorted()
  );
}

/** Returns what a strategy file says about itself. A file that cannot be loaded has a problem instead. */
async function describeStrategy(file: string): Promise<ListedStrategy> {
  const about = /^.*?[.!?](?=\s|$)/.exec(aboutOf(file))?.[0] ?? aboutOf(file);
  try {
    const { strategy, name } = await loadStrategy(file, file);
    const { params, feeds } = inspectStrategy(strategy, file);
    return { name, file, about, params: params.length, feeds: feeds.map((feed) => feed.name), problem: null };
  } catch (error) {
    return { name: file, file, about, params: 0, feeds: [], problem: error instanceof Error ? error.message : String(error) };
  }
}
