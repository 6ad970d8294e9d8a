// Watches the modules of Node through which strategy code could reach outside the run: files, processes, the network, threads, chance.

import { isBuiltin, syncBuiltinESMExports, type createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appendAll } from '../../../base/memory/appendAll.ts';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';
import type { WarningCode } from '../../../model/warning.ts';
import { LATE_CALLBACK } from './asyncWatch.ts';
import { authorPlace, isCalledByNode, isCalledByPackage, nodeCallsBelow } from './callSite.ts';
import { reportReadAtLoad } from './packageFiles.ts';
import { replace } from './watchDates.ts';
import type { ReportCall } from './purityWarning.ts';
import { hasOtherSurroundings, otherFolder, realPath } from '../surroundings/surroundings.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The watched functions of each module, by the warning for a call; null: all functions of the module. */
const WATCHED_FUNCTIONS: readonly (readonly [code: WarningCode, module: string, names: readonly string[] | null])[] = [
  ['LOOKAHEAD_FILE', 'fs', null],
  ['LOOKAHEAD_FILE', 'fs/promises', null],
  ['IMPURE_PROCESS', 'os', null],
  ['IMPURE_PROCESS', 'child_process', null],
  ['IMPURE_PROCESS', 'v8', null],
  ['IMPURE_PROCESS', 'async_hooks', ['executionAsyncId', 'triggerAsyncId', 'executionAsyncResource', 'createHook']],
  ['IMPURE_PROCESS', 'worker_threads', ['getEnvironmentData', 'setEnvironmentData']],
  ['IMPURE_CLOCK', 'perf_hooks', ['monitorEventLoopDelay']],
  ['IMPURE_MODULE', 'vm', null],
  ['IMPURE_NETWORK', 'http', ['request', 'get', 'createServer']],
  ['IMPURE_NETWORK', 'https', ['request', 'get', 'createServer']],
  ['IMPURE_NETWORK', 'http2', ['connect', 'createServer']],
  ['IMPURE_NETWORK', 'net', ['connect', 'createConnection', 'createServer']],
  ['IMPURE_NETWORK', 'tls', ['connect', 'createServer']],
  ['IMPURE_NETWORK', 'dgram', ['createSocket']],
  ['IMPURE_NETWORK', 'dns', null],
  ['IMPURE_NETWORK', 'dns/promises', null],
  ['IMPURE_TIMER', 'timers', ['setTimeout', 'setInterval', 'setImmediate']],
  ['IMPURE_TIMER', 'timers/promises', null],
  [
    'IMPURE_RANDOM',
    'crypto',
    [
      'randomBytes',
      'pseudoRandomBytes',
      'randomInt',
      'randomUUID',
      'randomFill',
      'randomFillSync',
      'generateKey',
      'generateKeyPair',
      'generatePrime',
      'generatePrimeSync',
      'generateKeySync',
      'generateKeyPairSync',
      'createECDH',
      'createDiffieHellman',
      'publicEncrypt',
    ],
  ],
];
/** Classes that reach outside the run as soon as one is made. */
const WATCHED_CLASSES: readonly (readonly [code: WarningCode, module: string, name: string])[] = [
  ['LOOKAHEAD_FILE', 'fs', 'ReadStream'],
  ['IMPURE_PROCESS', 'inspector', 'Session'],
  ['IMPURE_PROCESS', 'async_hooks', 'AsyncResource'],
  ['IMPURE_NETWORK', 'worker_threads', 'Worker'],
  ['IMPURE_NETWORK', 'worker_threads', 'BroadcastChannel'],
  ['IMPURE_NETWORK', 'net', 'Socket'],
];
/** Matches files and functions of Node that print, or that finish their work before they return. */
const PRINTING_CODE = /internal\/(?:console|worker\/io|tty|bootstrap)|node:tty|SyncWriteStream|\bsync|Sync$/;
/** Members of the module `process` that the global `process` has, too. */
const PROCESS_MEMBERS = [
  'env', 'argv', 'execArgv', 'stdin', 'cwd', 'umask', 'kill', 'nextTick', 'report', 'loadEnvFile', 'getBuiltinModule', 'binding',
  'hrtime', 'uptime', 'cpuUsage', 'memoryUsage', 'resourceUsage', 'availableMemory', 'constrainedMemory', 'getActiveResourcesInfo',
  'getuid', 'getgid', 'geteuid', 'getegid', 'getgroups',
]; // prettier-ignore

