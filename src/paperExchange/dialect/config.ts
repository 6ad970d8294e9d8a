// The config of a paper exchange: instruments, accounts with their keys, limits and delays. Also the checks of such a config.

import { toScaled } from '../../base/number/decimal.ts';
import { isPlainDecimal, scaleDown } from '../../base/number/decimalText.ts';
import { ConfigError } from '../../base/errors.ts';
import { MAX_EXACT, type Rounding } from '../../base/number/exact.ts';
import type { Instrument, InstrumentId, Market } from '../../model/instrument.ts';
import { settledFills } from '../../definition/text/fills.ts';
import { endpointOf, isOp, OPS, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { ContractSetting } from '../../venue/futures/wallets.ts';
import { fillTerms, type FillTerms, type InstrumentState, type VenueState } from '../../venue/venueConfig.ts';
import type { Profile } from './switches.ts';
import type { HeartbeatTimes } from './heartbeat.ts';

/** One API key of an account. */
export interface KeyConfig {
  /** Both are case-sensitive. */
  readonly apiKey: string;
  readonly secret: string;
  readonly permissions: {
    readonly read: boolean;
    readonly trade: boolean;
    readonly markets: readonly Market[];
  };
  /** Addresses from which the key may be used: IPv4, IPv6, or IPv4 networks such as 10.0.0.0/8. Null: any address. */
  readonly ips: readonly string[] | null;
}

/** One account of the exchange, with its keys and opening balances. */
export interface AccountConfig {
  readonly name: string;
  /** Digits only. */
  readonly uid: string;
  /** Spot balances by asset, as plain decimals. */
  readonly balances: Readonly<Record<string, string>>;
  /** Futures account. Without it the account has no futures balances and the default settings. */
  readonly futures?: FuturesAccountConfig;
  /** Maximum number of unfinished orders on one market, instead of the limit for all accounts. */
  readonly maxOpenOrders?: number;
  readonly keys: readonly KeyConfig[];
  /** The account is closed: every signed call is answered with -1004. */
  readonly closed?: boolean;
  /** The account may not place orders: code 35. */
  readonly restricted?: boolean;
}

/** The futures side of an account. */
export interface FuturesAccountConfig {
  /** Balances by settlement asset, as plain decimals. */
  readonly balances: Readonly<Record<string, string>>;
  /** Initial settings on every contract. Leverage is capped at what the contract allows. */
  readonly settings?: Partial<Readonly<ContractSetting>>;
}

/** How often calls of one rate class may be made. Null: no limit. */
export interface LimitConfig {
  readonly count: number;
  readonly windowMs: number;
}

/** Internal delays of the exchange, in ms. */
export interface Delays {
  /** From the reply to a create request to the matching of the order. */
  readonly admissionMs: number;
  /** From a change of an order until reads show it. */
  readonly visibilityMs: number;
  /** From the reply to a cancel request to the end of the order. */
  readonly cancelMs: number;
}

/** The delays that a config file may name. */
export const DELAYS = {
  zero: { admissionMs: 0, visibilityMs: 0, cancelMs: 0 },
  realistic: { admissionMs: 20, visibilityMs: 120, cancelMs: 60 },
} as const satisfies Readonly<Record<string, Delays>>;

/** The whole config of a paper exchange. */
export interface ServiceConfig {
  readonly instruments: readonly Instrument[];
  readonly accounts: readonly AccountConfig[];
  readonly profile: Profile;
  readonly delays: Delays;
  /** Limits by rate class (docs/paper-exchange.md), in place of the specification's. */
  readonly limits: Readonly<Record<string, LimitConfig | null>>;
  /** Addresses that are rejected with -2200. */
  readonly denyIps: readonly string[];
  /** Operations that are switched off: -1020. */
  readonly off: readonly Op[];
  readonly states: Readonly<Record<InstrumentId, InstrumentState>>;
  readonly feeRounding: Rounding;
  /** Fill rules for markets that replay bars. They do not apply where orders match each other. */
  readonly fills: FillTerms;
  /**
   * An order that arrives at most this long after the open of a row counts as present at its open. It gives clients time to react to the
   * bar before. Ms.
   */
  readonly rowGraceMs: number;
  /** Maximum number of unfinished orders of one account on one market. The next order is refused with -1015. */
  readonly maxOpenOrders: number;
  /** Maximum number of orders of one account on one instrument that rest or await admission. The next LIMIT order is refused with -1015. */
  readonly maxOpenOrdersPerSymbol: number;
  /** Maximum number of waiting futures trigger orders of one account. The next one is refused with -1015. */
  readonly maxTriggers: number;
  /** Fee taken from the remaining margin of a liquidated position, in millionths of its value. */
  readonly liquidationFeePpm: number;
  /** Funding rate of each period, whole in 10^-12 of the value. A contract that is not listed gets seeded rates. */
  readonly fundingRates: Readonly<Record<InstrumentId, number>>;
  readonly fundingSeed: number;
  /** Heartbeat of the WebSocket. */
  readonly heartbeat: HeartbeatTimes;
  /** Time zone name in the reply to the time call. */
  readonly timezone: string;
}

/** Defaults of a config. */
export const SERVICE_DEFAULTS = {
  delays: DELAYS.zero,
  limits: {},
  denyIps: [],
  off: [],
  states: {},
  feeRounding: 'halfUp',
  fills: fillTerms(settledFills()),
  maxOpenOrders: 100_000,
  maxOpenOrdersPerSymbol: 200,
  rowGraceMs: 0,
  maxTriggers: 1000,
  liquidationFeePpm: 5000,
  fundingRates: {},
  fundingSeed: 1,
  heartbeat: { everyMs: 10_000, pongTimeoutMs: 30_000 },
  timezone: 'UTC',
} as const satisfies Partial<ServiceConfig>;

/** Returns the states of a market's instruments and the restricted accounts, for its venue. */
export function statesOf({ instruments, states, accounts }: ServiceConfig, market: Market): VenueState {
  const ids = instruments.filter((instrument) => instrument.market === market).map(({ id }) => id);
  return {
    instruments: Object.fromEntries(ids.map((id) => [id, states[id] ?? {}])),
    restrictedAccounts: accounts.filter(({ restricted }) => restricted === true).map(({ name }) => name),
  };
}

/** Reads the initial balances of accounts. Each amount, and the total of each asset, must be below the exact maximum. */
export class Amounts {
  readonly #digits: ReadonlyMap<string, number>;
  readonly #totals = new Map<string, number>();

  /** `digits`: decimals of the smallest unit, by asset. */
  constructor(digits: ReadonlyMap<string, number>) {
    this.#digits = digits;
  }

  /** Returns an amount in units of its asset. Throws ConfigError naming the key. */
  units(amount: string, asset: string, where: string): number {
    const digits = this.#digits.get(asset);
    if (digits === undefined) {
      throw new ConfigError(`${where} ${asset}: no instrument trades it`, `known: ${[...this.#digits.keys()].join(' ')}`);
    }
    const total = (this.#totals.get(asset) ?? 0) + (scaleDown(amount, digits) ?? 0);
    if (total >= MAX_EXACT) {
      throw new ConfigError(
        `${where} ${asset}: ${amount} brings the total to ${MAX_EXACT} or more, which is too much at ${digits} digits`,
        'lower the balances',
      );
    }
    const units = isPlainDecimal(amount) && !amount.startsWith('-') ? toScaled(amount, digits) : null;
    if (units === null) {
      throw new ConfigError(`${where} ${asset}: expected an amount with at most ${digits} decimals, got ${amount}`, "for example '100.5'");
    }
    this.#totals.set(asset, total);
    return units;
  }
}

/** The classes in which calls count. All public calls of a market are one class. */
const CLASS_NAMES: ReadonlySet<string> = new Set(OPS.map((op) => endpointOf(op).limit.rateClass));
/** The names that limits may have: of classes, and of calls, whose limit has no effect if they count in a class of another name. */
const LIMIT_NAMES: ReadonlySet<string> = new Set([...CLASS_NAMES, ...OPS]);

/** Throws ConfigError at the first setting that no exchange can run with. The venue checks its own settings. */
export function checkServiceConfig(config: ServiceConfig): void {
  const { instruments, accounts, delays, limits, off, states, fundingRates, maxTriggers, heartbeat } = config;
  if (instruments.length === 0) throw new ConfigError('instruments: expected at least one, got none', 'name an instrument to trade');
  checkAccounts(accounts, instruments);
  for (const [name, ms] of Object.entries(delays)) checkWhole(`delays.${name}`, ms, 0);
  checkWhole('heartbeat.everyMs', heartbeat.everyMs, 1);
  checkWhole('heartbeat.pongTimeoutMs', heartbeat.pongTimeoutMs, heartbeat.everyMs + 1);
  for (const [name, limit] of Object.entries(limits)) {
    if (!LIMIT_NAMES.has(name)) {
      throw new ConfigError(`limits.${name}: no call counts in such a class`, `known: ${[...CLASS_NAMES].join(' ')}`);
    }
    if (limit === null) continue;
    checkWhole(`limits.${name}.count`, limit.count, 1);
    checkWhole(`limits.${name}.windowMs`, limit.windowMs, 1);
  }
  for (const id of [...Object.keys(states), ...Object.keys(fundingRates)]) {
    if (instruments.some((instrument) => instrument.id === id)) continue;
    throw new ConfigError(`${id}: no instrument of this exchange`, `known: ${instruments.map((instrument) => instrument.id).join(' ')}`);
  }
  checkWhole('maxTriggers', maxTriggers, 1);
  checkWhole('maxOpenOrdersPerSymbol', config.maxOpenOrdersPerSymbol, 1);
  checkWhole('fills.graceMs', config.rowGraceMs, 0);
  for (const op of off) if (!isOp(op)) throw new ConfigError(`off: ${String(op)} is not an operation`, 'isobar api --list names them');
}

/** Throws ConfigError for an account that has balances of a market without instruments, or invalid keys, or a uid or key of another account. */
function checkAccounts(accounts: ServiceConfig['accounts'], instruments: ServiceConfig['instruments']): void {
  const checkUnique = uniqueAccountValues();
  const hasMarket = (market: Market): boolean => instruments.some((instrument) => instrument.market === market);
  for (const { name, uid, balances, futures, keys, maxOpenOrders } of accounts) {
    if (!hasMarket('spot') && Object.keys(balances).length > 0) {
      throw new ConfigError(`account ${name} balances: this exchange has no spot instruments`, 'move them to futures');
    }
    if (!hasMarket('futures') && futures !== undefined) {
      throw new ConfigError(`account ${name} futures: this exchange has no contracts`, 'add contracts, or remove futures from the account');
    }
    if (!/^[1-9]\d{0,17}$/.test(uid)) throw new ConfigError(`account ${name} uid: expected digits, got "${uid}"`, 'for example 10001');
    checkUnique('uid', uid, name);
    if (maxOpenOrders !== undefined) checkWhole(`account ${name} maxOpenOrders`, maxOpenOrders, 1);
    for (const { apiKey, secret } of keys) {
      if (!/^[\x21-\x7e]{1,256}$/.test(apiKey) || secret === '') {
        throw new ConfigError(`account ${name} keys: expected an API key of visible characters and a secret`, 'give both');
      }
      checkUnique('API key', apiKey, name);
    }
  }
}

/** Returns a check that throws ConfigError when two accounts have the same value of one kind. */
function uniqueAccountValues(): (kind: string, value: string, name: string) => void {
  const owners = new Map<string, string>();
  return (kind, value, name) => {
    const otherOwner = owners.get(`${kind} ${value}`);
    if (otherOwner !== undefined)
      throw new ConfigError(`account ${name}: account ${otherOwner} has the same ${kind}`, `give each its own ${kind}`);
    owners.set(`${kind} ${value}`, name);
  };
}

/** Throws ConfigError unless `value` is a whole number of at least `min`. */
function checkWhole(key: string, value: number, min: number): void {
  if (Number.isSafeInteger(value) && value >= min) return;
  throw new ConfigError(`${key}: expected a whole number of at least ${min}, got ${value}`, 'times are in ms');
}
