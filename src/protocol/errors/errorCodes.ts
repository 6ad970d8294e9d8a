// What each error code means for what was asked: did anything happen, is there sense in asking again, and what a person can do.

import { VENUE_CODES, type VenueCode } from '../../model/venueCodes.ts';

export interface ErrorCode extends VenueCode {
  /**
   * `none`: what was asked for did not happen. `unknown`: it may have, and only evidence can tell; an order is never sent again on it.
   */
  readonly sideEffect: 'none' | 'unknown';
  /**
   * `never`: the same call gives the same answer until something is changed. `after`: it may go through after a pause, freshly signed.
   * Says nothing against the rule that only reads are sent again.
   */
  readonly retry: 'never' | 'after';
  /** HTTP statuses it comes with, the usual one first; many services answer 200 all the same. */
  readonly http: readonly number[];
  /** What to do, for a person. */
  readonly advice: string;
}

/** A code of nobody's table: on a create its outcome is unknown, like that of any answer that is not understood. */
export interface UnlistedCode {
  readonly code: number;
  readonly sideEffect: 'unknown';
  readonly retry: 'never';
  readonly advice: string;
}

interface Facts {
  readonly sideEffect?: 'unknown';
  readonly retry?: 'after';
  readonly http?: readonly number[];
  readonly advice: string;
}

const BAD_REQUEST: readonly number[] = [400];

const FACTS: Readonly<Record<keyof typeof VENUE_CODES, Facts>> = {
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
      'check that the secret belongs to the key and was copied whole; else run isobar doctor, which tells the value of dialect.signQuery',
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

/** The 41 codes of the specification, part 7. */
export const ERROR_CODES: readonly ErrorCode[] = Object.entries(VENUE_CODES).map(([key, code]) => {
  const { sideEffect = 'none', retry = 'never', http = BAD_REQUEST, advice } = FACTS[key as keyof typeof VENUE_CODES];
  return { ...code, sideEffect, retry, http, advice };
});

const byCode: ReadonlyMap<number, ErrorCode> = new Map(ERROR_CODES.map((entry) => [entry.code, entry]));

/** The row of a code; null for one that the specification does not have. */
export const errorCode = (code: number): ErrorCode | null => byCode.get(code) ?? null;

/** The facts of any code. */
export const errorCodeFacts = (code: number): ErrorCode | UnlistedCode =>
  byCode.get(code) ?? {
    code,
    sideEffect: 'unknown',
    retry: 'never',
    advice: `the specification has no code ${code}: look up what was asked for before you ask again, and what the exchange says of it`,
  };

/** Answers to a cancel or a query; as the answer to a create they are nonsense, and its outcome is unknown. */
const NOT_OF_A_CREATE: ReadonlySet<number> = new Set([
  VENUE_CODES.noPendingOrder.code,
  VENUE_CODES.cancelNotAllowed.code,
  VENUE_CODES.noSuchOrder.code,
]);

/** True where a create that is answered with this code has certainly not happened (order safety, section 4). */
export const refusesCreate = (code: number): boolean => errorCode(code)?.sideEffect === 'none' && !NOT_OF_A_CREATE.has(code);
