// Generates the OpenAPI 3.1 document of the API from the endpoint table and the table of error codes.

import type { Market } from '../../model/instrument.ts';
import { isSafeToRetry, SECURITY, type Endpoint, type RateLimit } from '../endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../endpoints/endpoints.ts';
import { ERROR_CODES } from '../errors/errorCodes.ts';
import { answerSchema } from './answerSchema.ts';
import { requestSchema } from './requestSchema.ts';
import type { JsonSchema } from './valueSchema.ts';

/** Version in the paths of spot and futures. */
const INTERFACE_VERSION = '1';

const ABOUT = `Spot and futures of the trading service, as the paper exchange serves them.

Every request has the header \`Content-Type: application/json\`. A GET has its parameters in the query, a POST in a JSON body. Times are in ms, \
lists newest first. Signed calls may have \`recvWindow\` (ms, 5000 by default) beside their parameters.

An answer may stand in any of the forms of its schema; the first is the specification's, the others are those of services that differ, and a \
switch of the paper exchange brings each about. Ids exceed 2^53: read and write them digit by digit.`;

const SIGNATURE = `HMAC-SHA256 under the API secret, hexadecimal in any case, of: the value of X-CH-TS, the method, the path with its query, \
and the body of a POST, without anything between them.`;

const headerScheme = (name: string, description: string): JsonSchema => ({ type: 'apiKey', in: 'header', name, description });
const SCHEMES = {
  apiKey: headerScheme('X-CH-APIKEY', 'the API key; case matters'),
  timestamp: headerScheme(
    'X-CH-TS',
    'when the request was sent, in ms: less than 1000 ahead of the clock of the service, at most recvWindow behind it',
  ),
  signature: headerScheme('X-CH-SIGN', SIGNATURE),
};

/** Returns the document, ready for JSON. */
export function openApi(): JsonSchema {
  const schemas: Record<string, JsonSchema> = errorSchemas();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const op of OPS) {
    const row = endpointOf(op);
    const methods = (paths[row.path] ??= {});
    methods[row.method.toLowerCase()] = operationObject(op, row, schemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Trading service: spot and futures', version: INTERFACE_VERSION, description: ABOUT },
    servers: [{ url: '/', description: 'the exchange that serves this document' }],
    tags: [
      { name: 'spot', description: 'instruments are symbols, such as BTCUSDT' },
      { name: 'futures', description: 'instruments are contracts, such as E-BTC-USDT' },
    ],
    paths,
    components: { schemas, responses: errorResponses(), securitySchemes: SCHEMES },
  };
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** Returns the schema name of a call, such as `SpotNewOrder`. */
const schemaNameOf = (op: Op): string => op.split('.').map(capitalised).join('');
const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Returns the description of a call. Adds the schemas of its reply to `schemas`. */
function operationObject(op: Op, row: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const name = schemaNameOf(op);
  const answer = answerSchema(op, (record) => {
    schemas[`${name}Record`] = record;
    return referenceTo(`${name}Record`);
  });
  schemas[name] = { description: row.answer.shape, ...answer.schema };
  const { key, signature } = SECURITY[row.security];
  return {
    operationId: op,
    tags: [row.market],
    summary: row.help,
    description: callDescription(row),
    ...requestSchema(row),
    security: key ? [{ apiKey: [], ...(signature ? { timestamp: [], signature: [] } : {}) }] : [],
    responses: {
      200: { description: row.answer.shape, content: { 'application/json': { schema: referenceTo(name), example: answer.example } } },
      ...Object.fromEntries(
        STATUSES.map((status) => [String(status), { $ref: `#/components/responses/${responseName(row.market, status)}` }]),
      ),
    },
    'x-security-type': row.security,
    'x-rate-limit': rateLimitExtension(row.limit),
  };
}

/** Returns the description of a call: its security, and other methods and paths. */
function callDescription(row: Endpoint): string {
  const { security, otherMethod, otherPaths = [] } = row;
  return [
    security === 'NONE' ? 'Open to all.' : `Signed (${security}).`,
    isSafeToRetry(row)
      ? 'May be sent again after a failure.'
      : 'Is never sent again by itself: after a failure, look first what came of it.',
    otherMethod === undefined ? '' : `Taken as ${otherMethod} with the same body too.`,
    otherPaths.length === 0 ? '' : `Some services have it at ${otherPaths.join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const LIMIT_SOURCE_TEXT: Readonly<Record<RateLimit['source'], string>> = {
  spec: 'the specification',
  dialect: 'seen on services',
  assumed: 'not published; kept to by careful clients',
};

/** Returns the rate limit of a call as an extension of the document. */
const rateLimitExtension = ({ rateClass, scope, count, windowMs, weight, source }: RateLimit): JsonSchema => ({
  class: rateClass,
  per: scope,
  count,
  windowMs,
  weight,
  source: LIMIT_SOURCE_TEXT[source],
});

const STATUSES: readonly number[] = [...new Set(ERROR_CODES.flatMap(({ http }) => http))].toSorted((a, b) => a - b);
const responseName = (market: Market, status: number): string => `${capitalised(market)}${status}`;

/** Returns the error responses of each market by HTTP status, with the codes of each status. */
function errorResponses(): JsonSchema {
  const markets: readonly Market[] = ['spot', 'futures'];
  return Object.fromEntries(
    markets.flatMap((market) =>
      STATUSES.map((status) => {
        const codes = ERROR_CODES.filter(({ http }) => http.includes(status));
        const description = codes.map(({ code, meaning }) => `${code}: ${meaning}`).join('; ');
        return [
          responseName(market, status),
          {
            description,
            content: { 'application/json': { schema: referenceTo(`${capitalised(market)}Error`), examples: examplesOf(market, codes) } },
          },
        ];
      }),
    ),
  );
}

/** Returns one example of an error reply for each code. */
function examplesOf(market: Market, codes: typeof ERROR_CODES): JsonSchema {
  return Object.fromEntries(
    codes.map(({ code, name, meaning }) => {
      const msg = name ?? meaning;
      const value = market === 'spot' ? { code, msg } : { code: String(code), msg, msgData: null, succ: false };
      return [String(code), { value }];
    }),
  );
}

/** Returns the schemas of error replies, by name. */
function errorSchemas(): Record<string, JsonSchema> {
  const codeNumbers = ERROR_CODES.map(({ code }) => code);
  const msg = { type: 'string' };
  const dataNullForm: JsonSchema = {
    type: 'object',
    description: 'in this form under the switch errorBody: dataNull',
    properties: { code: { type: 'string', enum: codeNumbers.map(String) }, msg, data: { type: 'null' } },
    required: ['code', 'msg', 'data'],
  };
  return {
    SpotError: {
      anyOf: [
        { type: 'object', properties: { code: { type: 'integer', enum: codeNumbers }, msg }, required: ['code', 'msg'] },
        dataNullForm,
      ],
    },
    FuturesError: {
      anyOf: [
        {
          type: 'object',
          properties: { code: { type: 'string', enum: codeNumbers.map(String) }, msg, msgData: { type: 'null' }, succ: { const: false } },
          required: ['code', 'msg', 'msgData', 'succ'],
        },
        dataNullForm,
      ],
    },
  };
}