/** Members whose contents `util.inspect` and `util.format` show. */
const INSPECTED_MEMBERS: ReadonlySet<string> = new Set(['env', 'argv', 'execArgv']);
/** Matches files of Node whose functions read an argument on behalf of their caller. */
const ARGUMENT_READERS = /^node:(?:util|querystring|url|buffer|events|assert|internal\/(?:util\/inspect|util\/comparisons|url|assert))\b/;

/** True when a function of Node reads an argument for its caller, and not to print it. `calls`: the Node functions on the stack, innermost first. */
const isReadFor = (calls: readonly string[]): boolean =>
  ARGUMENT_READERS.test(calls[0] ?? '') && !calls.some((call) => PRINTING_CODE.test(call));

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Replaces the watched functions and classes by ones that call `report`. Returns functions that restore them. `isInput` returns true for a
 * file that is part of the run's hash: to read it reaches nothing outside.
 */
export function watchNodeModules(report: ReportCall, isInput: (path: string) => boolean): (() => void)[] {
  const restorers = WATCHED_FUNCTIONS.flatMap(([code, name, functions]) => {
    const moduleExports = moduleOf(name);
    const names = functions ?? Object.keys(moduleExports).filter((key) => /^[a-z]/.test(key));
    return names.flatMap((key) => {
      const real = moduleExports[key];
      return typeof real === 'function'
        ? [replace(moduleExports, key, watchFunction(report, code, `${name}.${key}()`, real as Method, isInput))]
        : [];
    });
  });
  for (const [code, name, key] of WATCHED_CLASSES) appendAll(restorers, watchClass(report, code, name, key));
  restorers.push(watchRequire(report, isInput), watchTerminal(report));
  for (const name of PROCESS_MEMBERS) appendAll(restorers, watchMember(report, name));
  for (const name of ['debuglog', 'debug']) restorers.push(watchDebug(name));
  // Named imports of these modules see the replacements only now.
  syncBuiltinESMExports();
  return [() => syncBuiltinESMExports(), ...restorers];
}

const moduleOf = (name: string): Readonly<Record<string, unknown>> => requirePackage(`node:${name}`) as Readonly<Record<string, unknown>>;

/** Returns a function like `real` that reports each call, except for reads of the input files of the run. */
function watchFunction(
  report: ReportCall,
  code: WarningCode,
  description: string,
  real: Method,
  isInput: (path: string) => boolean,
): Method {
  const method: Method = function (...args): unknown {
    if (code === 'LOOKAHEAD_FILE' && hasOtherSurroundings()) args[0] = realPathOf(args[0]);
    const path = code === 'LOOKAHEAD_FILE' ? pathOf(args[0]) : '';
    if (path === '' || !isInput(path)) {
      reportUnlessByNode(report, code, description, method);
      reportReadAtLoad(report, description, { path, program: args[0] }, method);
    }
    return new.target === undefined ? Reflect.apply(real, this, args) : (Reflect.construct(real, args) as unknown);
  };
  // Copies properties such as the symbol by which `util.promisify` recognises a function.
  Object.defineProperties(method, Object.getOwnPropertyDescriptors(real));
  // Watches functions that are members of this function, such as `realpathSync.native` and `hrtime.bigint`.
  for (const [key, member] of Object.entries(real)) {
    if (typeof member !== 'function') continue;
    const memberDescription = description.endsWith('()') ? `${description.slice(0, -2)}.${key}()` : `${description}.${key}`;
    const value = watchFunction(report, code, memberDescription, member as Method, isInput);
    Object.defineProperty(method, key, { value, configurable: true, enumerable: true, writable: true });
  }
  return method;
}

