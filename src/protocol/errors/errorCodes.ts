// States the meaning of each error code: whether the request had an effect, whether a retry can help, and what the operator can do.

import { VENUE_CODES, type VenueCode } from '../../model/venueCodes.ts';

/** A code of the error table, such as -1021. */
export interface ErrorCode extends VenueCode {
  /**
   * `none`: the request had no effect. `unknown`: it may have had an effect, and only evidence can show it. An order is never sent again after
   * such a code.
   */
  readonly sideEffect: 'none' | 'unknown';
  /**
   * `never`: the same call gets the same reply until something changes. `after`: it may succeed after a pause, with a new signature. The
   * rule that only reads are retried still holds.
   */
  readonly retry: 'never' | 'after';
  /** HTTP statuses of the code, the usual one first. Many services answer 200 instead. */
  readonly http: readonly number[];
  /** What the operator can do. */
  readonly advice: string;
}

/** A code that the specification does not list. As the reply to a create, its outcome is unknown. */
export interface UnlistedCode {
  readonly code: number;
  readonly sideEffect: 'unknown';
  readonly retry: 'never';
  readonly advice: string;
}

/** The facts about a code. By default it has no effect, is not retried, and has HTTP status 400. */
interface CodeFacts {
  readonly sideEffect?: 'unknown';
  readonly retry?: 'after';
  readonly http?: readonly number[];
  readonly advice: string;
}

const BAD_REQUEST: readonly number[] = [400];

const FACTS_BY_NAME: Readonly<Record<keyof typeof VENUE_CODES, CodeFacts>> = {
  unknown: {
    sideEffect: 'unknown',
    http: [500],
    advice: 'check the symbol or contract name; if it is right, look the order up before you place another',
  },
  disconnected: {
    sideEffect: 'unknown',
    retry: 'after',
    http: [500],
    advice: 'the service has a fault inside; wait, and look the order up before you place another',
  },
  noKeyHeader: { http: [401], advice: 'set the API key (ISOBAR_API_KEY); a proxy between here and there may drop the header X-CH-APIKEY' },
  tooManyRequests: {
    retry: 'after',
    http: [429, 418],
    advice: 'send less: poll fewer symbols or poll them less often; other programs that use this key or address count too',
  },
  noThisCompany: { advice: 'the account behind the key does not exist or is closed: ask the exchange' },
  unexpectedResponse: {
    sideEffect: 'unknown',
    retry: 'after',
    http: [500],
    advice: 'the order may stand: look it up before you place another',
  },
  timeout: { sideEffect: 'unknown', retry: 'after', http: [504], advice: 'the order may stand: look it up before you place another' },
  unknownComposition: { advice: 'these options do not go together: a time in force wants LIMIT, a stop-loss or take-profit wants CLOSE' },
  tooManyOrders: { advice: 'cancel some of the open orders first' },
  shuttingDown: {
    sideEffect: 'unknown',
    retry: 'after',
    http: [503],
    advice: 'the service is closing, for maintenance perhaps: wait, and look the order up before you place another',
  },
  noContentType: {
    advice: 'the header Content-Type: application/json is missing: set dialect.contentTypeOnGet to true, or look for a proxy that drops it',
  },
  unsupportedOperation: { advice: 'the service does not offer this call, or not while positions or orders are open' },
  invalidTimestamp: {
    retry: 'after',
    advice: 'the clock of this computer is off: synchronise it (NTP); isobar measures the offset again by itself',
  },
  invalidSignature: {
    http: [401],
    advice:
      'check that the secret belongs to the key and was copied whole; else run isobar doctor, which shows the value of dialect.signQuery',
  },
  noTimestampHeader: { http: [401], advice: 'the header X-CH-TS did not arrive: look for a proxy that drops it' },
  noSignatureHeader: { http: [401], advice: 'the header X-CH-SIGN did not arrive: look for a proxy that drops it' },
  illegalChars: { advice: 'a parameter holds a character that is not allowed: names are A-Z 0-9, ids A-Z a-z 0-9 _ -' },
  tooManyParameters: { advice: 'send fewer parameters, or fewer orders in a batch (10 at most)' },
  mandatoryParamEmpty: { advice: 'a parameter is missing or malformed: isobar api --list names those that the call wants' },
  unknownParam: { advice: 'the service does not know one of the parameters: take options of the dialect back that add some' },
  unreadParameters: { advice: 'the service could not read all that was sent: take options of the dialect back that add parameters' },
  paramEmpty: { advice: 'a parameter is empty: isobar api --list names those that the call wants' },
  paramNotRequired: { advice: 'leave out what this call does not use, such as the price of a MARKET order' },
  badPrecision: {
    advice: 'the number has more decimals than the asset: refresh the instrument record (isobar api spot.symbols or futures.contracts)',
  },
  noPendingOrder: { advice: 'there is no such open order: it may have filled or been cancelled already; query it' },
  invalidOrderType: { advice: 'type is LIMIT or MARKET' },
  invalidSide: { advice: 'side is BUY or SELL' },
  badSymbol: { advice: 'the symbol or contract is missing or unknown: see isobar api spot.symbols or futures.contracts' },
  quantityTooSmall: { advice: 'the order is below the minimum of its instrument: order more' },
  priceWaveExceed: { advice: 'the price is too far from the market: move it closer' },
  marketNotSupported: { advice: 'this pair takes LIMIT orders only' },
  cancelNotAllowed: { advice: 'the order cannot be cancelled in its state, most likely because it is done: query it' },
  priceVolumePrecision: {
    advice: 'price or quantity has too many decimals: refresh the instrument record (isobar api spot.symbols or futures.contracts)',
  },
  noSuchOrder: { advice: 'the service does not know this order: check id and symbol; a new order may take a moment to be seen' },
  rejectedKey: {
    http: [401],
    advice: 'check the key, its permissions (read, trade, spot, futures) and its list of IP addresses, at the exchange',
  },
  exchangeLock: { advice: 'trading is frozen: see the announcements of the exchange; isobar trades again only when you say so' },
  balanceNotEnough: { advice: 'the balance or margin does not cover the order: order less, add funds or cancel what holds them' },
  paramError: {
    advice: 'a futures parameter is outside its values: isobar api --list names them; leverage and volume have limits by contract',
  },
  illegalIp: { http: [403], advice: 'the service does not take requests from this address: put it on the list of the key, or use another' },
  accountRestricted: { advice: 'the account may not trade: ask the exchange; isobar trades again only when you say so' },
  closeVolumeExceeded: { advice: 'there is less to close than that: read the position; other closing orders hold part of it' },
};

