// Watches the modules of Node through which strategy code could reach outside the run: files, processes, the network, threads, chance.

import { isBuiltin, syncBuiltinESMExports, type createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';
import type { WarningCode } from '../../../model/warning.ts';
import { CALLS_BACK } from './asyncWatch.ts';
import { isCalledByNode, nodeCallsBelow } from './callSite.ts';
import { replace } from './dates.ts';
import type { Report } from './report.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The functions of each module that are watched; all of them without a list. */
const MODULES: readonly (readonly [WarningCode, string, readonly string[] | null])[] = [
  ['LOOKAHEAD_FILE', 'fs', null],
  ['LOOKAHEAD_FILE', 'fs/promises', null],
  ['IMPURE_PROCESS', 'os', null],
  ['IMPURE_PROCESS', 'child_process', null],
  ['IMPURE_PROCESS', 'v8', null],
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
    ],
  ],
];
/** Classes that reach outside the run as soon as one is made. */
const CLASSES: readonly (readonly [WarningCode, string, string])[] = [
  ['LOOKAHEAD_FILE', 'fs', 'ReadStream'],
  ['IMPURE_PROCESS', 'inspector', 'Session'],
  ['IMPURE_NETWORK', 'worker_threads', 'Worker'],
  ['IMPURE_NETWORK', 'worker_threads', 'BroadcastChannel'],
  ['IMPURE_NETWORK', 'net', 'Socket'],
];
/** Files and functions of Node by which a thread prints, and by which work is done at once. */
const PRINTS = /internal\/(?:console|worker\/io|tty|bootstrap)|node:tty|SyncWriteStream|\bsync|Sync$/;
/** What the module `process` shares with the global of that name. */
const PROCESS = ['env', 'argv', 'hrtime', 'uptime', 'cpuUsage', 'memoryUsage', 'resourceUsage', 'cwd', 'nextTick', 'getActiveResourcesInfo', 'availableMemory', 'constrainedMemory', 'getuid', 'getgid', 'geteuid', 'getegid', 'getgroups', 'report', 'execArgv', 'stdin', 'umask', 'kill', 'loadEnvFile', 'getBuiltinModule', 'binding']; // prettier-ignore

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** `isInput` returns true for a file that is part of the run's hash: to read it reaches nothing outside. Returns functions that restore all. */
export function watchNodeModules(report: Report, isInput: (path: string) => boolean): (() => void)[] {
  const undo = MODULES.flatMap(([code, name, functions]) => {
    const holder = moduleOf(name);
    const names = functions ?? Object.keys(holder).filter((key) => /^[a-z]/.test(key));
    return names.flatMap((key) => {
      const real = holder[key];
      return typeof real === 'function' ? [replace(holder, key, watched(report, code, `${name}.${key}()`, real as Method, isInput))] : [];
    });
  });
  for (const [code, name, key] of CLASSES) undo.push(...watchClass(report, code, name, key));
  undo.push(watchRequire(report, isInput));
  for (const name of PROCESS) undo.push(...watchMember(report, name));
  // Named imports of these modules see the replacements only now.
  syncBuiltinESMExports();
  return [() => syncBuiltinESMExports(), ...undo];
}

const moduleOf = (name: string): Readonly<Record<string, unknown>> => requirePackage(`node:${name}`) as Readonly<Record<string, unknown>>;

function watched(report: Report, code: WarningCode, what: string, real: Method, isInput: (path: string) => boolean): Method {
  const method: Method = function (...args): unknown {
    if (code !== 'LOOKAHEAD_FILE' || !isInput(pathOf(args[0]))) reportDirect(report, code, what, method);
    return new.target === undefined ? Reflect.apply(real, this, args) : (Reflect.construct(real, args) as unknown);
  };
  // For example the symbol by which `util.promisify` recognises a function, and `realpathSync.native`.
  Object.defineProperties(method, Object.getOwnPropertyDescriptors(real));
  return method;
}

function reportDirect(report: Report, code: WarningCode, what: string, below: (...args: never[]) => unknown): void {
  if (!isCalledByNode(below)) report(code, what, below);
}

/** A function that `createRequire` makes reads files by itself: other code than packages, and tables. */
function watchRequire(report: Report, isInput: (path: string) => boolean): () => void {
  const holder = moduleOf('module');
  const real = holder['createRequire'] as typeof createRequire;
  const make = (from: string | URL): NodeJS.Require => {
    const own = real(from);
    const watchedRequire = (id: string): unknown => {
      const path = isBuiltin(id) ? null : own.resolve(id);
      const isRead = path !== null && !/[\\/]node_modules[\\/]/.test(path) && !isInput(path);
      if (isRead) report('LOOKAHEAD_FILE', 'require() of a file', watchedRequire);
      return own(id) as unknown;
    };
    return Object.assign(watchedRequire, own);
  };
  return replace(holder, 'createRequire', make);
}

function pathOf(given: unknown): string {
  if (given instanceof URL && given.protocol === 'file:') return fileURLToPath(given);
  return typeof given === 'string' ? resolve(given) : '';
}

function watchClass(report: Report, code: WarningCode, name: string, key: string): (() => void)[] {
  const holder = moduleOf(name);
  const real = holder[key];
  if (typeof real !== 'function') return [];
  const construct = (target: object, args: readonly unknown[], newTarget: object): object => {
    reportDirect(report, code, `new ${name}.${key}()`, construct);
    return Reflect.construct(target as new () => object, args, newTarget as new () => object);
  };
  return [replace(holder, key, new Proxy(real, { construct }))];
}

/** Reports direct calls, and what a stream of the author's leaves for later. What is printed goes through streams, too. */
function watchedTick(report: Report, real: Method): Method {
  const method: Method = function (...args): unknown {
    if (!isCalledByNode(method)) report('IMPURE_PROCESS', 'process.nextTick', method);
    else if (isOfStream(nodeCallsBelow(method))) report('IMPURE_PROMISE', CALLS_BACK, method);
    return Reflect.apply(real, this, args);
  };
  return method;
}

const isOfStream = (calls: readonly string[]): boolean =>
  calls.some((call) => call.includes('internal/streams/')) && !calls.some((call) => PRINTS.test(call));

/** Watches a member that named imports of `node:process` take, too: functions when they are called, objects when they are read. */
function watchMember(report: Report, name: string): (() => void)[] {
  const value: unknown = Reflect.get(process, name);
  if (typeof value === 'function') {
    const real = value as Method;
    const isTick = name === 'nextTick';
    return [
      replace(process, name, isTick ? watchedTick(report, real) : watched(report, 'IMPURE_PROCESS', `process.${name}`, real, () => false)),
    ];
  }
  if (!isObject(value)) return [];
  const note = (below: (...args: never[]) => unknown): void => reportDirect(report, 'IMPURE_PROCESS', `process.${name}`, below);
  const get = (target: object, key: string | symbol): unknown => {
    note(get);
    return Reflect.get(target, key);
  };
  const has = (target: object, key: string | symbol): boolean => {
    note(has);
    return Reflect.has(target, key);
  };
  const ownKeys = (target: object): (string | symbol)[] => {
    note(ownKeys);
    return Reflect.ownKeys(target);
  };
  return [replace(process, name, new Proxy(value, { get, has, ownKeys }))];
}
