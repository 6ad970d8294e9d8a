// A request while it passes through the checks. Its parameters are parsed once, when a check first needs them.

import type { ServiceRequest } from '../message.ts';
import { isList } from '../../../protocol/json/json.ts';
import { paramsOfBody, paramsOfQuery, readBody, type SentOrCode, windowIn } from '../params/readParams.ts';
import type { Key } from './keyring.ts';
import type { Route } from './routes.ts';

/** One request, its route, and the key once it is known. */
export class RequestContext {
  /** The request as it was received. */
  readonly request: ServiceRequest;
  /** Its operation. */
  readonly route: Route;
  /** The service's clock, ms UTC. */
  readonly nowMs: number;
  /** The key of the request; null until the checks have found it. */
  key: Key | null = null;
  /** Index of the `?` in the target; -1 if there is no query. */
  readonly #queryStart: number;
  #sent: SentOrCode | null = null;

  constructor(request: ServiceRequest, route: Route, queryStart: number, nowMs: number) {
    this.request = request;
    this.route = route;
    this.#queryStart = queryStart;
    this.nowMs = nowMs;
  }

  /** Parameters of a GET are in its query, those of a POST in its body. A batch of orders sent as a GET may also have them in its body. */
  get sentOrCode(): SentOrCode {
    return (this.#sent ??= this.#read());
  }

  /** Validity in ms that the request asks for; null if it states none or one that is invalid. */
  get windowMs(): number | null {
    const { sentOrCode } = this;
    return 'code' in sentOrCode ? null : windowIn(sentOrCode.sent);
  }

  /** Number of elements in the batch; 1 for any other call. */
  get weight(): number {
    const { sentOrCode } = this;
    if ('code' in sentOrCode) return 1;
    let max = 1;
    for (const value of sentOrCode.sent.values()) if (isList(value)) max = Math.max(max, value.length);
    return max;
  }

  #read(): SentOrCode {
    const { target, body } = this.request;
    const { op, endpoint } = this.route;
    const isInQuery = endpoint.method === 'GET' || (op === 'spot.batchOrders' && body.length === 0);
    return isInQuery ? paramsOfQuery(this.#queryStart < 0 ? '' : target.slice(this.#queryStart + 1)) : paramsOfBody(readBody(body));
  }
}