/** The 41 error codes of the specification, part 7. */
export const ERROR_CODES: readonly ErrorCode[] = Object.entries(VENUE_CODES).map(([key, code]) => {
  const { sideEffect = 'none', retry = 'never', http = BAD_REQUEST, advice } = FACTS_BY_NAME[key as keyof typeof VENUE_CODES];
  return { ...code, sideEffect, retry, http, advice };
});

const ROW_BY_CODE: ReadonlyMap<number, ErrorCode> = new Map(ERROR_CODES.map((row) => [row.code, row]));

/** Returns the row of a code; null if the specification lacks the code. */
export const errorCode = (code: number): ErrorCode | null => ROW_BY_CODE.get(code) ?? null;

/** Returns the row of a code, or the default row for a code that the specification does not list. */
export const errorCodeFacts = (code: number): ErrorCode | UnlistedCode =>
  ROW_BY_CODE.get(code) ?? {
    code,
    sideEffect: 'unknown',
    retry: 'never',
    advice: `the specification has no code ${code}: look up what was asked for before you ask again, and what the exchange says of it`,
  };

/** Codes for cancels and queries. As the reply to a create they make no sense, so the outcome is unknown. */
const NOT_FOR_A_CREATE: ReadonlySet<number> = new Set([
  VENUE_CODES.noPendingOrder.code,
  VENUE_CODES.cancelNotAllowed.code,
  VENUE_CODES.noSuchOrder.code,
]);

/** True if a create that was answered with this code certainly had no effect (order safety, section 4). */
export const refusesCreate = (code: number): boolean => errorCode(code)?.sideEffect === 'none' && !NOT_FOR_A_CREATE.has(code);
