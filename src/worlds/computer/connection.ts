// Connects a simulated process to an exchange in the same process of Node. A function of the caller transports the bytes.

import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import type { ServiceResponse } from '../../paperExchange/api/message.ts';
import type { Service } from '../../paperExchange/service.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { WireOutcome } from '../../ports/wire.ts';

/** A request in transit, with the callbacks for its outcome. */
export interface RequestInTransit {
  readonly request: Parameters<LateReplyWire>[0];
  /** Path and query. */
  readonly target: string;
  /** Size of the request, bytes. */
  readonly bytes: number;
  /** Records that bytes of the request have left. */
  readonly leave: () => void;
  /** Reports the outcome to the sender. */
  readonly settle: (outcome: WireOutcome) => void;
  /** Reports a failure to the sender. */
  readonly fail: (cause: string, bytesWritten: number) => void;
  /** Calls `run` after `durationMs` of virtual time. Returns a handle to cancel it. */
  readonly later: (durationMs: number, run: () => void) => number;
}

/** Collaborators of a connection. */
export interface ConnectionParts {
  readonly queue: DueQueue;
  /** The process that owns the connections. They end with it, but requests that have left still arrive. */
  readonly process: { readonly isDead: boolean };
  /** Called with the HTTP status of each reply. */
  readonly answered: (status: number) => void;
  /** Transports a request. */
  readonly carry: (passage: RequestInTransit) => void;
}

/** Returns the function by which a process sends requests. */
export function connect({ queue, process, answered, carry }: ConnectionParts): LateReplyWire {
  const later = (ms: number, run: () => void): number => queue.at(queue.nowMs + Math.ceil(ms), run);
  return (request, done, late) => {
    const { url } = request;
    const target = url.slice(url.indexOf('/', url.indexOf('://') + 3));
    const bytes = `${request.method} ${target}`.length + request.body.length;
    const state = { hasLeft: false, isSettled: false, isGivenUp: false };
    const settle = (outcome: WireOutcome): void => {
      if (process.isDead) return;
      if (state.isSettled) {
        // A reply after a cancel does not change the outcome, but the sender may learn from it.
        if (state.isGivenUp && outcome.kind === 'reply') late?.(outcome);
        return;
      }
      state.isSettled = true;
      if (outcome.kind === 'reply') answered(outcome.status);
      done(outcome);
    };
    const fail = (cause: string, bytesWritten: number): void => settle({ kind: 'failed', cause, bytesWritten });
    const leave = (): void => void (state.hasLeft = true);
    const departure = later(0, () => {
      if (!process.isDead) carry({ request, target, bytes, leave, settle, fail, later });
    });
    return () => {
      if (state.isSettled) return;
      if (!state.hasLeft) queue.cancel(departure);
      later(0, () => {
        fail('cancelled', state.hasLeft ? bytes : 0);
        state.isGivenUp = true;
      });
    };
  };
}

/** The answer of the exchange to a request. */
export type Answer = Pick<ServiceResponse, 'status' | 'body' | 'headers'>;

/** HTTP status 504, or error codes after which the outcome of a request is unknown. */
const UNKNOWN_CODES = [504, -1006, -1007, -1001, -1000, -1016] as const;
/** Replies that a proxy gives in place of the exchange. */
const PROXY_REPLIES = [
  { status: 502, body: '<html>bad gateway</html>' },
  { status: 200, body: '' },
  { status: 200, body: '{}' },
  { status: 302, body: '' },
  { status: 403, body: 'forbidden' },
] as const;

/** Returns an answer that leaves the outcome of a request unknown. `draw` in [0, 1) selects it. */
export function unknownAnswer(service: Service, market: 'spot' | 'futures', draw: number): Answer {
  const code = UNKNOWN_CODES[Math.floor(draw * UNKNOWN_CODES.length)]!;
  return code === 504 ? { status: 504, headers: {}, body: '' } : service.error(code, market);
}

/** Returns an answer of a proxy in place of the exchange. `draw` in [0, 1) selects it. */
export const pageOfProxy = (draw: number): Answer => ({ ...PROXY_REPLIES[Math.floor(draw * PROXY_REPLIES.length)]!, headers: {} });

/** Returns headers with names in lower case, without headers that have no value. */
export const lowerCase = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const lowered: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) lowered[name.toLowerCase()] = value;
  return lowered;
};
