// Lists the error codes of the exchange with number, name and meaning (specification, part 7).

/** An error code of the exchange. */
export interface VenueCode {
  readonly code: number;
  /** The name on the wire. Null if the specification gives no name. */
  readonly name: string | null;
  readonly meaning: string;
}

const row = <Code extends number>(code: Code, name: string | null, meaning: string) =>
  ({ code, name, meaning }) as const satisfies VenueCode;

/** The codes by the name that this project gives them. */
export const VENUE_CODES = {
  unknown: row(-1000, 'UNKNOWN', 'unknown error, often a bad symbol or contract name'),
  disconnected: row(-1001, 'DISCONNECTED', 'internal error, unable to process; retry'),
  noKeyHeader: row(-1002, 'UNAUTHORIZED', 'X-CH-APIKEY missing'),
  tooManyRequests: row(-1003, 'TOO_MANY_REQUESTS', 'rate limit exceeded'),
  noThisCompany: row(-1004, 'NO_THIS_COMPANY', 'user or company does not exist'),
  unexpectedResponse: row(-1006, 'UNEXPECTED_RESP', 'order status UNKNOWN (message-bus issue)'),
  timeout: row(-1007, 'TIMEOUT', 'backend timeout; send/execution status unknown'),
  unknownComposition: row(-1014, 'UNKNOWN_ORDER_COMPOSITION', 'unsupported order combination'),
  tooManyOrders: row(-1015, 'TOO_MANY_ORDERS', 'order count exceeds the maximum'),
  shuttingDown: row(-1016, 'SERVICE_SHUTTING_DOWN', 'service no longer available'),
  noContentType: row(-1017, 'NO_CONTENT_TYPE', 'Content-Type: application/json is missing'),
  unsupportedOperation: row(-1020, 'UNSUPPORTED_OPERATION', 'operation not supported'),
  invalidTimestamp: row(-1021, 'INVALID_TIMESTAMP', 'timestamp offset too large against server time'),
  invalidSignature: row(-1022, 'INVALID_SIGNATURE', 'signature verification failed'),
  noTimestampHeader: row(-1023, 'UNAUTHORIZED', 'X-CH-TS missing'),
  noSignatureHeader: row(-1024, 'UNAUTHORIZED', 'X-CH-SIGN missing'),
  illegalChars: row(-1100, 'ILLEGAL_CHARS', 'illegal characters in a parameter'),
  tooManyParameters: row(-1101, 'TOO_MANY_PARAMETERS', 'too many parameters for the endpoint'),
  mandatoryParamEmpty: row(-1102, 'MANDATORY_PARAM_EMPTY', 'required parameter null, missing or malformed'),
  unknownParam: row(-1103, 'UNKNOWN_PARAM', 'unknown parameter sent'),
  unreadParameters: row(-1104, 'UNREAD_PARAMETERS', 'not all sent parameters were read'),
  paramEmpty: row(-1105, null, 'a required parameter was empty'),
  paramNotRequired: row(-1106, 'PARAM_NOT_REQUIRED', 'a parameter was sent that is not required'),
  badPrecision: row(-1111, 'BAD_PRECISION', 'precision exceeds the maximum for the asset'),
  noPendingOrder: row(-1112, null, 'no pending orders / order to cancel does not exist'),
  invalidOrderType: row(-1116, 'INVALID_ORDER_TYPE', 'type must be LIMIT or MARKET'),
  invalidSide: row(-1117, 'INVALID_SIDE', 'side must be BUY or SELL'),
  badSymbol: row(-1121, 'BAD_SYMBOL', 'invalid or missing symbol or contract'),
  quantityTooSmall: row(-1136, 'ORDER_QUANTITY_TOO_SMALL', 'volume below the minimum'),
  priceWaveExceed: row(-1138, 'ORDER_PRICE_WAVE_EXCEED', 'price outside the permitted range'),
  marketNotSupported: row(-1139, 'ORDER_NOT_SUPPORT_MARKET', 'pair does not support market trading'),
  cancelNotAllowed: row(-1145, null, 'order status does not allow cancellation'),
  priceVolumePrecision: row(-1147, 'PRICE_VOLUME_PRESION_ERROR', 'price or quantity precision exceeds the maximum'),
  noSuchOrder: row(-2013, 'NO_SUCH_ORDER', 'order does not exist'),
  rejectedKey: row(-2015, 'REJECTED_CH_KEY', 'invalid key, IP not whitelisted, or no permission'),
  exchangeLock: row(-2016, 'EXCHANGE_LOCK', 'transactions frozen'),
  balanceNotEnough: row(-2017, 'balance_not_enough', 'insufficient balance'),
  paramError: row(-2100, 'PARAM_ERROR', 'parameter error (futures only)'),
  illegalIp: row(-2200, null, 'illegal or untrusted IP'),
  accountRestricted: row(35, null, 'forbidden to order; the account may be restricted'),
  closeVolumeExceeded: row(10015, null, 'exceeded the close-available volume (close or stop order with no open position)'),
} as const;

const byNumber: ReadonlyMap<number, VenueCode> = new Map(Object.values(VENUE_CODES).map((entry) => [entry.code, entry]));

/** Returns the text of a code: its name, its meaning if it has no name, or its number if the table lacks the code. */
export function venueCodeText(code: number): string {
  const entry = byNumber.get(code);
  return entry ? (entry.name ?? entry.meaning) : String(code);
}
