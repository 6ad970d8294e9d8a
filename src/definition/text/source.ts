// A run definition as text: read from YAML or from options, with the place of every key at hand for messages.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { ConfigError } from '../../base/errors.ts';

export type KeyPath = readonly (string | number)[];

/** What was written, and how to point at it. */
export interface DefinitionSource {
  /** The file as the user named it, or the words of the command line that stand for one. */
  readonly file: string;
  /** Paths in the definition are tried from here when the current folder does not have them. */
  readonly folder: string;
  /** Stands for the current folder, for a run that is made again from elsewhere. */
  readonly startedIn?: string;
  readonly data: unknown;
  /** `file:line`, or the option that set the key. A key that is missing has the line of what it is missing from. */
  place(path: KeyPath): string;
  /** The value at `path` as its author wrote it. */
  textAt(path: KeyPath): string;
}

/** A definition is a page of text; a file this large was named by mistake. */
const MAX_BYTES = 1_000_000;

/** Reads a YAML file. Throws ConfigError naming file, line and column when it cannot be read or is no YAML. */
export function readDefinition(file: string): DefinitionSource {
  return readYaml(file, 'a run definition', 'for a file of bars use --data');
}

/** The same for another kind of file, which is `called` so; `ifLarge` is what to do about one that is too large to be of it. */
export function readYaml(file: string, called: string, ifLarge: string): DefinitionSource {
  return yamlSource(file, dirname(file), readText(file, called, ifLarge));
}

function readText(file: string, called: string, ifLarge: string): string {
  // Of a path through a file statSync throws, whatever it is told.
  const found = existsSync(file) ? statSync(file) : null;
  if (found === null) throw new ConfigError(`${file}: no such file`, `give the path of ${called} (.yaml)`);
  if (/\.[cm]?[jt]s$/.test(file))
    throw new ConfigError(`${file}: expected ${called}, got a file of code`, `write ${called} (.yaml) that names it`);
  if (!found.isFile()) throw new ConfigError(`${file}: expected a file, got a folder`, `give the path of ${called} (.yaml)`);
  if (found.size > MAX_BYTES) {
    throw new ConfigError(`${file}: expected ${called}, got ${found.size} bytes`, ifLarge);
  }
  return readFileSync(file, 'utf8');
}

/** The same from text that is at hand. */
export function yamlSource(file: string, folder: string, text: string): DefinitionSource {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const wrong = document.errors[0];
  if (wrong) {
    const { line, col } = lineCounter.linePos(wrong.pos[0]);
    throw new ConfigError(`${file}:${line}:${col} ${wrong.message.split('\n')[0]}`, 'correct the YAML at this place');
  }
  return {
    file,
    folder,
    data: plainData(document, file),
    place: (path) => `${file}:${lineCounter.linePos(offsetOf(document, path)).line}`,
    textAt: (path) => nodeText(document.getIn(path, true)),
  };
}

/** Throws ConfigError for an alias of what is not there, and for more aliases than a person writes. */
export function plainData(document: Document, place: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new ConfigError(`${place}: ${error.message}`, 'text that begins with * stands in quotes');
  }
}

/** Position of the deepest key of `path` that exists. */
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

/** What stands at a place of a YAML document, as messages tell it. */
export function nodeText(node: unknown): string {
  if (isMap(node)) return 'a map';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node)) return 'nothing';
  if (typeof node.value === 'string') return clip(`'${node.value}'`);
  // The source and not the value: an unquoted 0.10 is already 0.1 as a number.
  return node.source === undefined || node.source === '' ? 'nothing' : clip(node.source);
}

/** The same of a value that was given in code, where it may be anything. */
function codeValueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return clip(`'${value}'`);
  if (typeof value === 'function') return /^class\b/.test(String(value)) ? `the class ${value.name}` : 'a function';
  // Of some values there is no JSON: a symbol, a map that holds itself or a bigint.
  const text = attemptJson(value);
  return text === undefined ? `a ${typeof value}` : clip(text);
}

function attemptJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** A definition made of options: `values` by key, the option that each top-level key came from, and what all of them are called. */
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

/** `file:line key`, or `--set key`: how a message begins. */
export function whereIs(source: DefinitionSource, path: KeyPath): string {
  return path.length === 0 ? source.place(path) : `${source.place(path)} ${path.join('.')}`;
}

/** What stands at `path` in plain data, or undefined. */
export function definitionValueAt(data: unknown, path: KeyPath): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}
