// The request pipeline: steps 1 to 12 of the order of checks. It turns a request into a call with valid parameters, or into an error.

import { InvariantError } from '../../../base/errors.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import { endpointOf, OPS, type Op } from '../../../protocol/endpoints/endpoints.ts';
import type { Param, Params } from '../../../protocol/endpoints/endpoint.ts';
import { choiceParam } from '../../../protocol/endpoints/params.ts';
import type { CallArgs, Caller } from '../call.ts';
import type { ServiceConfig } from '../../dialect/config.ts';
import { Bans } from '../../limits/bans.ts';
import { RateLimits } from '../../limits/rateLimits.ts';
import type { ServiceRequest } from '../message.ts';
import type { Profile } from '../../dialect/switches.ts';
import {
  checkParams,
  type CheckedParams,
  type ParamPlan,
  paramPlanOf,
  type ParamRules,
  codeOfUnknownNames,
} from '../params/checkParams.ts';
import type { SentValues } from '../params/readParams.ts';
import { Addresses, plainAddress } from './addresses.ts';
import { CHECKS, SIGNED_HEADERS, isSigned, type AuthDeps } from './authenticate.ts';
import { Keyring } from './keyring.ts';
import { ReplayGuard } from './replayGuard.ts';
import { marketOfPath, Routes, type Route } from './routes.ts';
import { RequestContext } from './requestContext.ts';

/** A request that a check has rejected. */
export interface RejectedRequest {
  readonly kind: 'stop';
  readonly market: Market;
  readonly code: number;
  /** True when the address is banned: HTTP 418. */
  readonly isBanned: boolean;
  /** Ms after which the client may retry; null: not stated. */
  readonly retryMs: number | null;
}

/** A request for a path that no operation has. */
export interface UnknownPath {
  readonly kind: 'unknownPath';
  readonly path: string;
}

/** A request that passed every check. */
export interface AcceptedRequest {
  readonly kind: 'passed';
  readonly route: Route;
  /** Null for a public call. */
  readonly caller: Caller | null;
  readonly args: CallArgs;
}

/** What the pipeline needs to know about the markets. */
export interface Directory {
  /** Finds an instrument by its wire name, in upper case. */
  readonly instrumentNamed: (market: Market, name: string) => Instrument | undefined;
  readonly isInterval: (market: Market, name: string) => boolean;
}

/** How the parameters of an operation are checked. Built once for each operation. */
interface OpCheck {
  readonly plan: ParamPlan;
  readonly inQuery: ParamRules;
  readonly inBody: ParamRules;
}

/** Runs the checks of one exchange. It holds the keys, rate limits and bans. */
export class RequestPipeline {
  readonly #authDeps: AuthDeps;
  readonly #routes: Routes;
  readonly #limits: RateLimits;
  readonly #bans: Bans;
  readonly #checks: ReadonlyMap<Op, OpCheck>;

  constructor(config: ServiceConfig, directory: Directory) {
    const { profile } = config;
    this.#authDeps = {
      keyring: new Keyring(config.accounts),
      denied: new Addresses(config.denyIps, 'denyIps'),
      replays: new ReplayGuard(),
      profile,
    };
    this.#routes = new Routes(profile, config.off);
    this.#limits = new RateLimits(config.limits);
    this.#bans = new Bans(profile.banAfter, profile.banMs);
    this.#checks = new Map(OPS.map((op) => [op, checkOf(op, profile, directory)]));
  }

  /** Checks a request. It throws for no content of the request. */
  run(request: ServiceRequest, nowMs: number): AcceptedRequest | RejectedRequest | UnknownPath {
    const { profile } = this.#authDeps;
    const queryStart = request.target.indexOf('?');
    const path = queryStart < 0 ? request.target : request.target.slice(0, queryStart);
    const market = marketOfPath(path);
    const stop = (code: number): RejectedRequest => ({ kind: 'stop', market, code, isBanned: false, retryMs: null });

    const bannedMs = this.#bans.remainingBanMs(plainAddress(request.ip), nowMs);
    if (bannedMs > 0) return { kind: 'stop', market, code: VENUE_CODES.tooManyRequests.code, isBanned: true, retryMs: bannedMs };
    const route = this.#routes.find(request.method, path);
    if (route === 'unknown') return { kind: 'unknownPath', path };
    if (route === 'notServed') return stop(VENUE_CODES.unsupportedOperation.code);
    if ((profile.contentType === 'all' || request.method !== 'GET') && !isJson(request)) return stop(VENUE_CODES.noContentType.code);

    const context = new RequestContext(request, route, queryStart, nowMs);
    const isPublic = route.endpoint.security === 'NONE';
    const refusalCode = isPublic ? this.#checkPublic(context) : this.#authenticate(context);
    const waitMs = this.#limits.isLimited(route.endpoint) ? this.#admit(context, refusalCode) : null;
    if (waitMs !== null) {
      this.#bans.countRefusal(plainAddress(request.ip), nowMs);
      return { kind: 'stop', market, code: VENUE_CODES.tooManyRequests.code, isBanned: false, retryMs: waitMs };
    }
    if (refusalCode !== 0) return stop(refusalCode);

    const caller = isPublic || context.key === null ? null : { account: context.key.account, uid: context.key.uid };
    const sentOrCode = context.sentOrCode;
    if ('code' in sentOrCode) return stop(sentOrCode.code);
    const checked = this.#check(route, sentOrCode.sent, request.method);
    if ('code' in checked) return stop(checked.code);
    return { kind: 'passed', route, caller, args: checked.args };
  }

  /** Returns the operation of a request; null if no operation is served there. */
  opOf({ method, target }: ServiceRequest): Op | null {
    const match = this.#routes.find(method, target.split('?', 1)[0] ?? '');
    return typeof match === 'string' ? null : match.op;
  }

  /** Returns null if the rate limits allow the request, else the ms after which they will. */
  #admit(context: RequestContext, refusalCode: number): number | null {
    const { request, route, key, nowMs } = context;
    const subject = refusalCode === 0 && key !== null ? `key ${key.apiKey}` : `ip ${plainAddress(request.ip)}`;
    const countsElements = refusalCode === 0 && this.#authDeps.profile.batchWeight === 'elements';
    return this.#limits.admit(route.endpoint, subject, countsElements ? context.weight : 1, nowMs);
  }

  /** Runs the checks of steps 4 to 9. Returns 0 or the code of the first check that failed. */
  #authenticate(context: RequestContext): number {
    for (const check of CHECKS) {
      const code = check.code(context, this.#authDeps);
      if (code !== 0) return code;
    }
    return 0;
  }

  /** Checks a public call. Only the deny list can reject it. With valid credentials the call counts against the key's limits. */
  #checkPublic(context: RequestContext): number {
    const { headers, ip } = context.request;
    if (this.#authDeps.denied.has(ip)) return VENUE_CODES.illegalIp.code;
    const key = this.#authDeps.keyring.find(headers[SIGNED_HEADERS.key] ?? '');
    const isRight = (headers[SIGNED_HEADERS.signature] ?? '') === '' || isSigned(context, key, this.#authDeps.profile);
    if (isRight) context.key = key;
    return 0;
  }

  /** Steps 11 and 12 of the order of checks. */
  #check({ op }: Route, sent: SentValues, method: string): CheckedParams {
    const check = this.#checks.get(op);
    if (check === undefined) throw new InvariantError(`${op} has no check of its parameters`);
    const code = codeOfUnknownNames(check.plan, sent, this.#authDeps.profile);
    if (code !== 0) return { code };
    return checkParams(check.plan, sent, method === 'GET' ? check.inQuery : check.inBody);
  }
}

