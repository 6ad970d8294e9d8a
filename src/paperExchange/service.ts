// The trading service: a synchronous function from a request to its reply, over accounts, order books and a queue of due events.

import { timeMs } from '../base/brand.ts';
import { InvariantError } from '../base/errors.ts';
import type { Market } from '../model/instrument.ts';
import { VENUE_CODES } from '../model/venueCodes.ts';
import type { Scheduler } from '../ports/scheduler.ts';
import { errorAnswer, unknownPathJson } from '../protocol/errors/errorBody.ts';
import { endpointOf, OPS, type Op } from '../protocol/endpoints/endpoints.ts';
import { writeJson } from '../protocol/json/json.ts';
import { DueQueue } from '../ports/dueQueue.ts';
import { checkExchangeBooks } from './checkBooks.ts';
import type { Handlers } from './api/call.ts';
import { type AccountConfig, checkServiceConfig, type ServiceConfig } from './dialect/config.ts';
import { FuturesExchange } from './futures/futuresExchange.ts';
import { futuresPublic, isFuturesInterval } from './handlers/futuresPublic.ts';
import { futuresReads } from './handlers/futuresReads.ts';
import { futuresSettings } from './handlers/futuresSettings.ts';
import { futuresTrading } from './handlers/futuresTrading.ts';
import { RequestPipeline, type AcceptedRequest, type RejectedRequest } from './api/middleware/requestPipeline.ts';
import { marketOfPath } from './api/middleware/routes.ts';
import { type InternalError, messageOf } from './internalError.ts';
import type { TradedMarket } from './market/tradedMarket.ts';
import type { HandlerReply, ServiceRequest, ServiceResponse } from './api/message.ts';
import { ReplayedMarket } from './replayed/barMarket.ts';
import { BarMatching } from './replayed/barMatching.ts';
import { ReplayedSeries, type ReplayedRows } from './replayed/barSeries.ts';
import type { StoredRecordReader } from './records/rowStore.ts';
import type { ArchiveSource } from './orders/orderRows.ts';
import { SpotExchange } from './spot/spotExchange.ts';
import { isSpotInterval, spotPublic } from './handlers/spotPublic.ts';
import { spotReads } from './handlers/spotReads.ts';
import { spotTrading } from './handlers/spotTrading.ts';

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** Moves ended orders, trades and profit history from memory to storage. */
export interface Persistence {
  /** Called after each request and each advance of time, when something may have changed. */
  afterStep(): void;
}
/** The reader of an exchange that stores no rows. */
const NO_ARCHIVE: StoredRecordReader = {
  read: (_, storeOffset) => {
    throw new InvariantError(`row ${storeOffset} is archived, and nothing can read it without persistence`);
  },
};

/** One exchange: both sides, the request pipeline and the handlers. */
export class Service {
  /** Matching of the markets that replay bars; null: there are none. */
  barMatching: BarMatching | null = null;
  /** Each side is null if the exchange has no instruments of that market. */
  readonly sides: { readonly spot: SpotExchange | null; readonly futures: FuturesExchange | null };
  /** Reads orders and trades that are no longer in memory. */
  readonly archive: ArchiveSource;
  /** Null until `usePersistence` sets it. Until then everything stays in memory. */
  #persistence: Persistence | null = null;
  readonly #config: ServiceConfig;
  readonly #queue = new DueQueue();
  readonly #pipeline: RequestPipeline;
  readonly #handlers: Handlers;

