// Arguments that come as text, such as `limit=5` of a command line, to those that a call takes.

import { assertNever } from '../base/assert.ts';
import { ConfigError } from '../base/errors.ts';
import type { Given } from './arguments.ts';
import type { Param, Params } from './endpoints/endpoint.ts';
import { endpointOf, type Op } from './endpoints/endpoints.ts';
import { isList, isObject, type Json } from './json/json.ts';
import { parseJson } from './json/parseJson.ts';
import { scalarText } from './shapes/value.ts';

/**
 * The arguments of `op` that these texts say: ids of a list with commas between them, orders of a batch as JSON. Checks no more than it
 * has to, for `buildChecked` does; names that the call does not have are kept for it to refuse. Throws ConfigError for what is no JSON.
 */
export function argsFromText(op: Op, texts: Readonly<Record<string, string>>): Given {
  const { params } = endpointOf(op);
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fromText(`${op} ${name}`, params[name], text)]));
}

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
      return json.value.map((each) => rowFrom(place, row, each));
    }
    default:
      return assertNever(param);
  }
}

/** Ids with commas between them, in brackets and quotes or without: `1,2`, `[1,2]`, `["1","2"]`. */
const idsIn = (text: string): readonly string[] =>
  text
    .trim()
    .replace(/^\[([^\]]*)\]$/, '$1')
    .split(',')
    .map((each) => each.trim().replace(/^"([^"]*)"$/, '$1'));

/** Digits as a number; what is none is left for the check to show. */
const wholeOr = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

function rowFrom(place: string, params: Params, json: Json): unknown {
  if (!isObject(json)) return null;
  return Object.fromEntries(
    Array.from(json, ([name, value]) => {
      const text = scalarText(value);
      return [name, text === null ? value : fromText(place, params[name], text)];
    }),
  );
}
