// Lists the error codes of part 7 of the specification with their HTTP statuses, and checks the envelope of each market.

import type { Reply } from './caller.ts';
import { long, members, nil, oneOf, text } from './shapes.ts';

/** Codes that only an internal fault of the exchange can cause. */
export const BY_FAULT: readonly number[] = [-1000, -1001, -1006, -1007, -1016];

/** One error code. */
interface DocumentedCode {
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  /** The text of `msg`. Null if the specification does not give it. */
  readonly name: string | null;
}
const documented = (code: number, status: number, name: string | null): DocumentedCode => ({ code, status, name });

/** The codes in the order of part 7. */
const DOCUMENTED_CODES: readonly DocumentedCode[] = [
  documented(-1000, 500, 'UNKNOWN'),
  documented(-1001, 500, 'DISCONNECTED'),
  documented(-1002, 401, 'UNAUTHORIZED'),
  documented(-1003, 429, 'TOO_MANY_REQUESTS'),
  documented(-1004, 400, 'NO_THIS_COMPANY'),
  documented(-1006, 500, 'UNEXPECTED_RESP'),
  documented(-1007, 504, 'TIMEOUT'),
  documented(-1014, 400, 'UNKNOWN_ORDER_COMPOSITION'),
  documented(-1015, 400, 'TOO_MANY_ORDERS'),
  documented(-1016, 503, 'SERVICE_SHUTTING_DOWN'),
  documented(-1017, 400, 'NO_CONTENT_TYPE'),
  documented(-1020, 400, 'UNSUPPORTED_OPERATION'),
  documented(-1021, 400, 'INVALID_TIMESTAMP'),
  documented(-1022, 401, 'INVALID_SIGNATURE'),
  documented(-1023, 401, 'UNAUTHORIZED'),
  documented(-1024, 401, 'UNAUTHORIZED'),
  documented(-1100, 400, 'ILLEGAL_CHARS'),
  documented(-1101, 400, 'TOO_MANY_PARAMETERS'),
  documented(-1102, 400, 'MANDATORY_PARAM_EMPTY'),
  documented(-1103, 400, 'UNKNOWN_PARAM'),
  documented(-1104, 400, 'UNREAD_PARAMETERS'),
  documented(-1105, 400, null),
  documented(-1106, 400, 'PARAM_NOT_REQUIRED'),
  documented(-1111, 400, 'BAD_PRECISION'),
  documented(-1112, 400, null),
  documented(-1116, 400, 'INVALID_ORDER_TYPE'),
  documented(-1117, 400, 'INVALID_SIDE'),
  documented(-1121, 400, 'BAD_SYMBOL'),
  documented(-1136, 400, 'ORDER_QUANTITY_TOO_SMALL'),
  documented(-1138, 400, 'ORDER_PRICE_WAVE_EXCEED'),
  documented(-1139, 400, 'ORDER_NOT_SUPPORT_MARKET'),
  documented(-1145, 400, null),
  documented(-1147, 400, 'PRICE_VOLUME_PRESION_ERROR'),
  documented(-2013, 400, 'NO_SUCH_ORDER'),
  documented(-2015, 401, 'REJECTED_CH_KEY'),
  documented(-2016, 400, 'EXCHANGE_LOCK'),
  documented(-2017, 400, 'balance_not_enough'),
  documented(-2100, 400, 'PARAM_ERROR'),
  documented(-2200, 403, null),
  documented(35, 400, null),
  documented(10015, 400, null),
];

/** All codes in the order of part 7. */
export const CODES: readonly number[] = DOCUMENTED_CODES.map(({ code }) => code);

/** Returns how a reply differs from the error `code` of an endpoint: in code, HTTP status or envelope. Empty if it is that error. */
export function errorProblems(reply: Reply, path: string, code: number): readonly string[] {
  const { status, name } = DOCUMENTED_CODES.find((candidate) => candidate.code === code)!;
  const msg = name === null ? text : oneOf(name);
  const isFutures = !path.startsWith('/sapi/');
  const spotBody = members({ code: long, msg });
  const futuresBody = members({ code: oneOf(String(code)), succ: oneOf(false), msgData: nil, msg });
  const body = isFutures ? futuresBody : spotBody;
  return [
    ...oneOf(code)(reply.code, 'code'),
    // A ban has the code of a broken limit, but status 418.
    ...oneOf(status, ...(code === -1003 ? [418] : []))(reply.status, 'HTTP status'),
    ...body(reply.json, 'body'),
  ];
}
