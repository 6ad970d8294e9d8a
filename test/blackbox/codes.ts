// Lists the error codes of part 7 of the specification with their HTTP statuses, and checks the envelope of each market.

import type { Reply } from './caller.ts';
import { long, members, nil, oneOf, text } from './shapes.ts';

/** Codes that only an internal fault of the exchange can cause. */
export const BY_FAULT: readonly number[] = [-1000, -1001, -1006, -1007, -1016];

/** One error code. */
interface Row {
  readonly code: number;
  readonly status: number;
  /** The text of `msg`. Null if the specification does not give it. */
  readonly name: string | null;
}
const row = (code: number, status: number, name: string | null): Row => ({ code, status, name });

const ROWS: readonly Row[] = [
  row(-1000, 500, 'UNKNOWN'),
  row(-1001, 500, 'DISCONNECTED'),
  row(-1002, 401, 'UNAUTHORIZED'),
  row(-1003, 429, 'TOO_MANY_REQUESTS'),
  row(-1004, 400, 'NO_THIS_COMPANY'),
  row(-1006, 500, 'UNEXPECTED_RESP'),
  row(-1007, 504, 'TIMEOUT'),
  row(-1014, 400, 'UNKNOWN_ORDER_COMPOSITION'),
  row(-1015, 400, 'TOO_MANY_ORDERS'),
  row(-1016, 503, 'SERVICE_SHUTTING_DOWN'),
  row(-1017, 400, 'NO_CONTENT_TYPE'),
  row(-1020, 400, 'UNSUPPORTED_OPERATION'),
  row(-1021, 400, 'INVALID_TIMESTAMP'),
  row(-1022, 401, 'INVALID_SIGNATURE'),
  row(-1023, 401, 'UNAUTHORIZED'),
  row(-1024, 401, 'UNAUTHORIZED'),
  row(-1100, 400, 'ILLEGAL_CHARS'),
  row(-1101, 400, 'TOO_MANY_PARAMETERS'),
  row(-1102, 400, 'MANDATORY_PARAM_EMPTY'),
  row(-1103, 400, 'UNKNOWN_PARAM'),
  row(-1104, 400, 'UNREAD_PARAMETERS'),
  row(-1105, 400, null),
  row(-1106, 400, 'PARAM_NOT_REQUIRED'),
  row(-1111, 400, 'BAD_PRECISION'),
  row(-1112, 400, null),
  row(-1116, 400, 'INVALID_ORDER_TYPE'),
  row(-1117, 400, 'INVALID_SIDE'),
  row(-1121, 400, 'BAD_SYMBOL'),
  row(-1136, 400, 'ORDER_QUANTITY_TOO_SMALL'),
  row(-1138, 400, 'ORDER_PRICE_WAVE_EXCEED'),
  row(-1139, 400, 'ORDER_NOT_SUPPORT_MARKET'),
  row(-1145, 400, null),
  row(-1147, 400, 'PRICE_VOLUME_PRESION_ERROR'),
  row(-2013, 400, 'NO_SUCH_ORDER'),
  row(-2015, 401, 'REJECTED_CH_KEY'),
  row(-2016, 400, 'EXCHANGE_LOCK'),
  row(-2017, 400, 'balance_not_enough'),
  row(-2100, 400, 'PARAM_ERROR'),
  row(-2200, 403, null),
  row(35, 400, null),
  row(10015, 400, null),
];

/** All codes in the order of part 7. */
export const CODES: readonly number[] = ROWS.map(({ code }) => code);

/** Returns how a reply differs from the error `code` of an endpoint: in code, HTTP status or envelope. Empty if it is that error. */
export function errorProblems(reply: Reply, path: string, code: number): readonly string[] {
  const { status, name } = ROWS.find((documented) => documented.code === code)!;
  const msg = name === null ? text : oneOf(name);
  const isFutures = !path.startsWith('/sapi/');
  const body = isFutures ? members({ code: oneOf(String(code)), succ: oneOf(false), msgData: nil, msg }) : members({ code: long, msg });
  return [
    ...oneOf(code)(reply.code, 'code'),
    // A ban has the code of a broken limit, but status 418.
    ...oneOf(status, ...(code === -1003 ? [418] : []))(reply.status, 'HTTP status'),
    ...body(reply.json, 'body'),
  ];
}
