// The page's HTTP client: keeps the token in this tab, and sends requests with a time-out.
/// <reference lib="dom" />

import type { ActAnswer } from '../../../control/botControl.ts';
import type { BotView } from '../../../control/botView.ts';
import type { AccessLevel, BotRequest } from '../../../control/botRequest.ts';

const TOKEN_STORAGE_KEY = 'isobar-token';
const REQUEST_TIMEOUT_MS = 2500;

/** A view of the bot, and what the token allows. */
export interface ViewReply {
  readonly allowed: AccessLevel;
  readonly view: BotView;
}

/** A failed request. `kind` token: the token is invalid. `problem`: any other failure. */
export type FailedRequest = { readonly kind: 'token' | 'problem'; readonly problem: string };

/** Returns the token from the address (#token=...), which is then removed from the address, or from this tab's storage. */
export function storedToken(): string | null {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return sessionStorage.getItem(TOKEN_STORAGE_KEY);
  history.replaceState(null, '', location.pathname);
  storeToken(token);
  return token;
}

/** Keeps the token in this tab. Null removes it. */
export function storeToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(TOKEN_STORAGE_KEY);
  else sessionStorage.setItem(TOKEN_STORAGE_KEY, token);
}

/** Requests the view of the bot. */
export async function fetchView(token: string): Promise<ViewReply | FailedRequest> {
  return requestJson<ViewReply>('/api/view', { headers: { Authorization: `Bearer ${token}` } });
}

/** Sends a request of the operator. `typed`: the text that the operator typed to confirm it. */
export async function postAct(token: string, request: BotRequest, typed: string): Promise<ActAnswer | FailedRequest> {
  return requestJson<ActAnswer>('/api/act', {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ request, typed }),
  });
}

/** True for a reply that reports a problem. */
export const hasFailed = (answer: object): answer is FailedRequest => 'problem' in answer && 'kind' in answer;

/** Sends a request and returns the JSON of its reply. */
async function requestJson<T extends object>(path: string, init: RequestInit): Promise<T | FailedRequest> {
  try {
    const response = await fetch(path, {
      ...init,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const body = (await response.json()) as T & { readonly problem?: string };
    if (response.ok) return body;
    return { kind: response.status === 401 ? 'token' : 'problem', problem: body.problem ?? `HTTP ${response.status}` };
  } catch (error) {
    return { kind: 'problem', problem: error instanceof Error ? error.message : String(error) };
  }
}
