// Parses a list in a query parameter, which holds JSON text. A batch of orders sent as a GET has its elements there.

import { parseJson } from '../../../protocol/json/parseJson.ts';
import type { Json } from '../../../protocol/json/json.ts';

/** Returns the value in the JSON text of a query parameter; null for text that is not JSON. */
export function parseList(value: Json): Json {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  return parsed.ok ? parsed.value : null;
}
