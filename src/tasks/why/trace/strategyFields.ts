// The fields of a strategy: its own enumerable ones, and the members of what it keeps.

import { feedText, plainText, UNREADABLE, type ViewName } from './plainText.ts';
import { isSeries, isSignal, type WatchedViews } from './watchedViews.ts';

/** A field at one moment. */
export interface FieldAt {
  readonly name: string;
  readonly text: string;
  readonly isKept: boolean;
  /** True for a feed, a series or a signal, and for a group of them: its numbers are among the values. */
  readonly isView: boolean;
}

/** Returns the fields as texts. `kept`: the object that the strategy gave to `keep`; null: none. */
export function fieldsOf(instance: object, kept: object | null, nameOf: ViewName): readonly FieldAt[] {
  const fields: FieldAt[] = [];
  let isKeptShown = kept === null;
  for (const [name, value] of Object.entries(instance)) {
    if (value === kept && kept !== null) {
      isKeptShown = true;
      fields.push(...membersOf(name, kept));
    } else fields.push(...fieldOf(name, value, nameOf, 0));
  }
  return isKeptShown || kept === null ? fields : [...fields, ...membersOf('keep', kept)];
}

/** The deepest level and the number of members to which a list of records is taken apart. */
const MAX_LEVEL = 2;
const MAX_MEMBERS = 60;

/** A list of records, each with its feed and its indicators, is taken apart: its members are fields of their own. */
function fieldOf(name: string, value: unknown, nameOf: ViewName, level: number): readonly FieldAt[] {
  if (level < MAX_LEVEL && hasViews(value, nameOf) && !isView(value, nameOf)) {
    const isList = Array.isArray(value);
    const members = Object.entries(value).slice(0, MAX_MEMBERS);
    return members.flatMap(([key, each]) => fieldOf(isList ? `${name}[${key}]` : `${name}.${key}`, each, nameOf, level + 1));
  }
  const text = plainText(value, (of) => nameOf(of) ?? feedText(of));
  return [{ name, text, isKept: false, isView: isView(value, nameOf) || text === UNREADABLE }];
}

/** True for a list or a plain object that holds a view, at any of the levels that are taken apart. */
function hasViews(value: unknown, nameOf: ViewName, level = 0): value is object {
  if (typeof value !== 'object' || value === null || level > MAX_LEVEL) return false;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  return (
    isPlain &&
    Object.values(value).some(
      (each) => (typeof each === 'object' && each !== null && nameOf(each) !== null) || hasViews(each, nameOf, level + 1),
    )
  );
}

function isView(value: unknown, nameOf: ViewName): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (nameOf(value) !== null) return true;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  const parts: readonly unknown[] = isPlain ? Object.values(value) : [];
  return parts.length > 0 && parts.every((part) => typeof part === 'object' && part !== null && nameOf(part) !== null);
}

function membersOf(name: string, kept: object): readonly FieldAt[] {
  const members = Object.entries(kept).map(([key, value]) => ({
    name: `${name}.${key}`,
    text: plainText(value),
    isKept: true,
    isView: false,
  }));
  return members.length > 0 ? members : [{ name, text: plainText(kept), isKept: true, isView: false }];
}

/** Returns the names of the fields that hold each series and signal: `band.upper` for one in a group, `symbols[2].momentum` in a list. */
export function fieldsOfViews(instance: object, views: WatchedViews): ReadonlyMap<object, readonly string[]> {
  const names = new Map<object, string[]>();
  const visit = (value: unknown, name: string, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isSeries(value) || isSignal(value)) {
      const view = views.original(value);
      names.set(view, [...(names.get(view) ?? []), name]);
      return;
    }
    if (depth === MAX_DEPTH || views.original(value) !== value) return;
    if (Array.isArray(value)) value.slice(0, MAX_LIST).forEach((each: unknown, at) => visit(each, `${name}[${at}]`, depth + 1));
    else if (Object.getPrototypeOf(value) === Object.prototype)
      for (const [key, each] of Object.entries(value)) visit(each, `${name}.${key}`, depth + 1);
  };
  for (const [name, value] of Object.entries(instance)) visit(value, name, 0);
  return names;
}

const MAX_DEPTH = 3;
const MAX_LIST = 1000;
