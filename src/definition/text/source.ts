// Reads a run definition from YAML or from options, and remembers the place of every key for messages.

import { isUtf8 } from 'node:buffer';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { entryKindText, readInputFile } from '../../adapters/disk/regularFile.ts';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type YAMLParseError } from 'yaml';
import { ConfigError } from '../../base/errors.ts';

/** The keys and list indices that lead to a value. */
export type KeyPath = readonly (string | number)[];

/** The content of a definition, and the place of each key. */
export interface DefinitionSource {
  /** The file as the user named it, or the name of the options. */
  readonly file: string;
  /** Folder of the definition. Paths that do not exist in the current folder are resolved from here. */
  readonly folder: string;
  /** Replaces the current folder when a run is repeated from elsewhere. */
  readonly startedIn?: string;
  readonly data: unknown;
  /** Returns `file:line`, or the option that set the key. For a missing key, the line of the map that lacks it. */
  place(path: KeyPath): string;
  /** Returns the value at `path` as its author wrote it. */
  textAt(path: KeyPath): string;
}

/** A definition is a page of text. A larger file was named by mistake. */
const MAX_BYTES = 1_000_000;

/** How the parser of YAML reports nesting that is too deep for its stack. */
const STACK_OVERFLOW = /^Maximum call stack/;

/** Reads a YAML file. Throws ConfigError naming file, line and column if it cannot be read or is not YAML. */
export function readDefinition(file: string): DefinitionSource {
  return readYaml(file, 'a run definition', 'for a file of bars use --data');
}

/** Reads another kind of file. `called` is its name in messages; `ifLarge` is the remedy for a file that is too large. */
export function readYaml(file: string, called: string, ifLarge: string): DefinitionSource {
  return yamlSource(file, dirname(file), readText(file, called, ifLarge));
}

/** Returns the text of a file. Throws ConfigError for a missing file, a file of code and a large file. */
function readText(file: string, called: string, ifLarge: string): string {
  // statSync would throw for a path that leads through a file.
  const stats = existsSync(file) ? statSync(file) : null;
  if (stats === null) throw new ConfigError(`${file}: no such file`, `give the path of ${called} (.yaml)`);
  if (/\.[cm]?[jt]s$/.test(file))
    throw new ConfigError(`${file}: expected ${called}, got a file of code`, `write ${called} (.yaml) that names it`);
  if (!stats.isFile()) throw new ConfigError(`${file}: expected a file, got ${entryKindText(stats)}`, `give the path of ${called} (.yaml)`);
  if (stats.size > MAX_BYTES) {
    throw new ConfigError(`${file}: expected ${called}, got ${stats.size} bytes`, ifLarge);
  }
  const bytes = readInputFile(file);
  const text = bytes.toString('utf8');
  // Text in UTF-16 has a zero for every letter. YAML allows none.
  if (!isUtf8(bytes) || text.includes('\0'))
    throw new ConfigError(`${file}: expected text in UTF-8, got text in another encoding, or no text`, 'save it as UTF-8');
  return text;
}

/** Parses YAML text that is already in memory. */
export function yamlSource(file: string, folder: string, text: string): DefinitionSource {
  const lineCounter = new LineCounter();
  // Without the warnings that the library would print, because the keys are checked later.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
  const yamlError = document.errors[0];
  if (yamlError) {
    const { line, col } = lineCounter.linePos(yamlError.pos[0]);
    throw new ConfigError(`${file}:${line}:${col} ${problemText(yamlError)}`, 'correct the YAML at this place');
  }
  return {
    file,
    folder,
    data: plainData(document, file),
    place: (path) => `${file}:${lineCounter.linePos(offsetOf(document, path)).line}`,
    textAt: (path) => nodeText(document.getIn(path, true)),
  };
}

/** Returns the first line of an error of the parser, in words that do not assume its reader knows the parser. */
function problemText({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'expected one document, got several (a line --- begins another one)';
  return STACK_OVERFLOW.test(message) ? 'lists and maps are nested too deeply' : (message.split('\n')[0] ?? '');
}

/** Returns the data of a document. Throws ConfigError for an alias without an anchor, and for too many aliases. */
export function plainData(document: Document, place: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigError(`${place}: ${error.message}`, 'text that begins with * stands in quotes');
  }
}

/** Returns the position of the deepest existing key of `path`. */
function offsetOf(document: Document, path: KeyPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (!pair) break;
      if (isScalar(pair.key) && pair.key.range) offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      if ((isMap(node) || isScalar(node) || isSeq(node)) && node.range) offset = node.range[0];
      else break;
    } else break;
  }
  return offset;
}

/** Returns the text that messages show for a node of a YAML document. */
export function nodeText(node: unknown): string {
  if (isMap(node)) return 'a map';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node)) return 'nothing';
  if (typeof node.value === 'string') return clip(`'${node.value}'`);
  // Show the source text, because the value of an unquoted 0.10 is the number 0.1.
  return node.source === undefined || node.source === '' ? 'nothing' : clip(node.source);
}

/** Returns the text that messages show for a value given in code, which may be anything. */
function codeValueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return clip(`'${value}'`);
  if (typeof value === 'function') return /^class\b/.test(String(value)) ? `the class ${value.name}` : 'a function';
  // A symbol, a bigint and an object that contains itself cannot be written as JSON.
  const text = attemptJson(value);
  return text === undefined ? `a ${typeof value}` : clip(text);
}

/** Returns a value as JSON; undefined if it has none. */
function attemptJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Maximum length of a value in a message. */
const MAX_VALUE_CHARS = 60;

function clip(text: string): string {
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS - 3)}...` : text;
}

/**
 * Returns a definition from options. `values`: values by key. `options`: the option of each top-level key. `called`: the name of all
 * options.
 */
export function optionSource(
  folder: string,
  values: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, string>>,
  called = 'the command line',
): DefinitionSource {
  return {
    file: called,
    folder,
    data: values,
    place: ([key]) => Object.entries(options).find(([name]) => name === String(key))?.[1] ?? called,
    textAt(path) {
      return codeValueText(definitionValueAt(values, path));
    },
  };
}

/** Returns the start of a message: `file:line key`, or `--set key`. */
export function whereIs(source: DefinitionSource, path: KeyPath): string {
  return path.length === 0 ? source.place(path) : `${source.place(path)} ${path.join('.')}`;
}

/** Returns the value at `path` in plain data; undefined if it does not exist. */
export function definitionValueAt(data: unknown, path: KeyPath): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}
