// Handles requests on the control port: faults, the clock, the true state and the crash of the exchange (order safety, section 14).

import { toScaled } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import type { ServiceConfig } from '../dialect/config.ts';
import { wirePriceText } from '../handlers/reads.ts';
import type { BarMatching } from '../replayed/barMatching.ts';
import type { ServiceRequest, ServiceResponse } from '../api/message.ts';
import type { FaultyService } from './faultyService.ts';
import { ordersOfMarkets, truthOfMarkets } from './truth.ts';

/** The clock of the exchange, as the control port sees and drives it. */
export interface DrivenClock {
  /** Ms UTC. */
  nowMs(): number;
  /** Advances the time by `ms` at once. */
  step(ms: number): void;
  pause(isPaused: boolean): void;
  /** Sets the ms of exchange time per ms of wall-clock time, above 0. */
  setSpeed(speed: number): void;
}

/** What the control port acts on. */
export interface FaultControlDeps {
  readonly exchange: FaultyService;
  readonly config: ServiceConfig;
  readonly clock: DrivenClock;
  /** Ends the process without writing anything. */
  readonly crash: () => void;
  /** Ends the process at the n-th write of the exchange store from now on. Null: the exchange has no store. */
  readonly crashAt: ((record: number) => void) | null;
}

const CLOCK = 'POST /clock';

/**
 * Answers a request on the control port. A long clock step yields after each part, so that the process can serve other requests meanwhile.
 */
export function* answerControlRequest(request: ServiceRequest, deps: FaultControlDeps): Generator<void, ServiceResponse, void> {
  // A page in a local browser could send such requests, but the browser always adds an origin header.
  if (request.headers['origin'] !== undefined) return json(403, { error: 'the control port is not for web pages' });
  try {
    const name = `${request.method} ${request.target}`;
    if (name === CLOCK) return json(200, yield* moveClock(bodyOf(request), deps));
    const handler = ROUTES[name];
    if (!handler) return json(404, { error: `no such call; calls: ${[CLOCK, ...Object.keys(ROUTES)].join(', ')}` });
    return json(200, handler(bodyOf(request), deps));
  } catch (error) {
    if (error instanceof ConfigError) return json(400, { error: error.message, remedy: error.remedy });
    throw error;
  }
}

type Body = Readonly<Record<string, unknown>>;

const ROUTES: Readonly<Record<string, (body: Body, deps: FaultControlDeps) => unknown>> = {
  'POST /faults': (body, { exchange: { faults } }) => {
    const { seed = 0, schedule = [] } = checkNames(body, ['seed', 'schedule']);
    if (!Number.isSafeInteger(seed) || !Array.isArray(schedule))
      throw new ConfigError('expected { seed, schedule }', 'seed is a whole number');
    faults.setSchedule({ seed: Number(seed), schedule });
    return { active: faults.rowCount };
  },
  'POST /rows': (body, deps) => driveRows(body, deps),
  'GET /truth': (_, deps) => truthOf(deps),
  'GET /truth/orders': (_, { exchange: { service }, config }) => ({ orders: ordersOfMarkets(service, config) }),
  'POST /crash': (body, { crash, crashAt }) => {
    const { at: crashTime } = checkNames(body, ['at']);
    if (crashTime === 'now') crash();
    else crashAtRecord(crashTime, crashAt);
    return {};
  },
};

/** Beyond these values the exchange would never finish the work, or report invalid times. */
const MAX_SPEED = 10_000;
const MAX_CLOCK_STEP_MS = 366 * 86_400_000;
/** A longer step is done in parts of this length. A synthetic market needs about one second for 90 minutes of its time. */
const PART_MS = 30 * 60_000;

