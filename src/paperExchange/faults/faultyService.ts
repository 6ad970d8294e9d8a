// The exchange behind an unreliable network: the same service, with the scheduled faults applied.

import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { Delays } from '../dialect/config.ts';
import type { ServiceRequest, ServiceResponse } from '../api/message.ts';
import type { Service } from '../service.ts';
import { type Fault, Faults, faultNumber, type Point } from './faults.ts';
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
  delayed = 0;

  constructor(service: Service, faults = new Faults()) {
    this.service = service;
    this.faults = faults;
  }

  /** Handles a request at `nowMs`. `deliver` is called once, within this call unless a fault delays it. */
  receive(request: ServiceRequest, nowMs: number, deliver: (response: DeliveredReply) => void): void {
    const { service, faults } = this;
    if (faults.active === 0) return deliver(service.handle(request, nowMs));
    service.advance(nowMs);
    const op = service.opOf(request);
    const active = faults.at(op);
    const stall = active.get('PROC.stall');
    if (stall !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, faultNumber(stall, 'ms'));
    if (active.has('NET.reqDrop')) return deliver(null);
    this.#schedule(faultNumber(active.get('NET.reqDelay'), 'ms'), () => {
      if (active.has('NET.dup')) this.#handle(request, op, active);
      const response = deliveredReply(this.#handle(request, op, active), active);
      this.#schedule(faultNumber(active.get('NET.respDelay'), 'ms'), () => deliver(response));
    });
  }

  /** Handles a request under faults of the gateway, the message bus and the reads. */
  #handle(request: ServiceRequest, op: Op | null, active: ReadonlyMap<Point, Fault>): ServiceResponse {
    const { service } = this;
    const market = op === null ? 'spot' : endpointOf(op).market;
    const fault = active.get('GW.code');
    if (fault) return service.error(faultNumber(fault, 'code'), market);
    const unknown = active.get('BUS.unknown');
    if (unknown && faultNumber(unknown, 'executed') === 0) return this.#unknownOutcome(unknown, request);
    const side = service.sides[market];
    const lag = active.get('READ.lag');
    if (lag !== undefined) side?.holdReads(faultNumber(lag, 'ms'));
    const response = corruptReply(this.#handleDelayed(request, side, active), active);
    return unknown && response.status === 200 ? this.#unknownOutcome(unknown, request) : response;
  }

  /** Handles a request while the delays of its market are replaced by those of the faults. */
  #handleDelayed(request: ServiceRequest, side: { delays: Delays } | null, active: ReadonlyMap<Point, Fault>): ServiceResponse {
    const { service } = this;
    const admission = active.get('BUS.delay');
    const cancel = active.get('BUS.cancelDelay');
    if (side === null) return service.handle(request, service.nowMs);
    const usualDelays = side.delays;
    side.delays = {
      ...usualDelays,
      ...(admission ? { admissionMs: faultNumber(admission, 'ms') } : {}),
      ...(cancel ? { cancelMs: faultNumber(cancel, 'ms') } : {}),
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

  /** Runs `run` after `ms`; at once for 0. */
  #schedule(ms: number, run: () => void): void {
    if (ms === 0) return run();
    this.delayed++;
    this.service.scheduler.at(this.service.nowMs + ms, () => {
      this.delayed--;
      run();
    });
  }
}

/** Returns the reply as it arrives at the client. */
function deliveredReply(response: ServiceResponse, active: ReadonlyMap<Point, Fault>): DeliveredReply {
  if (active.has('NET.respDrop')) return null;
  const replaced = active.get('NET.replace');
  const truncation = active.get('NET.truncate');
  const reply = replaced ? { status: faultNumber(replaced, 'status'), headers: {}, body: String(replaced.params['body']) } : response;
  return truncation ? { ...reply, cutAt: faultNumber(truncation, 'bytes') } : reply;
}
