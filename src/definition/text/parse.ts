// Checks a definition against its schema. Each problem is reported in one line: place and key, the expectation, and the text found.

import type { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { keysAt } from './keys.ts';
import { definitionSchema, type Definition } from './schema.ts';
import { definitionValueAt, whereIs, type DefinitionSource, type KeyPath } from './source.ts';

/** Maximum number of problems in a message. The others are counted. */
const MAX_PROBLEMS = 8;
/** Maximum number of keys listed in a message. */
const MAX_LISTED = 40;

/** Maximum number of foreign characters of a key named in a message. */
const MAX_FOREIGN = 4;

/** A key with a meaning in JavaScript. Schemas ignore it, so it is checked separately. */
const PROTO_KEY = '__proto__';

/** One problem of a file: a line of the message, and what to do about it. */
interface Problem {
  readonly message: string;
  readonly remedy: string;
}

/** A kind of file with keys and values. */
export interface FileKind<T> {
  readonly schema: z.ZodType<T>;
  /** Its name in messages, such as `a run definition`. */
  readonly called: string;
  /** The page that explains its keys. */
  readonly docs: string;
}

const RUN_DEFINITION: FileKind<Definition> = { schema: definitionSchema, called: 'a run definition', docs: 'docs/backtest.md' };

/** Checks `source` as a run definition. Throws one ConfigError with a line for each problem, misspelt keys first. */
export const parseDefinition = (source: DefinitionSource): Definition => parseSource(RUN_DEFINITION, source);

/** Checks `source` as a file of any kind. Throws like `parseDefinition`. */
export function parseSource<T>(kind: FileKind<T>, source: DefinitionSource): T {
  const result = kind.schema.safeParse(source.data);
  const withProtoKey = mapsWithProtoKey(source.data);
  if (result.success && withProtoKey.length === 0) return result.data;
  const issues = rankIssues(result.error?.issues ?? []);
  const allProblems = [
    ...withProtoKey.map((path) => unknownKey(path, PROTO_KEY, source, kind)),
    ...issues.flatMap((issue) => problemsOf(issue, source, kind)),
  ];
  // A value may break two rules with the same message. Report the message once.
  const problems = [...new Map(allProblems.toReversed().map((problem) => [problem.message, problem])).values()].toReversed();
  const lines = problems.slice(0, MAX_PROBLEMS).map((problem) => problem.message);
  if (problems.length > MAX_PROBLEMS) lines.push(`and ${problems.length - MAX_PROBLEMS} more problems`);
  throw new ConfigError(lines.join('\n'), problems[0]?.remedy ?? '');
}

/** Returns the paths of the maps with that key. Values that were given in code may contain anything, even themselves. */
function mapsWithProtoKey(data: unknown, path: KeyPath = [], visited = new Set<object>()): readonly KeyPath[] {
  if (typeof data !== 'object' || data === null || visited.has(data)) return [];
  visited.add(data);
  const prototype: unknown = Object.getPrototypeOf(data);
  if (!Array.isArray(data) && prototype !== Object.prototype && prototype !== null) return [];
  return Object.entries(data).flatMap(([key, value]) => (key === PROTO_KEY ? [path] : mapsWithProtoKey(value, [...path, key], visited)));
}

type Issue = z.core.$ZodIssue;

/** Sorts misspelt keys first, because they often explain why another key is missing. */
function rankIssues(issues: readonly Issue[]): readonly Issue[] {
  const rank = ({ code }: Issue) => (code === 'unrecognized_keys' ? 0 : 1);
  return issues.toSorted((a, b) => rank(a) - rank(b));
}

/** Returns the problems that an issue of the schema means. */
function problemsOf(issue: Issue, source: DefinitionSource, kind: FileKind<unknown>): readonly Problem[] {
  const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, source, kind));
  const branchIssues = intendedBranch(issue, definitionValueAt(source.data, path));
  if (branchIssues !== null)
    return rankIssues(branchIssues).flatMap((innerIssue) =>
      problemsOf({ ...innerIssue, path: [...issue.path, ...innerIssue.path] }, source, kind),
    );
  const foundText = source.textAt(path);
  const isUnquoted = issue.message.startsWith('a quoted decimal') && typeof definitionValueAt(source.data, path) === 'number';
  const needsQuotesOnly = isUnquoted && isValidAt(kind, source, path, foundText);
  return [
    {
      message: `${whereIs(source, path)}: expected ${issue.message}, got ${foundText}`,
      remedy: needsQuotesOnly ? `put the number in quotes: ${String(path.at(-1))}: '${foundText}'` : `${kind.docs} explains every key`,
    },
  ];
}

