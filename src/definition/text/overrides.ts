// Applies `--set key=value` to a definition. Messages about such a value name the option.

import { parseDocument, type Document } from 'yaml';
import { ConfigError } from '../../base/errors.ts';
import { wantsText } from './keys.ts';
import { plainData, nodeText, definitionValueAt, type DefinitionSource, type KeyPath } from './source.ts';

/** One `--set`, split into its key and its value. */
interface KeyOverride {
  readonly path: readonly string[];
  readonly value: unknown;
  /** The value as it was written. */
  readonly text: string;
  /** The value as parsed YAML. Messages about a key inside the value read its text here. */
  readonly document: Document;
}

/** Returns `source` with each `key=value` applied in sequence. Keys are dotted paths, such as `params.fast` and `strategy.0.share`. */
export function withOverrides(source: DefinitionSource, settings: readonly string[]): DefinitionSource {
  if (settings.length === 0) return source;
  const overrides = settings.map(parseSetting);
  let data = source.data;
  for (const { path, value } of overrides) data = withValue(data, path, value);
  const overrideOf = (path: KeyPath) => overrides.findLast((override) => isPrefix(override.path, path));
  // True for a map that exists only because an override put a value into it.
  const isCreatedByOverride = (path: KeyPath) =>
    path.length > 0 && definitionValueAt(source.data, path) === undefined && overrides.some((override) => isPrefix(path, override.path));
  return {
    ...source,
    data,
    place: (path) => (overrideOf(path) || isCreatedByOverride(path) ? '--set' : source.place(path)),
    textAt(path) {
      const override = overrideOf(path);
      if (override === undefined) return source.textAt(path);
      if (override.path.length === path.length) return override.text;
      return nodeText(override.document.getIn(path.slice(override.path.length), true));
    },
  };
}

/** True when a setting gives the value at a dotted key, directly or inside a map: `params.fast=3`, `params={ fast: 3 }`. */
export function givesValue(setting: string, key: string): boolean {
  const { path, value } = parseSetting(setting);
  const keyPath = key.split('.');
  return isPrefix(path, keyPath) && definitionValueAt(value, keyPath.slice(path.length)) !== undefined;
}

/** True when a path begins with the keys of `prefix`, or equals it. */
const isPrefix = (prefix: KeyPath, path: KeyPath): boolean =>
  prefix.length <= path.length && prefix.every((key, index) => String(key) === String(path[index]));

/** Splits one `--set`. Throws ConfigError for an invalid key or value. */
function parseSetting(setting: string): KeyOverride {
  const equalsAt = setting.indexOf('=');
  const key = equalsAt < 0 ? setting : setting.slice(0, equalsAt);
  if (equalsAt < 1 || key.split('.').includes('')) {
    throw new ConfigError(
      `--set ${setting}: expected key=value, got ${setting}`,
      'write a dotted key, an equals sign and a value: --set params.fast=20',
    );
  }
  const path = key.split('.');
  const text = setting.slice(equalsAt + 1);
  const document = parseDocument(text, { prettyErrors: false });
  const yamlError = document.errors[0];
  if (yamlError)
    throw new ConfigError(`--set ${setting}: ${yamlError.message.split('\n')[0]}`, 'the value is read as YAML: quote special characters');
  const value = plainData(document, `--set ${setting}`);
  // A shell removes quotes. Therefore a number stays text if text is expected, or if it has a point: 0.10 must not become 0.1.
  const staysText = typeof value === 'number' && (wantsText(path) || !Number.isInteger(value) || text.includes('.'));
  return { path, value: staysText ? text.trim() : value, text, document };
}

/** Returns a copy of `data` with `value` at `path`. Missing maps on the way are created. */
function withValue(data: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...remainingPath] = path;
  if (key === undefined) return value;
  if (Array.isArray(data) && /^\d+$/.test(key)) {
    const copy: unknown[] = [...data];
    copy[Number(key)] = withValue(copy[Number(key)], remainingPath, value);
    return copy;
  }
  const map = typeof data === 'object' && data !== null ? data : {};
  if (!Object.hasOwn(map, key)) return Object.fromEntries([...Object.entries(map), [key, withValue(undefined, remainingPath, value)]]);
  return Object.fromEntries(
    Object.entries(map).map(([name, oldValue]) => [name, name === key ? withValue(oldValue, remainingPath, value) : oldValue]),
  );
}