/** Steps, jumps, pauses or scales the clock. Returns the time that the exchange reports afterwards, ms UTC. */
function* moveClock(body: Body, { exchange: { service }, clock }: FaultControlDeps): Generator<void, { readonly now: number }, void> {
  const { stepMs, jumpMs, pause, speed } = checkNames(body, ['stepMs', 'jumpMs', 'pause', 'speed']);
  const names = Object.keys(body);
  if (names.length > 1)
    throw new ConfigError(`expected one of stepMs, jumpMs, pause and speed, got ${names.join(', ')}`, 'send one request for each');
  const isWithinLimit = (ms: unknown, min: number): ms is number =>
    Number.isInteger(ms) && Number(ms) >= min && Number(ms) <= MAX_CLOCK_STEP_MS;
  service.barMatching?.matchWholeRows();
  if (isWithinLimit(stepMs, 0)) {
    let remainingMs = stepMs;
    for (; remainingMs > PART_MS; remainingMs -= PART_MS) {
      clock.step(PART_MS);
      service.advance(clock.nowMs());
      yield;
    }
    clock.step(remainingMs);
  } else if (isWithinLimit(jumpMs, -MAX_CLOCK_STEP_MS)) service.clockOffsetMs += jumpMs;
  else if (typeof pause === 'boolean') clock.pause(pause);
  else if (typeof speed === 'number' && speed > 0 && speed <= MAX_SPEED) clock.setSpeed(speed);
  else {
    throw new ConfigError(
      `expected one of stepMs and jumpMs (whole, up to a year), pause (true, false) and speed (above 0, up to ${MAX_SPEED})`,
      'for example { "stepMs": 60000 }',
    );
  }
  service.advance(clock.nowMs());
  return { now: service.nowMs + service.clockOffsetMs };
}

/** Schedules the crash at the n-th write of the store. Throws ConfigError for an invalid `recordNumber`. */
function crashAtRecord(recordNumber: unknown, crashAt: ((record: number) => void) | null): void {
  const record = typeof recordNumber === 'object' && recordNumber !== null && 'record' in recordNumber ? recordNumber.record : null;
  if (typeof record !== 'number' || !Number.isSafeInteger(record) || record < 1) {
    throw new ConfigError('at: expected "now" or { record: n }', 'n counts the writes of the exchange store from now on, starting at 1');
  }
  if (crashAt === null) throw new ConfigError('at: this exchange has no store', 'start it with --data DIR');
  crashAt(record);
}

/** Advances to the next act of closing rows, or sets the price at which MARKET orders trade in the current act. */
function driveRows(body: Body, { exchange: { service }, clock }: FaultControlDeps) {
  const { next, price } = checkNames(body, ['next', 'price']);
  const { barMatching } = service;
  if (barMatching === null)
    throw new ConfigError('no instrument of this exchange has match: bars', 'set match: bars for the prices of an instrument');
  if (next === true) {
    const act = nextAct(barMatching, () => {
      clock.step(Math.max(0, barMatching.nextMs - clock.nowMs()));
      service.advance(clock.nowMs());
    });
    service.advance(clock.nowMs());
    return { now: service.nowMs, ...act };
  }
  const { activeMarket } = barMatching;
  if (typeof price !== 'string' || activeMarket === null)
    throw new ConfigError('expected { next: true }, or { price } while a row is being matched', 'give the price as text, such as "100.5"');
  activeMarket.holdPrice(toScaled(price, activeMarket.market.instrument.priceDigits) ?? NaN);
  return { now: service.nowMs, act: activeMarket.stage?.act ?? null };
}

/** Matches the next act of a row, or of the next rows to close. Returns it with the bar's open, high and low; `over` after the last row. */
function nextAct(rows: BarMatching, toNextRows: () => void) {
  rows.matchByActs();
  let act = rows.next();
  if (act === null) {
    if (rows.nextMs === Infinity) return { act: 'over' };
    toNextRows();
    act = rows.next();
  }
  if (act === null || act.act === 'closed') return { act: 'closed' };
  const { market, series, row } = act.barMarket;
  const { instrument } = market;
  const { openMs, open, high, low } = series.bar(row);
  const priceText = (ticks: number): string => wirePriceText(instrument, ticks);
  const prices = { open: priceText(open), high: priceText(high), low: priceText(low) };
  return { act: act.act, market: instrument.market, symbol: instrument.wireName, openMs, closeMs: series.closeMs(row), ...prices };
}

/** Returns the true state of the exchange, and how many requests and replies a fault is holding back. */
function truthOf({ exchange: { service, heldCount }, config }: FaultControlDeps) {
  return { now: service.nowMs, held: heldCount, ...truthOfMarkets(service, config) };
}

/** Returns `body` if it has only known names. Throws ConfigError otherwise, because a misspelt name would be ignored silently. */
function checkNames(body: Body, names: readonly string[]): Body {
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown === undefined) return body;
  throw new ConfigError(`${unknown}: expected one of ${names.join(', ')}`, 'correct the name');
}

/** Parses the body of a request. An empty body counts as `{}`. Throws ConfigError if it is not a JSON object. */
function bodyOf({ body }: ServiceRequest): Body {
  if (body.length === 0) return {};
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError('expected a JSON object as the body', 'send an object such as { "stepMs": 60000 }');
}

const json = (status: number, body: unknown): ServiceResponse => ({ status, headers: {}, body: JSON.stringify(body) });