/** True when the text `value` would be valid at `path`. Quotes alone do not help for a number out of range. */
function isValidAt({ schema }: FileKind<unknown>, source: DefinitionSource, path: KeyPath, value: string): boolean {
  const data = structuredClone(source.data);
  const parent = definitionValueAt(data, path.slice(0, -1)) as { [key: string]: unknown };
  parent[String(path.at(-1))] = value;
  const place = path.join('.');
  return schema.safeParse(data).error?.issues.every((issue) => issue.path.join('.') !== place) ?? true;
}

/**
 * Returns the problems of the union branch that the user meant, such as an amount or amounts by asset; null if that is not known. The type
 * of this branch fits, so that its problems lie inside the value. If they all are maps instead of text, returns the branch that has maps
 * there under other names.
 */
function intendedBranch(issue: Issue, value: unknown): readonly Issue[] | null {
  if (issue.code !== 'invalid_union') return null;
  const hasInnerPath = (innerIssue: Issue) => innerIssue.path.length > 0;
  const isWithinMap = (innerIssue: Issue) => hasInnerPath(innerIssue) || innerIssue.code === 'unrecognized_keys';
  const branchesWith = (fits: (innerIssue: Issue) => boolean) => issue.errors.filter((branch) => branch.length > 0 && branch.every(fits));
  const mapBranches = branchesWith(isWithinMap);
  // Of several kinds of maps nothing shows which one the user meant.
  const fittingBranch = branchesWith(hasInnerPath)[0] ?? (mapBranches.length === 1 ? mapBranches[0]! : null);
  const isMap = (path: Issue['path']) => isObject(definitionValueAt(value, path.map(String)));
  const isMapInsteadOfText = (innerIssue: Issue) =>
    innerIssue.code === 'invalid_type' && innerIssue.expected === 'string' && isMap(innerIssue.path);
  if (fittingBranch === null || !fittingBranch.every(isMapInsteadOfText)) return fittingBranch;
  const isMisnamedMap = (innerIssue: Issue) =>
    innerIssue.code === 'unrecognized_keys' && innerIssue.keys.every((key) => isMap([...innerIssue.path, key]));
  return issue.errors.find((branch) => branch.some(isMisnamedMap)) ?? fittingBranch;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the problem of a key that the schema does not have, with the nearest valid key. */
function unknownKey(path: KeyPath, key: string, source: DefinitionSource, { schema, called, docs }: FileKind<unknown>): Problem {
  const validKeys = keysAt(path, schema);
  const nearestKey = nearestName(key.normalize('NFKC'), validKeys);
  const place = path.length === 0 ? called : path.join('.');
  const suggestion = nearestKey === null ? '' : `, the nearest valid one is ${nearestKey}`;
  return {
    message: `${whereIs(source, [...path, key])}: unknown key ${key}${foreignCharacters(key)}${suggestion}`,
    remedy: remedyForKey(place, validKeys, docs),
  };
}

/** Returns the characters of a key that no valid key has, with their numbers: some look like ASCII letters, others are invisible. */
function foreignCharacters(key: string): string {
  const foreign = [...new Set(key)].filter((character) => !/[ -~]/.test(character));
  const names = foreign.map((character) => `${character} is U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  return names.length === 0 ? '' : ` (${names.slice(0, MAX_FOREIGN).join(', ')})`;
}

/** Returns the valid keys of `place`, or the page that lists them. */
function remedyForKey(place: string, validKeys: readonly string[], docs: string): string {
  if (validKeys.length === 0) return `leave it out: ${docs} says what ${place} takes`;
  return validKeys.length > MAX_LISTED ? `${docs} lists the keys of ${place}` : `keys of ${place}: ${validKeys.join(', ')}`;
}
