// Serves the OpenAPI document that describes the endpoints.

import { openApi } from '../../protocol/openapi/openApi.ts';
import type { ServiceRequest, ServiceResponse } from '../api/message.ts';

/** Path of the OpenAPI document. */
export const OPEN_API_PATH = '/openapi.json';
/** The document as JSON; built at the first request. */
let documentText: string | null = null;

/** Returns the reply to a request for a document; null for other requests. Documents are public, and no rate limit counts them. */
export function documentFor({ method, target }: ServiceRequest): ServiceResponse | null {
  if (method !== 'GET' || target !== OPEN_API_PATH) return null;
  documentText ??= JSON.stringify(openApi());
  // Pages of any origin may read it, because document viewers run in a browser on another origin.
  return { status: 200, headers: { 'Access-Control-Allow-Origin': '*' }, body: documentText };
}
