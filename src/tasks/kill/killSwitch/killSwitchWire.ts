// A Wire through which no order leaves while the kill gate is closed; reads and cancels pass.

import type { LateReplyWire } from '../../../adapters/exchange/wire/lateReplyWire.ts';
import { endpointOf, OPS } from '../../../protocol/endpoints/endpoints.ts';
import type { KillSwitch } from './killSwitch.ts';

/** Every path, of every service that is known, whose POST makes an order. */
const CREATES: readonly string[] = OPS.map(endpointOf)
  .filter(({ effect }) => effect === 'create')
  .flatMap(({ path, otherPaths = [] }) => [path, ...otherPaths]);

/** `wire`, with every request that makes an order ended as not sent while `gate` is closed. A prefix before a path changes nothing. */
export function killSwitchWire(wire: LateReplyWire, guard: Pick<KillSwitch, 'isClosed'>): LateReplyWire {
  return (request, done, late) => {
    if (request.method === 'POST' && makesOrder(request.url) && guard.isClosed) {
      queueMicrotask(() => done({ kind: 'failed', cause: 'KILLED: no order leaves any more', bytesWritten: 0 }));
      return () => {};
    }
    return wire(request, done, late);
  };
}

/** Such a request has no query; whatever might stand behind its path is left off. */
function makesOrder(url: string): boolean {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  return CREATES.some((create) => path.endsWith(create));
}