  /** Starts the exchange at `startMs`. Throws ConfigError for an invalid config. */
  constructor(config: ServiceConfig, startMs: number) {
    checkServiceConfig(config);
    this.archive = { reader: NO_ARCHIVE };
    const { profile } = config;
    this.#config = config;
    this.#queue.runDue(startMs);
    const spot = hasMarket(config, 'spot') ? new SpotExchange(config, this.#queue, this.archive) : null;
    const futures = hasMarket(config, 'futures') ? new FuturesExchange(config, this.#queue, this.archive) : null;
    this.sides = { spot, futures };
    for (const account of config.accounts) {
      spot?.openAccount(account);
      futures?.openAccount(account);
    }
    this.#handlers = { ...handlersOfSpot(spot, config), ...handlersOfFutures(futures, config) };
    const missing = OPS.filter((op) => this.#handlers[op] === undefined);
    this.#pipeline = new RequestPipeline(
      { ...config, off: [...config.off, ...missing] },
      {
        instrumentNamed: (market, name) => this.sides[market]?.market(name)?.instrument,
        isInterval: (market, name) => (market === 'spot' ? isSpotInterval(name, profile) : isFuturesInterval(name, profile)),
      },
    );
  }

  /** The sides. Throw InvariantError if the exchange does not have them. */
  get spot(): SpotExchange {
    const { spot } = this.sides;
    if (spot === null) throw new InvariantError('this exchange has no spot instruments');
    return spot;
  }
  /** The futures side. Throws InvariantError if the exchange has no contracts. */
  get futures(): FuturesExchange {
    const { futures } = this.sides;
    if (futures === null) throw new InvariantError('this exchange has no futures contracts');
    return futures;
  }
  /** The accounts of the config. */
  get accounts(): readonly AccountConfig[] {
    return this.#config.accounts;
  }
  /** All traded markets, spot before futures. */
  get markets(): readonly TradedMarket[] {
    return [...(this.sides.spot?.markets ?? []), ...(this.sides.futures?.markets ?? [])];
  }

  /** Ms by which the clock for requests, which `serverTime` reports, is ahead of market time. */
  clockOffsetMs = 0;

  /**
   * Makes these markets replay bars, which are the counterparty of every order. Rows are matched at their close, by the rules of `fills`.
   */
  followRows(data: ReadonlyMap<TradedMarket, ReplayedRows>): void {
    const { rowGraceMs } = this.#config;
    const barMarkets = Array.from(data, ([market, rows]) => {
      const series = new ReplayedSeries(rows);
      const { interval } = series.bars;
      for (let row = 0; row < series.firstRow; row++) market.tape.klines.addClosedBar(interval, series.bar(row));
      return (market.barRows = new ReplayedMarket(
        market,
        this.sides[market.instrument.market]!.venue.book(market.instrument),
        series,
        rowGraceMs,
      ));
    });
    this.barMatching = new BarMatching(barMarkets, this.sides, this.#queue);
  }

  /** Scheduler on the exchange's own time, for example for price sources. */
  get scheduler(): Scheduler {
    return this.#queue;
  }

  /** Market time, ms UTC. */
  get nowMs(): number {
    return this.#queue.nowMs;
  }

  /** Sets the persistence and the reader of stored rows. Must be called before any order has ended. */
  usePersistence(persistence: Persistence, reader: StoredRecordReader): void {
    this.#persistence = persistence;
    this.archive.reader = reader;
  }

  /**
   * Receives internal errors; null: they are thrown. With a listener, the request that caused one is answered with -1000, and the exchange
   * continues while its books agree. If they do not agree, the state is frozen: every request is answered with -1000, and time stands
   * still.
   */
  onInternalError: ((error: InternalError) => void) | null = null;
  #isInDoubt = false;

  /** True when the books may be wrong after an internal error. The exchange must be restarted from its store. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /**
   * Advances time: runs everything due until `nowMs`, in order. Times must not decrease. `nowMs` is rounded down to a whole millisecond,
   * because every time in a reply is a whole number of milliseconds.
   */
  advance(nowMs: number): void {
    if (this.#isInDoubt) return;
    try {
      this.#queue.runDue(Math.max(Math.floor(nowMs), this.#queue.nowMs));
    } catch (error) {
      // An event was interrupted half-way, so the books may be wrong.
      return this.#reportDoubt('time', error, messageOf(error));
    }
    this.#persistence?.afterStep();
  }

  /** Freezes the exchange and reports the error. `doubt`: why the books may be wrong. */
  #reportDoubt(where: string, cause: unknown, doubt: string): void {
    const { onInternalError } = this;
    this.#isInDoubt = true;
    if (onInternalError === null) throw cause;
    onInternalError({ where, cause, doubt });
  }

  /** Returns the reply to a request that met an internal error. Reads change nothing; after other calls the books are audited. */
  #failedReply(request: ServiceRequest, cause: unknown): ServiceResponse {
    const { onInternalError } = this;
    if (onInternalError === null) throw cause;
    const op = this.opOf(request);
    const where = op ?? 'no operation';
    const doubt = op === null || endpointOf(op).effect === 'read' ? null : this.#auditProblem();
    if (doubt === null) onInternalError({ where, cause, doubt });
    else this.#reportDoubt(where, cause, doubt);
    return this.#unknownOutcome(request);
  }

  /** Audits the books. Returns the first disagreement; null if they agree. */
  #auditProblem(): string | null {
    try {
      checkExchangeBooks(this.sides);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Returns -1000: the exchange does not know what became of the request. */
  #unknownOutcome({ target }: ServiceRequest): ServiceResponse {
    return this.error(VENUE_CODES.unknown.code, marketOfPath(target));
  }

  /** Returns the operation of a request, without checking its sender; null if no operation is served there. */
  opOf(request: ServiceRequest): Op | null {
    return this.#pipeline.opOf(request);
  }

  /** Returns the reply to a request that arrives at `nowMs`. It never throws because of a request's content. */
  handle(request: ServiceRequest, nowMs: number): ServiceResponse {
    this.advance(nowMs);
    if (this.#isInDoubt) return this.#unknownOutcome(request);
    let response: ServiceResponse;
    try {
      response = this.#checkAndAnswer(request);
    } catch (error) {
      response = this.#failedReply(request, error);
    }
    // Effects without delay happen after this reply and before the next request.
    this.advance(this.nowMs);
    return this.#isInDoubt ? this.#unknownOutcome(request) : response;
  }

  /** Checks a request and has its handler answer it. */
  #checkAndAnswer(request: ServiceRequest): ServiceResponse {
    const passed = this.#pipeline.run(request, this.nowMs + this.clockOffsetMs);
    if (passed.kind === 'stop') return this.#stoppedReply(passed);
    if (passed.kind === 'unknownPath') return this.#unknownPath(passed.path);
    const reply = this.#callHandler(passed, request.headers);
    return 'code' in reply ? this.error(reply.code, passed.route.endpoint.market) : { status: 200, headers: NO_HEADERS, body: reply.body };
  }

  /** Calls the handler of an accepted request. */
  #callHandler({ route, args, caller }: AcceptedRequest, headers: ServiceRequest['headers']): HandlerReply {
    const handler = this.#handlers[route.op];
    if (handler === undefined) throw new InvariantError(`${route.op} was accepted without a handler`);
    const call = { args, nowMs: this.nowMs, clockMs: this.nowMs + this.clockOffsetMs, headers };
    if (handler.kind === 'public') return handler.answer(call);
    if (caller === null) throw new InvariantError(`${route.op} was accepted without a key`);
    return handler.answer({ ...call, caller });
  }

  /** Returns the reply to a request that a check has rejected. */
  #stoppedReply({ code, market, isBanned, retryMs }: RejectedRequest): ServiceResponse {
    const answer = this.error(code, market, isBanned);
    if (retryMs === null || this.#config.profile.retryAfter === 'off') return answer;
    return { ...answer, headers: { 'Retry-After': String(Math.ceil(retryMs / 1000)) } };
  }

  /** Returns an error reply with this code. */
  error(code: number, market: Market, isBanned = false): ServiceResponse {
    const { status, body } = errorAnswer(code, market, this.#config.profile, isBanned);
    return { status, headers: NO_HEADERS, body: writeJson(body) };
  }

  /** Returns the reply to a request for an unknown path. */
  #unknownPath(path: string): ServiceResponse {
    if (this.#config.profile.unknownPath === 'http404') {
      return { status: 404, headers: NO_HEADERS, body: writeJson(unknownPathJson(path, timeMs(this.nowMs))) };
    }
    return { ...this.error(VENUE_CODES.noKeyHeader.code, 'spot'), status: 200 };
  }
}

/** True when the exchange has instruments of a market. */
const hasMarket = ({ instruments }: ServiceConfig, market: Market): boolean =>
  instruments.some((instrument) => instrument.market === market);

/** Returns the handlers of the spot calls; none without a spot side. */
function handlersOfSpot(spot: SpotExchange | null, { profile, timezone }: ServiceConfig): Handlers {
  return spot === null ? {} : { ...spotPublic(spot, profile, timezone), ...spotTrading(spot, profile), ...spotReads(spot, profile) };
}

/** Returns the handlers of the futures calls; none without a futures side. */
function handlersOfFutures(futures: FuturesExchange | null, { profile, timezone }: ServiceConfig): Handlers {
  if (futures === null) return {};
  return {
    ...futuresPublic(futures, profile, timezone),
    ...futuresTrading(futures, profile),
    ...futuresReads(futures, profile),
    ...futuresSettings(futures, profile),
  };
}
