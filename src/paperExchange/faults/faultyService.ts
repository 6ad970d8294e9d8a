// The exchange behind an unreliable network: the same service, with the scheduled faults applied.

import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { Delays } from '../dialect/config.ts';
import type { ServiceRequest, ServiceResponse } from '../api/message.ts';
import type { Service } from '../service.ts';
import { type Fault, Faults, faultNumber, type FaultPoint } from './faults.ts';
import { corruptReply } from './readFaults.ts';

/** The reply that reaches the client. Null: the connection closes without a reply. */
export type DeliveredReply = (ServiceResponse & { /** Bytes of the body that arrive. Absent: all. */ readonly cutAt?: number }) | null;

/** Passes requests to the service, and loses, delays, repeats or alters them and their replies. */
export class FaultyService {
  /** The service behind the faults. */
  readonly service: Service;
  /** The schedule of the faults. */
  readonly faults: Faults;
  /** Requests and replies that a fault is holding back. */
  heldCount = 0;

  constructor(service: Service, faults = new Faults()) {
    this.service = service;
    this.faults = faults;
  }

  /** Handles a request at `nowMs`. `deliver` is called once, within this call unless a fault delays it. */
  receive(request: ServiceRequest, nowMs: number, deliver: (response: DeliveredReply) => void): void {
    const { service, faults } = this;
    if (faults.rowCount === 0) return deliver(service.handle(request, nowMs));
    service.advance(nowMs);
    const op = service.opOf(request);
    const activeFaults = faults.faultsOfRequest(op);
    const stallFault = activeFaults.get('PROC.stall');
    if (stallFault !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, faultNumber(stallFault, 'ms'));
    if (activeFaults.has('NET.reqDrop')) return deliver(null);
    this.#schedule(faultNumber(activeFaults.get('NET.reqDelay'), 'ms'), () => {
      if (activeFaults.has('NET.dup')) this.#handle(request, op, activeFaults);
      const response = deliveredReply(this.#handle(request, op, activeFaults), activeFaults);
      this.#schedule(faultNumber(activeFaults.get('NET.respDelay'), 'ms'), () => deliver(response));
    });
  }

  /** Handles a request under faults of the gateway, the message bus and the reads. */
  #handle(request: ServiceRequest, op: Op | null, activeFaults: ReadonlyMap<FaultPoint, Fault>): ServiceResponse {
    const { service } = this;
    const market = op === null ? 'spot' : endpointOf(op).market;
    const fault = activeFaults.get('GW.code');
    if (fault) return service.error(faultNumber(fault, 'code'), market);
    const unknownFault = activeFaults.get('BUS.unknown');
    if (unknownFault && faultNumber(unknownFault, 'executed') === 0) return this.#unknownOutcome(unknownFault, request);
    const side = service.sides[market];
    const lagFault = activeFaults.get('READ.lag');
    if (lagFault !== undefined) side?.holdReads(faultNumber(lagFault, 'ms'));
    const response = corruptReply(this.#handleDelayed(request, side, activeFaults), activeFaults);
    return unknownFault && response.status === 200 ? this.#unknownOutcome(unknownFault, request) : response;
  }

  /** Handles a request while the delays of its market are replaced by those of the faults. */
  #handleDelayed(request: ServiceRequest, side: { delays: Delays } | null, activeFaults: ReadonlyMap<FaultPoint, Fault>): ServiceResponse {
    const { service } = this;
    const admissionFault = activeFaults.get('BUS.delay');
    const cancelFault = activeFaults.get('BUS.cancelDelay');
    if (side === null) return service.handle(request, service.nowMs);
    const usualDelays = side.delays;
    side.delays = {
      ...usualDelays,
      ...(admissionFault ? { admissionMs: faultNumber(admissionFault, 'ms') } : {}),
      ...(cancelFault ? { cancelMs: faultNumber(cancelFault, 'ms') } : {}),
    };
    const response = service.handle(request, service.nowMs);
    side.delays = usualDelays;
    return response;
  }

  /** Returns the reply that leaves the outcome of a request unknown. */
  #unknownOutcome(fault: Fault, request: ServiceRequest): ServiceResponse {
    const code = faultNumber(fault, 'code');
    if (code === 504) return { status: 504, headers: {}, body: '' };
    const op = this.service.opOf(request);
    return this.service.error(code, op === null ? 'spot' : endpointOf(op).market);
  }

  /** Performs an action after `ms`; at once for 0. */
  #schedule(ms: number, action: () => void): void {
    if (ms === 0) return action();
    this.heldCount++;
    this.service.scheduler.at(this.service.nowMs + ms, () => {
      this.heldCount--;
      action();
    });
  }
}

/** Returns the reply as it arrives at the client. */
function deliveredReply(response: ServiceResponse, activeFaults: ReadonlyMap<FaultPoint, Fault>): DeliveredReply {
  if (activeFaults.has('NET.respDrop')) return null;
  const replaceFault = activeFaults.get('NET.replace');
  const truncateFault = activeFaults.get('NET.truncate');
  const reply = replaceFault
    ? { status: faultNumber(replaceFault, 'status'), headers: {}, body: String(replaceFault.params['body']) }
    : response;
  return truncateFault ? { ...reply, cutAt: faultNumber(truncateFault, 'bytes') } : reply;
}
