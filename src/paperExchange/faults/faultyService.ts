// The exchange behind an unreliable network: the same service, with the scheduled faults applied.

import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { Delays } from '../dialect/config.ts';
import type { ServiceRequest, ServiceResponse } from '../api/message.ts';
import type { Service } from '../service.ts';
import { type Fault, Faults, faultNumber, type Point } from './faults.ts';
import { misread } from './readFaults.ts';

/** What reaches the client. Null: the connection closes without a reply. */
export type Delivered = (ServiceResponse & { /** Only this many bytes of the body arrive. */ readonly cutAt?: number }) | null;

export class FaultyService {
  readonly service: Service;
  readonly faults: Faults;
  /** Requests and replies that a fault is holding back. */
  delayed = 0;

  constructor(service: Service, faults = new Faults()) {
    this.service = service;
    this.faults = faults;
  }

  /** Handles a request at `nowMs`. `deliver` is called once, within this call unless a fault delays it. */
  receive(request: ServiceRequest, nowMs: number, deliver: (response: Delivered) => void): void {
    const { service, faults } = this;
    if (faults.active === 0) return deliver(service.handle(request, nowMs));
    service.advance(nowMs);
    const op = service.opOf(request);
    const wrong = faults.at(op);
    const stall = wrong.get('PROC.stall');
    if (stall !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, faultNumber(stall, 'ms'));
    if (wrong.has('NET.reqDrop')) return deliver(null);
    this.#schedule(faultNumber(wrong.get('NET.reqDelay'), 'ms'), () => {
      if (wrong.has('NET.dup')) this.#handle(request, op, wrong);
      const response = delivered(this.#handle(request, op, wrong), wrong);
      this.#schedule(faultNumber(wrong.get('NET.respDelay'), 'ms'), () => deliver(response));
    });
  }

  #handle(request: ServiceRequest, op: Op | null, wrong: ReadonlyMap<Point, Fault>): ServiceResponse {
    const { service } = this;
    const market = op === null ? 'spot' : endpointOf(op).market;
    const fault = wrong.get('GW.code');
    if (fault) return service.error(faultNumber(fault, 'code'), market);
    const unknown = wrong.get('BUS.unknown');
    if (unknown && faultNumber(unknown, 'executed') === 0) return this.#unknown(unknown, request);
    const side = service.sides[market];
    const lag = wrong.get('READ.lag');
    if (lag !== undefined) side?.holdReads(faultNumber(lag, 'ms'));
    const response = misread(this.#delayed(request, side, wrong), wrong);
    return unknown && response.status === 200 ? this.#unknown(unknown, request) : response;
  }

  /** Handles a request while the delays of its market are replaced by those of the faults. */
  #delayed(request: ServiceRequest, side: { delays: Delays } | null, wrong: ReadonlyMap<Point, Fault>): ServiceResponse {
    const { service } = this;
    const [admission, cancel] = [wrong.get('BUS.delay'), wrong.get('BUS.cancelDelay')];
    if (side === null) return service.handle(request, service.nowMs);
    const usual = side.delays;
    side.delays = {
      ...usual,
      ...(admission ? { admissionMs: faultNumber(admission, 'ms') } : {}),
      ...(cancel ? { cancelMs: faultNumber(cancel, 'ms') } : {}),
    };
    const response = service.handle(request, service.nowMs);
    side.delays = usual;
    return response;
  }

  #unknown(fault: Fault, request: ServiceRequest): ServiceResponse {
    const code = faultNumber(fault, 'code');
    if (code === 504) return { status: 504, headers: {}, body: '' };
    const op = this.service.opOf(request);
    return this.service.error(code, op === null ? 'spot' : endpointOf(op).market);
  }

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
function delivered(response: ServiceResponse, wrong: ReadonlyMap<Point, Fault>): Delivered {
  if (wrong.has('NET.respDrop')) return null;
  const [replaced, cut] = [wrong.get('NET.replace'), wrong.get('NET.truncate')];
  const given = replaced ? { status: faultNumber(replaced, 'status'), headers: {}, body: String(replaced.params['body']) } : response;
  return cut ? { ...given, cutAt: faultNumber(cut, 'bytes') } : given;
}