/** Reports a call of the function `below`, unless Node itself makes it. `below` marks the place on the stack below which callers are looked for. */
function reportUnlessByNode(report: ReportCall, code: WarningCode, description: string, below: (...args: never[]) => unknown): void {
  if (!isCalledByNode(below)) report(code, description, below);
}

/**
 * Replaces `createRequire` by one whose functions report each read of a file outside of packages. They read files, such as tables, without a
 * call of `fs` that could be watched.
 */
function watchRequire(report: ReportCall, isInput: (path: string) => boolean): () => void {
  const moduleExports = moduleOf('module');
  const real = moduleExports['createRequire'] as typeof createRequire;
  const makeWatched = (from: string | URL): NodeJS.Require => {
    const requireFunction = real(hasOtherSurroundings() ? (realPathOf(from) as string | URL) : from);
    const watchedRequire = (id: string): unknown => {
      const path = isBuiltin(id) ? null : requireFunction.resolve(id);
      const readsExternalFile = path !== null && !/[\\/]node_modules[\\/]/.test(path) && !isInput(path);
      if (readsExternalFile) {
        report('LOOKAHEAD_FILE', 'require() of a file', watchedRequire);
        reportReadAtLoad(report, 'require()', { path, program: null }, watchedRequire);
      }
      return requireFunction(id) as unknown;
    };
    return Object.assign(watchedRequire, requireFunction);
  };
  return replace(moduleExports, 'createRequire', makeWatched);
}

/**
 * Replaces `isatty` by a function that reports calls by the author. A call by a package is not reported, because packages that print ask
 * whether to use colors. To find a decision that depends on the answer, runs in other surroundings get the opposite one.
 */
function watchTerminal(report: ReportCall): () => void {
  const real = moduleOf('tty')['isatty'] as (fd: number) => boolean;
  const isatty = (fd: number): boolean => {
    if (!isCalledByPackage(isatty)) reportUnlessByNode(report, 'IMPURE_PROCESS', 'tty.isatty()', isatty);
    return real(fd) !== hasOtherSurroundings();
  };
  return replace(moduleOf('tty'), 'isatty', isatty);
}

/** Returns the absolute path of an argument; empty for any other value. */
function pathOf(path: unknown): string {
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path);
  return typeof path === 'string' ? resolve(path) : '';
}

/** Returns the true path of a file in the other folder; any other value unchanged. */
function realPathOf(value: unknown): unknown {
  const path = pathOf(value);
  const real = realPath(path, process.cwd());
  return real === path ? value : real;
}

/** Matches the modules `path` and `url` of Node, which read the current folder. Only a decision that depends on such a read is reported. */
const FOLDER_READERS = /^node:(?:path|url|internal\/url)\b/;

/** Returns a function like `process.cwd` that reports each call, and may return another folder to test for dependence on it. */
function watchedFolder(report: ReportCall, real: Method): Method {
  const method: Method = function (...args): unknown {
    reportUnlessByNode(report, 'IMPURE_PROCESS', 'process.cwd', method);
    const folder = Reflect.apply(real, this, args) as string;
    if (!hasOtherSurroundings()) return folder;
    const calls = nodeCallsBelow(method);
    const isReadByAuthor = calls.length > 0 && calls.every((call) => FOLDER_READERS.test(call)) && authorPlace(method) !== null;
    return isReadByAuthor ? otherFolder(folder) : folder;
  };
  return method;
}

/** Replaces a function of `util` that prints if the variable NODE_DEBUG names its caller. Other surroundings have another value of that variable. */
function watchDebug(name: string): () => void {
  const real = moduleOf('util')[name] as Method;
  const makeWatched: Method = function (...args): unknown {
    const print = Reflect.apply(real, this, args) as Method & { readonly enabled: boolean };
    const watchedPrint: Method = (...words) => print(...words);
    return Object.defineProperty(watchedPrint, 'enabled', {
      get: () => print.enabled !== hasOtherSurroundings(),
      configurable: true,
      enumerable: true,
    });
  };
  return replace(moduleOf('util'), name, makeWatched);
}

