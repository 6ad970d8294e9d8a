// A request on its way through the gate: what it says is read once, and not before somebody asks.

import type { ServiceRequest } from '../message.ts';
import { isList } from '../../../protocol/json/json.ts';
import { paramsOfBody, paramsOfQuery, readBody, type SentOrCode, windowIn } from '../params/readParams.ts';
import type { Key } from './keyring.ts';
import type { Route } from './routes.ts';

export class RequestContext {
  readonly request: ServiceRequest;
  readonly route: Route;
  /** The service's clock. */
  readonly nowMs: number;
  /** Whose request it is, once that is known. */
  key: Key | null = null;
  /** Where the query begins in the target; -1: there is none. */
  readonly #split: number;
  #sent: SentOrCode | null = null;

  constructor(request: ServiceRequest, route: Route, split: number, nowMs: number) {
    this.request = request;
    this.route = route;
    this.#split = split;
    this.nowMs = nowMs;
  }

  /** Parameters of a GET are in its query, of a POST in its body; a batch that is asked for by GET may have them in its body too. */
  get sent(): SentOrCode {
    return (this.#sent ??= this.#read());
  }

  /** Ms that the request asks to be valid for; null: none that can be read. */
  get windowMs(): number | null {
    const { sent } = this;
    return 'code' in sent ? null : windowIn(sent.sent);
  }

  /** Elements of a batch. */
  get weight(): number {
    const { sent } = this;
    if ('code' in sent) return 1;
    let max = 1;
    for (const value of sent.sent.values()) if (isList(value)) max = Math.max(max, value.length);
    return max;
  }

  #read(): SentOrCode {
    const { target, body } = this.request;
    const { op, row } = this.route;
    const isInQuery = row.method === 'GET' || (op === 'spot.batchOrders' && body.length === 0);
    return isInQuery ? paramsOfQuery(this.#split < 0 ? '' : target.slice(this.#split + 1)) : paramsOfBody(readBody(body));
  }
}
