// Reads the fields of a strategy: its own enumerable fields, and the members of its kept state.

import { appendAll } from '../../../base/memory/appendAll.ts';
import { feedText, plainText, UNREADABLE, type ViewName } from './plainText.ts';
import { isSeriesView, isSignal, type WatchedViews } from './watchedViews.ts';

/** Limits of the search for series and signals in fields: nesting depth, and members of a list. */
const MAX_DEPTH = 3;
const MAX_LIST = 1000;

/** The value of a field at one time. */
export interface FieldAt {
  readonly name: string;
  readonly text: string;
  readonly isKept: boolean;
  /** True for a feed, a series or a signal, and for a group of them: its numbers are among the values. */
  readonly isView: boolean;
}

/** Returns the fields as texts. `keptState`: the object that the strategy gave to `keep`; null: none. */
export function fieldsOf(instance: object, keptState: object | null, nameOf: ViewName): readonly FieldAt[] {
  const fields: FieldAt[] = [];
  let isKeptShown = keptState === null;
  for (const [name, value] of Object.entries(instance)) {
    if (value === keptState && keptState !== null) {
      isKeptShown = true;
      appendAll(fields, keptFields(name, keptState));
    } else appendAll(fields, splitField(name, value, nameOf, 0));
  }
  return isKeptShown || keptState === null ? fields : [...fields, ...keptFields('keep', keptState)];
}

/** Limits for a list of records that is split into fields: its depth, and its number of members. */
const MAX_LEVEL = 2;
const MAX_MEMBERS = 60;

/** Returns a value as one field, or a list of records with feeds and indicators as one field for each member. */
function splitField(name: string, value: unknown, nameOf: ViewName, level: number): readonly FieldAt[] {
  if (level < MAX_LEVEL && hasViews(value, nameOf) && !isView(value, nameOf)) {
    const isList = Array.isArray(value);
    const members = Object.entries(value).slice(0, MAX_MEMBERS);
    return members.flatMap(([key, member]) => splitField(isList ? `${name}[${key}]` : `${name}.${key}`, member, nameOf, level + 1));
  }
  const text = plainText(value, (of) => nameOf(of) ?? feedText(of));
  return [{ name, text, isKept: false, isView: isView(value, nameOf) || text === UNREADABLE }];
}

/** Returns true for a list or a plain object that holds a view, at any of the levels that are split. */
function hasViews(value: unknown, nameOf: ViewName, level = 0): value is object {
  if (typeof value !== 'object' || value === null || level > MAX_LEVEL) return false;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  const holdsView = (member: unknown): boolean =>
    (typeof member === 'object' && member !== null && nameOf(member) !== null) || hasViews(member, nameOf, level + 1);
  return isPlain && Object.values(value).some(holdsView);
}

/** Returns true for a view, and for a list or a plain object that holds only views. */
function isView(value: unknown, nameOf: ViewName): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (nameOf(value) !== null) return true;
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  const parts: readonly unknown[] = isPlain ? Object.values(value) : [];
  return parts.length > 0 && parts.every((part) => typeof part === 'object' && part !== null && nameOf(part) !== null);
}

/** Returns one field for each member of the kept state. */
function keptFields(name: string, keptState: object): readonly FieldAt[] {
  const members = Object.entries(keptState).map(([key, value]) => ({
    name: `${name}.${key}`,
    text: plainText(value),
    isKept: true,
    isView: false,
  }));
  return members.length > 0 ? members : [{ name, text: plainText(keptState), isKept: true, isView: false }];
}

/** Returns for each series and signal the names of its fields, such as `band.upper` in a group or `symbols[2].momentum` in a list. */
export function fieldsOfViews(instance: object, views: WatchedViews): ReadonlyMap<object, readonly string[]> {
  const names = new Map<object, string[]>();
  const visit = (value: unknown, name: string, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isSeriesView(value) || isSignal(value)) {
      const view = views.original(value);
      names.set(view, [...(names.get(view) ?? []), name]);
      return;
    }
    if (depth === MAX_DEPTH || views.original(value) !== value) return;
    if (Array.isArray(value)) value.slice(0, MAX_LIST).forEach((member: unknown, index) => visit(member, `${name}[${index}]`, depth + 1));
    else if (Object.getPrototypeOf(value) === Object.prototype)
      for (const [key, member] of Object.entries(value)) visit(member, `${name}.${key}`, depth + 1);
  };
  for (const [name, value] of Object.entries(instance)) visit(value, name, 0);
  return names;
}
