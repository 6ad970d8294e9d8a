// Makes it an error to read a member that an object does not have. In plain JavaScript, a misspelt member is `undefined`, and every comparison
// with it is false. So a strategy with a misspelt member would never trade, without a message.
//
// A proxy at the end of the prototype chain receives only reads that find nothing. Reads of members never reach it, so they cost the same.

import { OWN_FOLDERS } from '../inPackage.ts';
import { nearestName } from './nearestName.ts';

/** Members that JavaScript itself asks for: `JSON.stringify(view)` and `await view` are no misspellings. */
const LANGUAGE_MEMBERS: ReadonlySet<string> = new Set(['toJSON', 'then']);
/** Maximum number of names in a message. */
const MAX_LISTED_NAMES = 16;
/** Shorter beginnings of names would suggest names that have nothing to do with them. */
const MIN_BEGINNING_CHARS = 3;
const OWN_FOLDER_PATHS = OWN_FOLDERS.map(pathOf);

/**
 * Makes reads of other members of a class's instances an error. `description`: the object in words, such as `the position`. `written`: the public
 * fields that the constructor writes, unless the instances are frozen. Without their names here, each write would look for a setter in the proxy.
 */
export function allowOnlyMembers(prototype: object, description: string, written: readonly string[] = []): void {
  for (const name of written) {
    Object.defineProperty(prototype, name, { value: undefined, writable: true, enumerable: false, configurable: true });
  }
  Object.setPrototypeOf(prototype, lastPrototype(description));
}

/** Returns the prototype of an object whose members are all that it has. `optional`: members that it may have. */
export function lastPrototype(description: string, optional: readonly string[] = []): object {
  return guardedPrototype(Object.prototype, new Set([...LANGUAGE_MEMBERS, ...optional]), (name, view) => {
    return `${description} has no member ${name}${adviceOn(name, namesOf(view))}`;
  });
}

/** Makes reads of a method's members an error: `this.position.isFlat` lacks the call. */
export function mustBeCalled(prototype: object, methods: readonly string[]): void {
  for (const method of methods) {
    const methodText = `this.${method}`;
    const describeRead = (name: string): string => `${methodText} is a method and has no member ${name}: write ${methodText}().${name}`;
    Object.setPrototypeOf(Reflect.get(prototype, method), guardedPrototype(Function.prototype, LANGUAGE_MEMBERS, describeRead));
  }
}

/** Returns a prototype on which the read of any other member throws TypeError. */
function guardedPrototype(parent: object, allowed: ReadonlySet<string>, describeRead: (name: string, view: unknown) => string): object {
  return new Proxy<object>(Object.freeze(Object.create(parent)), {
    get(target, name, view): unknown {
      if (typeof name === 'symbol' || name in target || allowed.has(name)) return Reflect.get(target, name, view);
      const error = new TypeError(describeRead(name, view));
      // Code of isobar and of packages reads members to find out what an object is.
      if (isReadByAuthor(error.stack ?? '')) throw error;
      return undefined;
    },
  });
}

/** Returns the end of a message: the nearest name, or the first of the existing ones. */
function adviceOn(name: string, names: readonly string[]): string {
  const suggestion = beginningOf(name, names) ?? nearestName(name, names) ?? shortOrLongForm(name, names);
  if (suggestion !== null) return `: did you mean ${suggestion}?`;
  const othersNote = names.length > MAX_LISTED_NAMES ? ' and others' : '';
  return names.length === 0 ? '' : `; it has ${names.slice(0, MAX_LISTED_NAMES).join(', ')}${othersNote}`;
}

/** Returns the first name that begins with the given one, as `volume` does with `vol`. */
function beginningOf(unknownName: string, names: readonly string[]): string | null {
  const lowerCaseName = unknownName.toLowerCase();
  if (lowerCaseName.length < MIN_BEGINNING_CHARS) return null;
  return names.find((name) => name.toLowerCase().startsWith(lowerCaseName)) ?? null;
}

/** Returns the name that the given one abbreviates, or that abbreviates it, as `qty` does `quantity`. */
function shortOrLongForm(unknownName: string, names: readonly string[]): string | null {
  const lowerCaseName = unknownName.toLowerCase();
  const fits = (name: string): boolean => name[0] === lowerCaseName[0] && (isWithin(name, lowerCaseName) || isWithin(lowerCaseName, name));
  return names.find((name) => fits(name.toLowerCase())) ?? null;
}

/** True if the letters of `short` stand in `long` in the same order. */
function isWithin(short: string, long: string): boolean {
  let offset = 0;
  for (const letter of long) if (letter === short[offset]) offset++;
  return offset === short.length;
}

/** Returns the public members of an object, those of its class included. */
function namesOf(view: unknown): readonly string[] {
  const names = new Set<string>();
  for (let owner: unknown = view; typeof owner === 'object' && owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (owner === Object.prototype) break;
    for (const name of Object.getOwnPropertyNames(owner)) if (name !== 'constructor' && name !== 'toJSON') names.add(name);
  }
  return [...names];
}

/** Returns true if the function that read the member is code of an author. Its frame is the second: the first is the trap. */
function isReadByAuthor(stack: string): boolean {
  const [, reader] = stack.split('\n').filter((line) => /^\s+at /.test(line));
  if (reader === undefined) return true;
  return (
    /:\d+:\d+\)?$/.test(reader) &&
    !reader.includes('node:') &&
    ![...OWN_FOLDER_PATHS, '/node_modules/'].some((folder) => reader.includes(folder))
  );
}

/** Returns the path of a file URL, as stacks show it. */
function pathOf(url: string): string {
  return url.replace(/^file:\/\//, '');
}
