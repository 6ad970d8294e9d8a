// A Wire that blocks requests to create orders while the kill switch is engaged. Reads and cancels pass.

import type { LateReplyWire } from '../../../adapters/exchange/wire/lateReplyWire.ts';
import { endpointOf, OPS } from '../../../protocol/endpoints/endpoints.ts';
import type { KillSwitch } from './killSwitch.ts';

/** Paths of requests that create an order, at all known services. */
const CREATE_PATHS: readonly string[] = OPS.map(endpointOf)
  .filter(({ effect }) => effect === 'create')
  .flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths]);

/** Wraps `wire`. While `killSwitch` is engaged, requests that create an order end as not sent, with any prefix before their path. */
export function killSwitchWire(wire: LateReplyWire, killSwitch: Pick<KillSwitch, 'isEngaged'>): LateReplyWire {
  return (request, done, late) => {
    if (request.method === 'POST' && createsOrder(request.url) && killSwitch.isEngaged) {
      queueMicrotask(() => done({ kind: 'failed', cause: 'KILLED: no order is sent any more', bytesWritten: 0 }));
      return () => {};
    }
    return wire(request, done, late);
  };
}

/** True when a POST to the URL creates an order. A query, which such requests do not have, is ignored. */
function createsOrder(url: string): boolean {
  const queryStart = url.indexOf('?');
  const path = queryStart < 0 ? url : url.slice(0, queryStart);
  return CREATE_PATHS.some((createPath) => path.endsWith(createPath));
}
