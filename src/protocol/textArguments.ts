// Converts arguments given as text, such as `limit=5` on a command line, to the arguments of a call.

import { assertNever } from '../base/assert.ts';
import { ConfigError } from '../base/errors.ts';
import type { CallArguments } from './arguments.ts';
import type { Param, Params } from './endpoints/endpoint.ts';
import { endpointOf, type Op } from './endpoints/endpoints.ts';
import { isList, isObject, type Json } from './json/json.ts';
import { parseJson } from './json/parseJson.ts';
import { scalarText } from './shapes/value.ts';

/**
 * Returns the arguments of `op` from these texts. Ids of a list are separated by commas; orders of a batch are JSON. `buildChecked` does
 * the remaining checks, so unknown names are kept for it to reject. Throws ConfigError for invalid JSON.
 */
export function argsFromText(op: Op, texts: Readonly<Record<string, string>>): CallArguments {
  const { params } = endpointOf(op);
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fromText(`${op} ${name}`, params[name], text)]));
}

/** Returns the argument that a text of a command line means. `place` names it in messages. */
function fromText(place: string, param: Param | undefined, text: string): unknown {
  switch (param?.kind) {
    case undefined:
    case 'text':
    case 'decimal':
    case 'id':
    case 'interval':
      return text;
    case 'integer':
    case 'time':
      return wholeOr(text);
    case 'choice':
      return param.values.find((value) => String(value).toUpperCase() === text.toUpperCase()) ?? text;
    case 'ids':
      return idsIn(text);
    case 'rows': {
      const { row } = param;
      const json = parseJson(text);
      if (!json.ok || !isList(json.value)) {
        throw new ConfigError(
          `${place}: expected a JSON list, got ${text}`,
          `write [{${Object.keys(row).join(', ')}}], names and text in quotes`,
        );
      }
      return json.value.map((jsonRow) => rowFrom(place, row, jsonRow));
    }
    default:
      return assertNever(param);
  }
}

/** Splits ids separated by commas, with or without brackets and quotes: `1,2`, `[1,2]`, `["1","2"]`. */
const idsIn = (text: string): readonly string[] =>
  text
    .trim()
    .replace(/^\[([^\]]*)\]$/, '$1')
    .split(',')
    .map((item) => item.trim().replace(/^"([^"]*)"$/, '$1'));

/** Returns digits as a number. Other text is kept, so that the check can show it. */
const wholeOr = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

/** Returns a row of a list from its JSON. Null if it is not an object. */
function rowFrom(place: string, params: Params, json: Json): unknown {
  if (!isObject(json)) return null;
  return Object.fromEntries(
    Array.from(json, ([name, value]) => {
      const text = scalarText(value);
      return [name, text === null ? value : fromText(place, params[name], text)];
    }),
  );
}