/** Replaces a class of a Node module by one that reports each construction. Returns the functions that restore it. */
function watchClass(report: ReportCall, code: WarningCode, name: string, key: string): (() => void)[] {
  const moduleExports = moduleOf(name);
  const real = moduleExports[key];
  if (typeof real !== 'function') return [];
  const construct = (target: object, args: readonly unknown[], newTarget: object): object => {
    reportUnlessByNode(report, code, `new ${name}.${key}()`, construct);
    return Reflect.construct(target as new () => object, args, newTarget as new () => object);
  };
  return [replace(moduleExports, key, new Proxy(real, { construct }))];
}

/**
 * Returns a function like `process.nextTick` that reports direct calls, and calls of a stream of the author, which calls back later. Printed
 * text passes through streams, too, and is not reported.
 */
function watchedTick(report: ReportCall, real: Method): Method {
  const method: Method = function (...args): unknown {
    if (!isCalledByNode(method)) report('IMPURE_PROCESS', 'process.nextTick', method);
    else if (isCalledByStream(nodeCallsBelow(method))) report('IMPURE_PROMISE', LATE_CALLBACK, method);
    return Reflect.apply(real, this, args);
  };
  return method;
}

const isCalledByStream = (calls: readonly string[]): boolean =>
  calls.some((call) => call.includes('internal/streams/')) && !calls.some((call) => PRINTING_CODE.test(call));

/** Watches a member of `process`, also for named imports of `node:process`: a function when it is called, an object when it is read. */
function watchMember(report: ReportCall, name: string): (() => void)[] {
  const value: unknown = Reflect.get(process, name);
  if (typeof value === 'function') return [replace(process, name, watchedMethod(report, name, value as Method))];
  return isObject(value) ? [replace(process, name, watchedObject(report, name, value))] : [];
}

/** Returns a method of `process` that reports its calls. */
function watchedMethod(report: ReportCall, name: string, real: Method): Method {
  if (name === 'nextTick') return watchedTick(report, real);
  if (name === 'cwd') return watchedFolder(report, real);
  return watchFunction(report, 'IMPURE_PROCESS', `process.${name}`, real, () => false);
}

/** Returns an object of `process` that reports each read. Writes go to the real object. */
function watchedObject(report: ReportCall, name: string, value: object): object {
  const reportRead = (below: (...args: never[]) => unknown): void => {
    if (!isCalledByNode(below) || isReadFor(nodeCallsBelow(below))) report('IMPURE_PROCESS', `process.${name}`, below);
  };
  const get = (_: object, key: string | symbol): unknown => {
    reportRead(get);
    return Reflect.get(value, key);
  };
  const has = (_: object, key: string | symbol): boolean => {
    reportRead(has);
    return Reflect.has(value, key);
  };
  const ownKeys = (): (string | symbol)[] => {
    reportRead(ownKeys);
    return Reflect.ownKeys(value);
  };
  const traps: ProxyHandler<object> = { get, has, ownKeys };
  if (!INSPECTED_MEMBERS.has(name)) return new Proxy(value, traps);
  return new Proxy(inspectedSubstitute(value, reportRead), {
    ...traps,
    set: (_, key, to) => Reflect.set(value, key, to),
    deleteProperty: (_, key) => Reflect.deleteProperty(value, key),
    defineProperty: (_, key, as) => Reflect.defineProperty(value, key, as),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(value, key),
  });
}

/**
 * Returns a substitute for `value` that calls `reportRead` when it is shown. `util.inspect` ignores the traps of a proxy and shows its target,
 * so the substitute is that target.
 */
function inspectedSubstitute(value: object, reportRead: (below: (...args: never[]) => unknown) => void): object {
  const substitute = Array.isArray(value) ? [] : {};
  const show = (_depth: number, options: object, inspect: (of: unknown, options: object) => string): string => {
    reportRead(show);
    return inspect(value, options);
  };
  Object.defineProperty(substitute, Symbol.for('nodejs.util.inspect.custom'), { value: show, configurable: true });
  return substitute;
}
