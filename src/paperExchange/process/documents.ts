// What the exchange serves beside its endpoints: the description of them.

import { openApi } from '../../protocol/openapi/openApi.ts';
import type { ServiceRequest, ServiceResponse } from '../api/message.ts';

export const OPEN_API_PATH = '/openapi.json';
let text: string | null = null;

/** The answer to a request for a document; null: it is for something else. It is open to all, and no limit counts it. */
export function documentFor({ method, target }: ServiceRequest): ServiceResponse | null {
  if (method !== 'GET' || target !== OPEN_API_PATH) return null;
  text ??= JSON.stringify(openApi());
  // Any page may read it: a viewer of such documents runs in a browser, from elsewhere.
  return { status: 200, headers: { 'Access-Control-Allow-Origin': '*' }, body: text };
}
