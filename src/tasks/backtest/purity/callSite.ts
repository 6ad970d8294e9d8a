// Finds where a call came from: the file and line of the user's code, or null for a call of isobar itself.

import { existsSync, readFileSync } from 'node:fs';
import { findSourceMap, type SourceMapping } from 'node:module';
import { posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { PACKAGE_FOLDER } from '../../../adapters/plugins/externalUses.ts';
import { sourceOf } from '../../../adapters/plugins/moduleCache.ts';
import { OWN_FOLDERS } from '../../../base/inPackage.ts';

/** A place in a source file; null where it is unknown. */
export interface Place {
  /** Relative to the working directory. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
}

/** Number of stack frames in each attempt to find the code of the author. The last one is made only below a package that calls itself deeply. */
const FIRST_FRAMES = 3;
const USUAL_FRAMES = 30;
const ALL_FRAMES = 10_000;
/** Matches names of functions of a bundle that load one of its modules. */
const LOADS_MODULE = /^__(?:require|init)\d*$/;
/** Matches the name of the innermost package in a path. */
const PACKAGE_NAME = /^.*\/?node_modules\/((?:@[^/]+\/)?[^/]+)\//;
/** Captured before strategy code can replace it. */
const capture: typeof Error.captureStackTrace = Error.captureStackTrace.bind(Error);
const makeContext = runInNewContext;

/** What is read of a stack frame, before any source map. */
type Frame = Pick<NodeJS.CallSite, 'getFileName' | 'getLineNumber' | 'getColumnNumber' | 'getFunctionName' | 'getEvalOrigin' | 'isAsync'>;
type Frames = readonly Frame[];
/** A place that cannot be found, because strategy code keeps Node from showing the stack. The use itself still counts. */
const HIDDEN_PLACE: Place = { file: null, line: null };

/**
 * Returns the place in the author's code from which the function `below` was called, or null where isobar called it. Frames of built-ins,
 * Node and packages do not show who made the call, so the first other frame decides. `module`: the URL of the only module that counts; null: any.
 */
export function authorPlace(below: (...args: never[]) => unknown, module: string | null = null): Place | null {
  // The first few frames nearly always decide, and most calls come from isobar itself. So try with few frames first.
  for (const maxFrames of [FIRST_FRAMES, USUAL_FRAMES, ALL_FRAMES]) {
    const frames = framesBelow(below, maxFrames);
    if (frames === null) return HIDDEN_PLACE;
    let isInBundle = false;
    for (const frame of frames) {
      const file = fileOf(frame);
      if (file === null) continue;
      // Check this before packages, because an installed isobar is in node_modules itself. It calls code of a package whose class the author extends,
      // and it waits for the load of one.
      if (isOfIsobar(file)) return isInBundle && module === null && !frame.isAsync() ? HIDDEN_PLACE : null;
      if (isOfPackages(file)) continue;
      if (module !== null && !file.startsWith(module)) return null;
      const mapping = mappingOf(file, frame);
      // What a package does while it is loaded is no call of the file that imports it.
      if (mapping === null && LOADS_MODULE.test(frame.getFunctionName() ?? '')) return null;
      const place = placeIn(file, frame, mapping);
      // A place of null: the bundle has this frame from a package, so look at the next frame.
      if (place !== null) return place;
      isInBundle = true;
    }
    if (frames.length < maxFrames) return null;
  }
  return null;
}

/** A package whose code runs because the author's files import it. */
export interface LoadingPackage {
  readonly name: string;
  /** The import in the author's files, where the stack shows it. */
  readonly place: Place;
}

/** Returns the package that called the function `below` while it was loaded. Null for any other call, such as one of a package that the author calls. */
export function loadingPackage(below: (...args: never[]) => unknown): LoadingPackage | null {
  let name: string | null = null;
  let isLoad = false;
  for (const frame of framesBelow(below, ALL_FRAMES) ?? []) {
    const file = fileOf(frame);
    if (file === null || file.startsWith('node:')) continue;
    if (isOfIsobar(file) && frame.isAsync()) break;
    if (isOfIsobar(file)) return null;
    const mapping = mappingOf(file, frame);
    if (mapping === null) {
      isLoad ||= LOADS_MODULE.test(frame.getFunctionName() ?? '');
      continue;
    }
    const place = placeIn(file, frame, mapping);
    if (place !== null) return isLoad && name !== null ? { name, place } : null;
    // The outermost package is the one that the author imports.
    name = PACKAGE_NAME.exec(mapping.originalSource)?.[1] ?? name;
  }
  // The top level of a module is called by Node, so no frame shows the import.
  return name === null ? null : { name, place: HIDDEN_PLACE };
}

/** Returns the entry of a frame in the source map of its bundle; null: the map has none, as for the helper functions of the bundle itself. */
function mappingOf(file: string, frame: Frame): SourceMapping | null {
  const mapping = findSourceMap(file)?.findEntry((frame.getLineNumber() ?? 1) - 1, (frame.getColumnNumber() ?? 1) - 1);
  return mapping !== undefined && 'originalSource' in mapping ? mapping : null;
}

/** Returns the place of a frame in the author's files; null where the bundle has it from a package. */
function placeIn(file: string, frame: Frame, mapping: SourceMapping | null): Place | null {
  if (mapping === null) return { file: placeText(file), line: frame.getLineNumber() ?? 1 };
  const { originalSource } = mapping;
  const isOfPackage = isOfPackages(posix.normalize(originalSource), authorFolder(file));
  return isOfPackage ? null : { file: placeText(originalSource), line: mapping.originalLine + 1 };
}

/** Returns the folder of the author's package, from the source map of a bundle; '' if the strategy file lies in no package. */
function authorFolder(bundleFile: string): string {
  const { authorPackage = '' } = (findSourceMap(bundleFile)?.payload ?? {}) as { readonly authorPackage?: string };
  return authorPackage;
}

/** Returns the nearest place in the author's code from which this call was reached, through any code of isobar; null: none. */
export function nearestAuthorPlace(): Place | null {
  for (const frame of framesBelow(nearestAuthorPlace, ALL_FRAMES) ?? []) {
    const file = fileOf(frame);
    if (file === null || isOfPackages(file) || isOfIsobar(file)) continue;
    const place = placeIn(file, frame, mappingOf(file, frame));
    if (place !== null) return place;
  }
  return null;
}

/** Returns file and name of the functions of Node on the stack between the function `below` and the author's code, the innermost first. */
export function nodeCallsBelow(below: (...args: never[]) => unknown): readonly string[] {
  const calls: string[] = [];
  for (const frame of framesBelow(below) ?? []) {
    const file = fileOf(frame);
    if (file !== null && !file.startsWith('node:')) break;
    if (file !== null) calls.push(`${file} ${frame.getFunctionName() ?? ''}`);
  }
  return calls;
}

/** True when code of a package called the function `below`. Functions of Node between the two do not count. */
export function isCalledByPackage(below: (...args: never[]) => unknown): boolean {
  const frame = (framesBelow(below, FIRST_FRAMES) ?? []).find((candidate) => fileOf(candidate)?.startsWith('node:') === false);
  const file = frame === undefined ? null : fileOf(frame);
  if (frame === undefined || file === null || isOfIsobar(file)) return false;
  return isOfPackages(file) || placeIn(file, frame, mappingOf(file, frame)) === null;
}

/** Returns the line of code that called the function `below`, and the line before it, as they run; empty if the file cannot be read. */
export function callingLines(below: (...args: never[]) => unknown): readonly [before: string, line: string] {
  const [frame] = framesBelow(below, 1) ?? [];
  const file = frame === undefined ? null : fileOf(frame);
  if (file?.startsWith('file:') !== true) return ['', ''];
  const lineIndex = (frame?.getLineNumber() ?? 1) - 1;
  const lines = linesOf(file.split('?')[0]!);
  return [lines[lineIndex - 1] ?? '', lines[lineIndex] ?? ''];
}

/** The lines of the files of calls, by URL. */
const linesByFile = new Map<string, readonly string[]>();

/** Returns the lines of a file; empty if it cannot be read. */
function linesOf(url: string): readonly string[] {
  const known = linesByFile.get(url);
  if (known !== undefined) return known;
  const path = fileURLToPath(url);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  linesByFile.set(url, lines);
  return lines;
}

/** True when code of Node itself called the function `below`. The author may have called a pure function of Node, which then makes this call. */
export function isCalledByNode(below: (...args: never[]) => unknown): boolean {
  const [frame] = framesBelow(below, 1) ?? [];
  return frame?.getFileName()?.startsWith('node:') === true;
}

/** Matches file and line at the end of a line of `Error.stack`, such as `(file:///home/user/sma.ts:12:5)`. */
const STACK_PLACE = /\(?((?:file:\/\/)?\/[^():]*|[A-Za-z]:\\[^():]*):(\d+):\d+\)?$/;

/** Returns the place in the user's code where an error was created; null: no frame belongs to it. */
export function placeOfError(error: Error): Place | null {
  for (const stackLine of stackOf(error).split('\n')) {
    const [, path, lineNumber] = STACK_PLACE.exec(stackLine.trim()) ?? [];
    if (path === undefined) continue;
    const file = path.startsWith('file:') ? path : pathToFileURL(path).href;
    if (isOfIsobar(file) || file.includes('/node_modules/')) continue;
    return { file: placeText(file), line: Number(lineNumber) };
  }
  return null;
}

/** Returns the stack of an error as text; empty if strategy code has made it something else. */
function stackOf(error: Error): string {
  try {
    const { stack } = error;
    return typeof stack === 'string' ? stack : '';
  } catch {
    return '';
  }
}

const isOfIsobar = (url: string): boolean => OWN_FOLDERS.some((folder) => url.startsWith(folder));
/** Returns true for code of Node and of packages. `ownFolder`: a folder with the author's files that may lie in `node_modules` itself; '' if none. */
function isOfPackages(url: string, ownFolder = ''): boolean {
  const index = ownFolder === '' ? -1 : url.indexOf(ownFolder);
  return url.startsWith('node:') || PACKAGE_FOLDER.test(index < 0 ? url : `/${url.slice(index + ownFolder.length)}`);
}

/** Returns the stack frames below a function, at most `maxFrames`; null: Node does not show them. */
function framesBelow(below: (...args: never[]) => unknown, maxFrames = USUAL_FRAMES): Frames | null {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const holder: { stack?: unknown } = {};
  try {
    const isSet = setOnError('stackTraceLimit', maxFrames, limit) && setOnError('prepareStackTrace', rawFrames, prepare);
    if (!isSet) return framesFromContext(below, maxFrames);
    capture(holder, below);
    const { stack } = holder;
    if (typeof stack === 'string') return framesInText(stack);
    return Array.isArray(stack) ? (stack as Frames) : null;
  } finally {
    restoreOnError('prepareStackTrace', prepare);
    restoreOnError('stackTraceLimit', limit);
  }
}

/** Matches a frame in the text of a stack, such as `at load (file:///home/user/sma.js:12:5)`. */
const TEXT_FRAME = /^\s+at (async )?(?:(.*?) \()?((?:file:|node:|\/|[A-Za-z]:\\).*?):(\d+):(\d+)\)?$/;

/** Returns the frames in the text of a stack. Node makes a text of a stack that is read while it makes another one, as at the first read of `error.stack`. */
function framesInText(stack: string): Frames {
  return stack.split('\n').flatMap((stackLine): Frames => {
    const [, async, functionName = '', file, lineNumber, column] = TEXT_FRAME.exec(stackLine) ?? [];
    if (file === undefined) return [];
    return [
      {
        getFileName: () => file,
        getLineNumber: () => Number(lineNumber),
        getColumnNumber: () => Number(column),
        getFunctionName: () => functionName,
        getEvalOrigin: () => undefined,
        isAsync: () => async !== undefined,
      },
    ];
  });
}

const rawFrames = (_: Error, frames: NodeJS.CallSite[]): NodeJS.CallSite[] => frames;

/**
 * Sets a member of `Error` by assignment, or by another definition where strategy code has made it a getter or read-only. Returns false where
 * strategy code has fixed it.
 */
function setOnError(key: 'stackTraceLimit' | 'prepareStackTrace', value: unknown, descriptor: PropertyDescriptor | undefined): boolean {
  if (descriptor?.writable === true) return Reflect.set(Error, key, value);
  return Reflect.defineProperty(Error, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Restores a member of `Error` to its earlier state. */
function restoreOnError(key: 'stackTraceLimit' | 'prepareStackTrace', descriptor: PropertyDescriptor | undefined): void {
  if (descriptor === undefined) Reflect.deleteProperty(Error, key);
  else if (descriptor.writable === true) Reflect.set(Error, key, descriptor.value);
  else Reflect.defineProperty(Error, key, descriptor);
}

/** The classes of another context. Strategy code cannot reach them, so it cannot limit the stacks that they show. */
interface OtherContext {
  readonly Error: ErrorConstructor;
  readonly Object: ObjectConstructor;
}

/** Made at its first use, because few strategies need it. */
let otherContext: OtherContext | null = null;

/** Returns the stack frames below a function where strategy code has fixed the members of `Error`; null: Node does not show them. */
function framesFromContext(below: (...args: never[]) => unknown, maxFrames: number): Frames | null {
  otherContext ??= makeContext('({ Error, Object })') as OtherContext;
  otherContext.Error.prepareStackTrace = rawFrames;
  otherContext.Error.stackTraceLimit = maxFrames;
  const holder = new otherContext.Object() as { readonly stack?: unknown };
  otherContext.Error.captureStackTrace(holder, below);
  return Array.isArray(holder.stack) ? (holder.stack as Frames) : null;
}

/**
 * Returns the file of a frame as a URL; for code created from text, the file that called `eval`. Null for a function that isobar created from
 * the user's text: its caller decides instead.
 */
function fileOf(frame: Frame): string | null {
  const name = frame.getFileName();
  if (name != null) return urlOf(name);
  const origin = /\((?:file:\/\/)?(\/[^()]*?):\d+:\d+\)/.exec(frame.getEvalOrigin() ?? '')?.[1];
  const url = origin === undefined ? null : urlOf(origin);
  return url !== null && isOfIsobar(url) ? null : url;
}

/** Returns the URL of a file name; null for a name that is not a path. */
function urlOf(name: string): string | null {
  if (name.startsWith('node:') || name.startsWith('file:')) return name;
  return name.startsWith('/') || /^[A-Za-z]:\\/.test(name) ? pathToFileURL(name).href : null;
}

/** Returns a file as it is displayed: relative to the working directory, and as the author's source. */
function placeText(file: string): string {
  const [withoutQuery = file] = file.split('?');
  const path = sourceOf(withoutQuery.startsWith('file:') ? fileURLToPath(withoutQuery) : withoutQuery);
  return relative(process.cwd(), path) || path;
}
