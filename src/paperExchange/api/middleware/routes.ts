// Routes a request to its operation by method and path: step 2 of the order of checks. Switches of the profile change the paths.

import type { Market } from '../../../model/instrument.ts';
import type { Endpoint } from '../../../protocol/endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../../../protocol/endpoints/endpoints.ts';
import type { Profile } from '../../dialect/switches.ts';

/** An operation and its endpoint. */
export interface Route {
  readonly op: Op;
  readonly endpoint: Endpoint;
}

/** The result of a lookup: an operation for this method, a known path that is not served (-1020), or an unknown path. */
export type RouteMatch = Route | 'notServed' | 'unknown';

/** The paths and methods that an exchange serves under its profile. */
export class Routes {
  readonly #byPath = new Map<string, Map<string, Route>>();

  /** Operations that are switched off answer -1020. */
  constructor(profile: Profile, switchedOff: readonly Op[]) {
    for (const op of OPS) {
      const endpoint = endpointOf(op);
      for (const path of pathsOf(op, endpoint, profile)) {
        const methods = this.#byPath.get(path) ?? new Map<string, Route>();
        this.#byPath.set(path, methods);
        if (switchedOff.includes(op) || (op === 'futures.positions' && profile.positionsEndpoint === 'off')) continue;
        for (const method of methodsOf(op, endpoint, profile)) methods.set(method, { op, endpoint });
      }
    }
  }

  /** Returns the operation that this method and path call. */
  find(method: string, path: string): RouteMatch {
    const methods = this.#byPath.get(path);
    return methods === undefined ? 'unknown' : (methods.get(method) ?? 'notServed');
  }
}

/** Returns the paths under which an operation is reached. The profile may move some of them. */
function pathsOf(op: Op, endpoint: Endpoint, { conditionPath, cancelTriggerPath }: Profile): readonly string[] {
  if (op === 'futures.cancelTriggerOrder') return [cancelTriggerPath];
  if (op !== 'futures.createConditionOrder') return [endpoint.path];
  const withSlash = endpoint.path;
  const withoutSlash = endpoint.path.replace(/\/$/, '');
  return conditionPath === 'both' ? [withSlash, withoutSlash] : [conditionPath === 'slash' ? withSlash : withoutSlash];
}

/** Returns the HTTP methods of an operation. The profile decides for batches of orders. */
function methodsOf(op: Op, endpoint: Endpoint, { batchOrdersMethod }: Profile): readonly string[] {
  if (op !== 'spot.batchOrders') return [endpoint.method];
  return batchOrdersMethod === 'both' ? ['GET', 'POST'] : [batchOrdersMethod.toUpperCase()];
}

/** Returns the market whose error format answers a path. */
export const marketOfPath = (path: string): Market => (path.startsWith('/fapi/') || path.startsWith('/v1/') ? 'futures' : 'spot');
