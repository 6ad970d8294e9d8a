// The control port as a function: faults, time, the truth and the end of the exchange (order safety, section 14).

import { ConfigError } from '../../base/errors.ts';
import type { ServiceConfig } from '../config.ts';
import type { ServiceRequest, ServiceResponse } from '../message.ts';
import type { FaultyService } from './faultyService.ts';
import { truthOfMarkets } from './truth.ts';

/** The clock of the exchange, as whoever drives it has it. */
export interface DrivenClock {
  /** Ms UTC. */
  nowMs(): number;
  /** Lets `ms` pass at once. */
  step(ms: number): void;
  pause(isPaused: boolean): void;
  /** Ms of the exchange in one of the wall clock, above 0. */
  setSpeed(speed: number): void;
}

export interface ControlParts {
  readonly exchange: FaultyService;
  readonly config: ServiceConfig;
  readonly clock: DrivenClock;
  /** Ends the process without writing anything. */
  readonly crash: () => void;
}

/** Answers a request on the control port. */
export function control(request: ServiceRequest, parts: ControlParts): ServiceResponse {
  // A page that somebody reads in a browser on this computer can send, but not without saying where it is from.
  if (request.headers['origin'] !== undefined) return json(403, { error: 'the control port is not for web pages' });
  try {
    const found = ROUTES[`${request.method} ${request.target}`];
    if (!found) return json(404, { error: `no such call; there is ${Object.keys(ROUTES).join(', ')}` });
    return json(200, found(bodyOf(request), parts));
  } catch (error) {
    if (error instanceof ConfigError) return json(400, { error: error.message, remedy: error.remedy });
    throw error;
  }
}

type Body = Readonly<Record<string, unknown>>;

const ROUTES: Readonly<Record<string, (body: Body, parts: ControlParts) => unknown>> = {
  'POST /faults': ({ seed = 0, schedule = [] }, { exchange: { faults } }) => {
    if (!Number.isSafeInteger(seed) || !Array.isArray(schedule))
      throw new ConfigError('expected { seed, schedule }', 'seed is a whole number');
    faults.set({ seed: Number(seed), schedule });
    return { active: faults.active };
  },
  'POST /clock': (body, parts) => {
    moveClock(body, parts);
    const { service } = parts.exchange;
    service.advance(parts.clock.nowMs());
    return { now: service.nowMs + service.clockOffsetMs };
  },
  'GET /truth': (_, parts) => truthOf(parts),
  'POST /crash': ({ at }, { crash }) => {
    if (at !== 'now') throw new ConfigError('at: expected now', 'the exchange keeps no journal yet');
    crash();
    return {};
  },
};

function moveClock(body: Body, { exchange: { service }, clock }: ControlParts): void {
  const { stepMs, jumpMs, pause, speed } = body;
  if (Number.isSafeInteger(stepMs) && Number(stepMs) >= 0) clock.step(Number(stepMs));
  else if (Number.isSafeInteger(jumpMs)) service.clockOffsetMs += Number(jumpMs);
  else if (typeof pause === 'boolean') clock.pause(pause);
  else if (typeof speed === 'number' && speed > 0 && Number.isFinite(speed)) clock.setSpeed(speed);
  else throw new ConfigError('expected one of stepMs, jumpMs, pause and speed', 'for example { "stepMs": 60000 }');
}

function truthOf({ exchange: { service, held }, config }: ControlParts) {
  return { now: service.nowMs, held, ...truthOfMarkets(service, config) };
}

function bodyOf({ body }: ServiceRequest): Body {
  if (body.length === 0) return {};
  try {
    const found: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof found === 'object' && found !== null) return { ...found };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError('expected a JSON object', 'send one');
}

const json = (status: number, body: unknown): ServiceResponse => ({ status, headers: {}, body: JSON.stringify(body) });
