// A Wire that sends no request that creates an order while the kill switch is closed. Reads and cancels pass.

import type { LateReplyWire } from '../../../adapters/exchange/wire/lateReplyWire.ts';
import { endpointOf, OPS } from '../../../protocol/endpoints/endpoints.ts';
import type { KillSwitch } from './killSwitch.ts';

/** Paths of all known services whose POST creates an order. */
const CREATES: readonly string[] = OPS.map(endpointOf)
  .filter(({ effect }) => effect === 'create')
  .flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths]);

/** Wraps `wire`: requests that create an order end as not sent while `killSwitch` is closed. A prefix before the path changes nothing. */
export function killSwitchWire(wire: LateReplyWire, killSwitch: Pick<KillSwitch, 'isClosed'>): LateReplyWire {
  return (request, done, late) => {
    if (request.method === 'POST' && makesOrder(request.url) && killSwitch.isClosed) {
      queueMicrotask(() => done({ kind: 'failed', cause: 'KILLED: no order leaves any more', bytesWritten: 0 }));
      return () => {};
    }
    return wire(request, done, late);
  };
}

/** Such a request has no query. If there is one, ignore it. */
function makesOrder(url: string): boolean {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  return CREATES.some((create) => path.endsWith(create));
}
