// A list in a query: the JSON text of one; a batch that is asked for by GET has its elements there.

import { parseJson } from '../../../protocol/json/parseJson.ts';
import type { Json } from '../../../protocol/json/json.ts';

/** The value that the text of a query parameter says; null for text that is no JSON. */
export function parseList(value: Json): Json {
  if (typeof value !== 'string') return value;
  const found = parseJson(value);
  return found.ok ? found.value : null;
}
