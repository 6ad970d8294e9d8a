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
 * Returns the arguments of `op` from these texts. Ids of a list are separated by commas; orders of a batch are JSON. `buildUntypedRequest` does
 * the remaining checks, so unknown names are kept for it to reject. Throws ConfigError for invalid JSON.
 */
export function argsFromText(op: Op, texts: Readonly<Record<string, string>>): CallArguments {
  const { params } = endpointOf(op);
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, argumentFromText(`${op} ${name}`, params[name], text)]));
}

/** Returns the argument that a text of a command line means. `place` names it in messages. */
function argumentFromText(place: string, param: Param | undefined, text: string): unknown {
  switch (param?.kind) {
    case undefined:
    case 'text':
    case 'decimal':
    case 'id':
    case 'interval':
      return text;
    case 'integer':
    case 'time':
      return numberOrText(text);
    case 'choice':
      return param.values.find((value) => String(value).toUpperCase() === text.toUpperCase()) ?? text;
    case 'ids':
      return splitIds(text);
    case 'rows': {
      const { row } = param;
      const json = parseJson(text);
      if (!json.ok || !isList(json.value)) {
        throw new ConfigError(
          `${place}: expected a JSON list, got ${text}`,
          `write [{${Object.keys(row).join(', ')}}], names and text in quotes`,
        );
      }
      return json.value.map((jsonRow) => rowFromJson(place, row, jsonRow));
    }
    default:
      return assertNever(param);
  }
}

/** Splits ids separated by commas, with or without brackets and quotes: `1,2`, `[1,2]`, `["1","2"]`. */
const splitIds = (text: string): readonly string[] =>
  text
    .trim()
    .replace(/^\[([^\]]*)\]$/, '$1')
    .split(',')
    .map((idText) => idText.trim().replace(/^"([^"]*)"$/, '$1'));

/** Returns digits as a number. Other text is returned unchanged, so that the error message of the later check can quote it. */
const numberOrText = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

/** Returns a row of a list from its JSON. Null if it is not an object. */
function rowFromJson(place: string, params: Params, json: Json): unknown {
  if (!isObject(json)) return null;
  return Object.fromEntries(
    Array.from(json, ([name, value]) => {
      const text = scalarText(value);
      return [name, text === null ? value : argumentFromText(place, params[name], text)];
    }),
  );
}
