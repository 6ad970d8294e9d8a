// From the text of a definition to a checked one: every problem is a line that names place, key, what was expected and what stood there.

import type { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { keysAt } from './keys.ts';
import { definitionSchema, type Definition } from './schema.ts';
import { whereIs, type DefinitionSource, type KeyPath } from './source.ts';

/** More problems than this help nobody; the rest is counted. */
const MAX_PROBLEMS = 8;

interface Problem {
  readonly message: string;
  readonly remedy: string;
}

/** Checks `source` against the schema. Throws one ConfigError with a line for each problem, misspelt keys first. */
export function parseDefinition(source: DefinitionSource): Definition {
  const result = definitionSchema.safeParse(source.data);
  if (result.success) return result.data;
  const problems = result.error.issues.toSorted((a, b) => rank(a) - rank(b)).flatMap((issue) => problemsOf(issue, source));
  const lines = problems.slice(0, MAX_PROBLEMS).map((problem) => problem.message);
  if (problems.length > MAX_PROBLEMS) lines.push(`and ${problems.length - MAX_PROBLEMS} more problems`);
  throw new ConfigError(lines.join('\n'), problems[0]?.remedy ?? '');
}

type Issue = z.core.$ZodIssue;

/** A misspelt key often is the reason why another one is missing. */
function rank(issue: Issue): number {
  return issue.code === 'unrecognized_keys' ? 0 : 1;
}

function problemsOf(issue: Issue, source: DefinitionSource): readonly Problem[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, source));
  const inner = meantBranch(issue);
  if (inner !== null) return inner.flatMap((each) => problemsOf({ ...each, path: [...issue.path, ...each.path] }, source));
  const shown = source.shown(path);
  const isUnquoted = issue.message.startsWith('a quoted decimal') && /^[-+]?[\d.]/.test(shown);
  return [
    {
      message: `${whereIs(source, path)}: expected ${issue.message}, got ${shown}`,
      remedy: isUnquoted ? `put the number in quotes: ${String(path.at(-1))}: '${shown}'` : 'docs/backtest.md explains every key',
    },
  ];
}

/** Of a choice between kinds, such as an amount or amounts by asset, the one whose kind was right: what is wrong lies inside it. */
function meantBranch(issue: Issue): readonly Issue[] | null {
  if (issue.code !== 'invalid_union') return null;
  return issue.errors.find((branch) => branch.length > 0 && branch.every((each) => each.path.length > 0)) ?? null;
}

function unknownKey(path: KeyPath, key: string, source: DefinitionSource): Problem {
  const valid = keysAt(path);
  const near = nearest(key, valid);
  const place = path.length === 0 ? 'a run definition' : path.join('.');
  return {
    message: `${whereIs(source, [...path, key])}: unknown key ${key}${near === null ? '' : `, the nearest valid one is ${near}`}`,
    remedy: `keys of ${place}: ${valid.join(', ')}`,
  };
}
