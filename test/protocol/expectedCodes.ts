// Lists the 41 error codes, written by hand from the specification (part 7), the exchange dialect (10.2) and order safety (4).

/** One error code with its facts. */
export interface ExpectedCode {
  readonly code: number;
  readonly name: string | null;
  readonly http: number;
  /** The outcome class in reply to a create. */
  readonly create: 'refused' | 'unknown';
  /** The outcome class in reply to a cancel, a setting or a read. */
  readonly other: 'refused' | 'unknown';
  /** Whether a repeated call may succeed: never, or after a pause. */
  readonly retry: 'never' | 'after';
}

/** Returns a code that means: the request had no effect. */
const refused = (code: number, name: string | null, http = 400, retry: 'never' | 'after' = 'never'): ExpectedCode => ({
  code,
  name,
  http,
  create: 'refused',
  other: 'refused',
  retry,
});

/** Returns a code that means: a create may have had an effect, or not. */
const unknown = (code: number, name: string, http: number, retry: 'never' | 'after' = 'after'): ExpectedCode => ({
  code,
  name,
  http,
  create: 'unknown',
  other: 'unknown',
  retry,
});

/** Returns a code that is no possible reply to a create. */
const notOfACreate = (code: number, name: string | null): ExpectedCode => ({ ...refused(code, name), create: 'unknown' });

/** All codes, with what each proves about an order and when a call may be repeated. */
export const EXPECTED_CODES: readonly ExpectedCode[] = [
  unknown(-1000, 'UNKNOWN', 500, 'never'),
  unknown(-1001, 'DISCONNECTED', 500),
  refused(-1002, 'UNAUTHORIZED', 401),
  refused(-1003, 'TOO_MANY_REQUESTS', 429, 'after'),
  refused(-1004, 'NO_THIS_COMPANY'),
  unknown(-1006, 'UNEXPECTED_RESP', 500),
  unknown(-1007, 'TIMEOUT', 504),
  refused(-1014, 'UNKNOWN_ORDER_COMPOSITION'),
  refused(-1015, 'TOO_MANY_ORDERS'),
  unknown(-1016, 'SERVICE_SHUTTING_DOWN', 503),
  refused(-1017, 'NO_CONTENT_TYPE'),
  refused(-1020, 'UNSUPPORTED_OPERATION'),
  refused(-1021, 'INVALID_TIMESTAMP', 400, 'after'),
  refused(-1022, 'INVALID_SIGNATURE', 401),
  refused(-1023, 'UNAUTHORIZED', 401),
  refused(-1024, 'UNAUTHORIZED', 401),
  refused(-1100, 'ILLEGAL_CHARS'),
  refused(-1101, 'TOO_MANY_PARAMETERS'),
  refused(-1102, 'MANDATORY_PARAM_EMPTY'),
  refused(-1103, 'UNKNOWN_PARAM'),
  refused(-1104, 'UNREAD_PARAMETERS'),
  refused(-1105, null),
  refused(-1106, 'PARAM_NOT_REQUIRED'),
  refused(-1111, 'BAD_PRECISION'),
  notOfACreate(-1112, null),
  refused(-1116, 'INVALID_ORDER_TYPE'),
  refused(-1117, 'INVALID_SIDE'),
  refused(-1121, 'BAD_SYMBOL'),
  refused(-1136, 'ORDER_QUANTITY_TOO_SMALL'),
  refused(-1138, 'ORDER_PRICE_WAVE_EXCEED'),
  refused(-1139, 'ORDER_NOT_SUPPORT_MARKET'),
  notOfACreate(-1145, null),
  refused(-1147, 'PRICE_VOLUME_PRESION_ERROR'),
  notOfACreate(-2013, 'NO_SUCH_ORDER'),
  refused(-2015, 'REJECTED_CH_KEY', 401),
  refused(-2016, 'EXCHANGE_LOCK'),
  refused(-2017, 'balance_not_enough'),
  refused(-2100, 'PARAM_ERROR'),
  refused(-2200, null, 403),
  refused(35, null),
  refused(10015, null),
];
