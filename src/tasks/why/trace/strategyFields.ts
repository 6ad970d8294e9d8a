// The fields of a strategy: its own enumerable ones, and the members of what it keeps.

import { feedText, plainText, type ViewName } from './plainText.ts';
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
    } else fields.push({ name, text: plainText(value, (of) => nameOf(of) ?? feedText(of)), isKept: false, isView: isView(value, nameOf) });
  }
  return isKeptShown || kept === null ? fields : [...fields, ...membersOf('keep', kept)];
}

function isView(value: unknown, nameOf: ViewName): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (nameOf(value) !== null) return true;
  const parts: readonly unknown[] = Object.getPrototypeOf(value) === Object.prototype ? Object.values(value) : [];
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
