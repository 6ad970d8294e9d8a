// Finds state that strategy code keeps in objects of Node, such as `EventEmitter.defaultMaxListeners`: all code of a process shares them.

import { types } from 'node:util';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';

/** Objects are compared down to this depth below the module that holds them: an export, a member of it, and an object in that member. */
const MAX_DEPTH = 3;
/** Maximum number of compared objects. The modules that a strategy names have fewer. */
const MAX_OBJECTS = 20_000;
/** Members that Node itself changes, or that print a warning when they are read. */
const SKIPPED_MEMBERS: ReadonlySet<string | symbol> = new Set([
  'moduleLoadList',
  'length',
  'name',
  'arguments',
  'caller',
  'constructor',
  'fips',
  'DEFAULT_ENCODING',
]);
/** The one internal member that code reaches by a public name: `require.cache`. */
const REQUIRE_CACHE = '_cache';

/** Contents of objects are compared down to this depth, and at most this number of parts: keys, values and braces. */
const MAX_CONTENT_DEPTH = 4;
const MAX_CONTENT_PARTS = 2000;

/** What stands for a member that is not read, because its getter may change Node. */
const UNREAD = Symbol('unread');

/** An object of Node with its members at the time of the snapshot. */
interface Snapshot {
  readonly path: string;
  readonly holder: object;
  readonly members: ReadonlyMap<string | symbol, unknown>;
  /** The contents of members that are objects, as text. */
  readonly contents: ReadonlyMap<string | symbol, string>;
}

/** The members of objects of Node at one time. */
export class NodeObjects {
  readonly #snapshots: Snapshot[] = [];
  readonly #seen = new Set<unknown>([globalThis]);

  /** `modules`: names of modules of Node. Modules that are not loaded yet are left out, because loading one may change the others. */
  constructor(modules: readonly string[]) {
    const loadedModules = modules.filter(isLoaded).map((name): [string, unknown] => [name, requirePackage(`node:${name}`)]);
    for (const [name, loaded] of loadedModules) this.#add(name === 'process' ? name : `node:${name}`, loaded, 0);
  }

  /** Returns the first member that has another value than at the time of the snapshot, such as `node:events.defaultMaxListeners`; null: none. */
  firstChange(): string | null {
    for (const { path, holder, members, contents } of this.#snapshots) {
      for (const key of keysOf(holder)) {
        const value = memberOf(holder, key);
        if (members.has(key) ? !isSame(members.get(key), value, contents.get(key)) : isState(value)) return `${path}.${String(key)}`;
      }
    }
    return null;
  }

  /** Adds an object, and the objects in its members. */
  #add(path: string, holder: unknown, depth: number): void {
    if (!isObject(holder) || this.#seen.has(holder) || this.#snapshots.length >= MAX_OBJECTS) return;
    this.#seen.add(holder);
    const members = new Map(keysOf(holder).map((key) => [key, memberOf(holder, key)]));
    const contents = new Map<string | symbol, string>();
    for (const [key, value] of members) {
      // The cache holds everything that the process has loaded. Its entries are compared one by one instead.
      if (isPlain(value) && !isModule(value) && key !== REQUIRE_CACHE) contents.set(key, contentOf(value));
    }
    this.#snapshots.push({ path, holder, members, contents });
    if (depth === MAX_DEPTH - 1) return;
    for (const [key, value] of members) if (!isModule(value)) this.#add(`${path}.${String(key)}`, value, depth + 1);
  }
}

/** True for a module that Node or other code has loaded. Loading one, such as `node:domain`, may change others or print a warning. */
const isLoaded = (name: string): boolean => {
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  return name === 'process' || moduleLoadList.includes(`NativeModule ${name}`);
};

const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** True for an object that is not an instance of a class. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True for a loaded module in `require.cache`. A package adds some when it is loaded. */
const isModule = (value: unknown): boolean => isObject(value) && 'exports' in value && 'loaded' in value && 'children' in value;

/** Returns the keys of the public members. Of an object of a class, Node itself changes those with symbols. */
function keysOf(holder: object): readonly (string | symbol)[] {
  if (ArrayBuffer.isView(holder)) return [];
  const hasPublicSymbols = typeof holder === 'function' || isPlain(holder);
  return Reflect.ownKeys(holder).filter((key) => {
    if (SKIPPED_MEMBERS.has(key)) return false;
    return typeof key === 'symbol' ? hasPublicSymbols : !key.startsWith('_') || key === REQUIRE_CACHE;
  });
}

/**
 * Returns the value of a member: of a getter only if it has a setter beside it, by which code can keep a value. The getters of a prototype are
 * for its instances, and some write to the object on which they are called.
 */
function memberOf(holder: object, key: string | symbol): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor === undefined || 'value' in descriptor) return descriptor?.value;
  if (descriptor.get === undefined || descriptor.set === undefined || isPrototype(holder)) return UNREAD;
  // Node gives this name to the setter of a member that it loads when it is first read.
  if (descriptor.set.name === `set ${String(key)}`) return UNREAD;
  try {
    return Reflect.get(holder, key);
  } catch {
    return UNREAD;
  }
}

/** True for the object from which the instances of a class inherit. */
function isPrototype(holder: object): boolean {
  const constructor: unknown = Object.getOwnPropertyDescriptor(holder, 'constructor')?.value;
  return typeof constructor === 'function' && constructor.prototype === holder;
}

/** True for a new member that can hold state. Packages add functions when they are loaded. */
const isState = (value: unknown): boolean => typeof value !== 'function' && value !== UNREAD && !isModule(value);

/** True when a value holds the same state as before. Another function in its place is not state. `content`: the contents before. */
function isSame(before: unknown, after: unknown, content: string | undefined): boolean {
  if (Object.is(before, after) || (typeof before === 'function' && typeof after === 'function')) return true;
  // A member that was not read may have been loaded since.
  if (before === UNREAD) return !isState(after);
  return content !== undefined && isPlain(after) && contentOf(after) === content;
}

/** Returns the contents of an object as text. Calls no code of the object, such as getters and `toJSON`. */
function contentOf(value: object): string {
  const parts: string[] = [];
  const addContent = (part: unknown, depth: number): void => {
    if (!isPlain(part) && !Array.isArray(part)) return void parts.push(typeof part === 'string' ? JSON.stringify(part) : simpleText(part));
    parts.push('{');
    for (const key of Object.keys(part)) {
      if (depth === MAX_CONTENT_DEPTH || parts.length > MAX_CONTENT_PARTS) break;
      parts.push(key);
      addContent(Object.getOwnPropertyDescriptor(part, key)?.value, depth + 1);
    }
    parts.push('}');
  };
  addContent(value, 0);
  return parts.join(' ');
}

/** Returns the text of a value that has no compared members. */
function simpleText(value: unknown): string {
  if (types.isDate(value)) return String(value.getTime());
  return isObject(value) ? typeof value : String(value);
}