/** Builds the parameter check of an operation. */
function checkOf(op: Op, profile: Profile, { instrumentNamed, isInterval }: Directory): OpCheck {
  const { market, effect } = endpointOf(op);
  const common = {
    profile,
    market,
    acceptsAnyCase: effect === 'create' || effect === 'test',
    acceptsAnyId: op === 'spot.queryOrder',
    instrumentNamed: (name: string) => instrumentNamed(market, name),
    isInterval: (name: string) => isInterval(market, name),
  };
  return { plan: paramPlanOf(paramsOf(op, profile)), inQuery: { ...common, place: 'query' }, inBody: { ...common, place: 'body' } };
}

/**
 * The parameters of an operation under the switches of a profile. Switches change which parameters exist, their names, whether they are
 * required, and their limits.
 */
function paramsOf(op: Op, profile: Profile): Params {
  const entries = Object.entries<Param>(endpointOf(op).params);
  const params = Object.fromEntries(entries.filter(([, param]) => param.kind !== 'time' || profile.klinesRange === 'startEnd'));
  return PARAMS_BY_SWITCH[op]?.(params, profile) ?? params;
}

const TIME_PARAM = { kind: 'time', need: 'optional', help: 'Unix ms; both or none' } as const satisfies Param;

/** For each operation that switches change: returns its parameters under a profile. */
const PARAMS_BY_SWITCH: Readonly<Partial<Record<Op, (params: Params, profile: Profile) => Params>>> = {
  'spot.batchCancel': (params, { batchCancelField }) => {
    if (batchCancelField === 'both') return params;
    const namedParams = Object.entries(params).map(([name, param]): [string, Param] =>
      param.kind === 'ids' ? [batchCancelField, { ...param, otherNames: [] }] : [name, param],
    );
    return Object.fromEntries(namedParams);
  },
  'futures.createOrder': (params, { positionTypeRequired, marketOpenUnit }) => ({
    ...(positionTypeRequired === 'yes' ? withPositionType(params) : params),
    ...(marketOpenUnit === 'v101' ? { orderUnit: choiceParam([1, 2, 3], 'optional', '1 coin, 2 contracts, 3 value') } : {}),
  }),
  'futures.createConditionOrder': (params, { conditionRequired }) => (conditionRequired === 'all' ? withPositionType(params) : params),
  // Accepted from every client: other clients of this API family send them (exchange dialect, row 27).
  'futures.profitHistory': (params) => ({ ...params, startTime: TIME_PARAM, endTime: TIME_PARAM }),
  'futures.orderHistory': (params, { historyMax }) => {
    const { limit } = params;
    return limit?.kind === 'integer' ? { ...params, limit: { ...limit, max: Number(historyMax) } } : params;
  },
};

/** Returns the parameters with `positionType` required. */
function withPositionType(params: Params): Params {
  const { positionType } = params;
  return positionType === undefined ? params : { ...params, positionType: { ...positionType, need: 'required' } };
}

const isJson = ({ headers }: ServiceRequest): boolean => /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
