// Converts the arguments of a call to query or body text. Checks every value, and keeps all digits of decimals.

import { assertNever } from '../base/assert.ts';
import { ConfigError } from '../base/errors.ts';
import type { Market } from '../model/instrument.ts';
import { INTERVALS, parseCommonInterval } from '../model/interval.ts';
import { wireInterval, type Dialect } from './dialect.ts';
import type { ChoiceParam, IntegerParam, Param, Params, TextParam } from './endpoints/endpoint.ts';

/** The arguments of a call, by the names of the table. */
export type CallArguments = Readonly<Record<string, unknown>>;

/** What the checks need to know about a call: its operation, for messages, its market, and the dialect of the service. */
export interface CallContext {
  readonly op: string;
  readonly market: Market;
  readonly dialect: Dialect;
}

/** A parameter as it is sent. */
export interface WireParam {
  readonly name: string;
  /** Its text in a query, before percent-encoding. For a list it is JSON. */
  readonly text: string;
  /** Its text in a JSON body. */
  readonly json: string;
}

/** Returns the parameters of a call, in the order of the table. Throws ConfigError for a missing, unknown or invalid parameter. */
export function writeParams(
  params: Params,
  args: CallArguments,
  context: CallContext,
  alwaysSent: readonly string[] = [],
): readonly WireParam[] {
  for (const name in args) {
    if (!Object.hasOwn(params, name)) throw new ConfigError(`${context.op} ${name}: no such parameter`, namesHint(params));
  }
  const written: WireParam[] = [];
  const { rows, either } = paramTableOf(params);
  for (let index = 0; index < rows.length; index++) {
    const { name, param } = rows[index]!;
    const value = args[name] ?? defaultArgument(name, param, alwaysSent);
    if (value !== undefined) {
      checkIsAllowed(name, param, args, context);
      written.push(wireParamOf(name, param, value, context));
    } else if (isMissing(param, args)) {
      throw new ConfigError(`${context.op} ${name}: expected ${expected(param)}, got nothing`, `give ${name}: ${param.help}`);
    }
  }
  const lacksEither = either.length > 0 && !written.some(({ name }) => either.includes(name));
  if (lacksEither) {
    const eitherNames = either.join(' or ');
    throw new ConfigError(`${context.op} ${eitherNames}: expected one of them, got none`, `give ${eitherNames}`);
  }
  return written;
}

/** Returns the value to send if the call gives none; undefined to send nothing. */
function defaultArgument(name: string, param: Param, alwaysSent: readonly string[]): number | undefined {
  if (param.kind !== 'integer') return undefined;
  return param.need === 'disputed' || alwaysSent.includes(name) ? param.default : undefined;
}

/** The parameters of an endpoint. */
interface ParamTable {
  readonly rows: readonly { readonly name: string; readonly param: Param }[];
  /** Names of the parameters with `either`: at least one must be given. */
  readonly either: readonly string[];
}

/** The tables by the parameters of their endpoint. They are cached, because many orders are sent each second. */
const TABLE_CACHE = new WeakMap<Params, ParamTable>();

/** Returns the parameters of a call as a table, from the cache if it has one. */
function paramTableOf(params: Params): ParamTable {
  const cachedTable = TABLE_CACHE.get(params);
  if (cachedTable) return cachedTable;
  const rows = Object.entries(params).map(([name, param]) => ({ name, param }));
  const eitherNames = rows.filter(({ param }) => param.need === 'either').map(({ name }) => name);
  const table = { rows, either: eitherNames };
  TABLE_CACHE.set(params, table);
  return table;
}

/** Returns the names of the parameters as a hint for an error message. */
const namesHint = (params: Params): string =>
  Object.keys(params).length === 0 ? 'it has no parameters' : `it has ${Object.keys(params).join(', ')}`;

/** True when a parameter must be given and is not. */
function isMissing(param: Param, args: CallArguments): boolean {
  if (param.onlyWith) return args[param.onlyWith.name] === param.onlyWith.is;
  return param.need === 'required' || param.need === 'disputed';
}

/** Throws ConfigError for a parameter that may not be given with the others, or that the dialect does not have. */
function checkIsAllowed(name: string, param: Param, args: CallArguments, { op, dialect }: CallContext): void {
  const { onlyWith } = param;
  if (onlyWith && args[onlyWith.name] !== onlyWith.is) {
    throw new ConfigError(`${op} ${name}: only with ${onlyWith.name} ${onlyWith.is}`, `leave ${name} out`);
  }
  if (param.kind === 'time' && dialect.klinesRange === 'none') {
    throw new ConfigError(
      `${op} ${name}: the specification has no such parameter`,
      'set dialect.klinesRange to startEnd where the service takes it',
    );
  }
}

/** Returns a parameter in wire form. Throws ConfigError for an invalid value. */
function wireParamOf(name: string, param: Param, value: unknown, context: CallContext): WireParam {
  const written = wireParamOrNull(name, param, value, context);
  if (written !== null) return written;
  const { op, market, dialect } = context;
  const validValues = param.kind === 'interval' ? `one of ${marketIntervals(market, dialect).join(' ')}` : expected(param);
  throw new ConfigError(`${op} ${name}: expected ${validValues}, got ${quotedArgument(value)}`, `${name}: ${param.help}`);
}

/** Returns the parameter as it is sent; null for an invalid value. */
function wireParamOrNull(name: string, param: Param, value: unknown, context: CallContext): WireParam | null {
  switch (param.kind) {
    case 'text':
      return scalarParam(name, textArgument(param, value, context), 'string');
    case 'choice':
      return scalarParam(name, choiceArgument(param, value), typeof value === 'number' ? 'number' : 'string');
    case 'integer':
      return scalarParam(name, integerArgument(param, value), param.wire);
    case 'time':
      return scalarParam(name, Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : null, 'number');
    case 'decimal':
      return scalarParam(name, isPositiveDecimal(value) ? value : null, param.wire);
    case 'id':
      return scalarParam(name, isId(value) ? value : null, param.wire);
    case 'interval':
      return scalarParam(name, intervalArgument(value, context), 'string');
    case 'ids': {
      if (!isListUpTo(value, param.max) || !value.every(isId)) return null;
      return { name, text: value.join(','), json: `[${value.join(',')}]` };
    }
    case 'rows': {
      if (!isListUpTo(value, param.max)) return null;
      const rows = value.map((row, index) => rowArgument(param.row, row, { ...context, op: `${context.op} ${name}[${index}]` }));
      const json = `[${rows.join(',')}]`;
      return { name, text: json, json };
    }
    default:
      return assertNever(param);
  }
}

/** Returns a parameter with one value; null for an invalid value, whose text is null. */
const scalarParam = (name: string, text: string | null, wire: 'number' | 'string'): WireParam | null =>
  text === null ? null : { name, text, json: wire === 'string' ? `"${text}"` : text };

/** Returns a row of a list, such as an order of a batch, as JSON text. Throws ConfigError for an invalid row. */
function rowArgument(params: Params, row: unknown, context: CallContext): string {
  if (!isArguments(row)) throw new ConfigError(`${context.op}: expected an object, got ${quotedArgument(row)}`, namesHint(params));
  return jsonBodyOf(writeParams(params, row, context));
}

/** Returns the JSON object of these parameters. */
export function jsonBodyOf(written: readonly WireParam[]): string {
  let members = '';
  for (const { name, json } of written) members += members === '' ? `"${name}":${json}` : `,"${name}":${json}`;
  return `{${members}}`;
}

/** Returns the query of these parameters, with its question mark; empty without parameters. */
export const queryText = (written: readonly WireParam[]): string =>
  written.length === 0 ? '' : `?${written.map(({ name, text }) => `${name}=${encodeURIComponent(text)}`).join('&')}`;

const isArguments = (value: unknown): value is CallArguments => typeof value === 'object' && value !== null && !Array.isArray(value);
const isListUpTo = (value: unknown, max: number): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.length <= max;

/** Pattern of the names of instruments. They need no escapes in JSON. In a query, only a slash does. */
const INSTRUMENT_NAME = /^[A-Za-z0-9/_-]{1,64}$/;
/** Pattern of client order ids. */
export const CLIENT_ID = /^[A-Za-z0-9_-]{1,31}$/;

/** True for an id of the venue: a whole number above 0 in at most 31 digits. */
const isId = (value: unknown): value is string => typeof value === 'string' && /^[1-9]\d{0,30}$/.test(value);
/** Maximum length of a decimal argument. Prices and quantities are far shorter. */
const MAX_DECIMAL_CHARS = 60;

/** True for a plain decimal above 0, as JSON writes it. Its digits are sent unchanged. */
const isPositiveDecimal = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_DECIMAL_CHARS && /^(0|[1-9]\d*)(\.\d+)?$/.test(value) && /[1-9]/.test(value);

/** Returns a text argument in wire form. Null if it is invalid. */
function textArgument({ of }: TextParam, value: unknown, { market, dialect }: CallContext): string | null {
  if (typeof value !== 'string') return null;
  // On the wire, `0` means that there is no id.
  if (of === 'clientId') return CLIENT_ID.test(value) && value !== '0' ? value : null;
  if (!INSTRUMENT_NAME.test(value)) return null;
  return market === 'spot' && dialect.symbolCase === 'lower' ? value.toLowerCase() : value.toUpperCase();
}

const choiceArgument = ({ values }: ChoiceParam, value: unknown): string | null =>
  values.some((validValue) => validValue === value) ? String(value) : null;

const integerArgument = ({ min, max }: IntegerParam, value: unknown): string | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? String(value) : null;

/** Returns an interval in the spelling of the market and the dialect. Null if it is not a common interval. */
function intervalArgument(value: unknown, { market, dialect }: CallContext): string | null {
  const interval = typeof value === 'string' ? parseCommonInterval(value) : null;
  return interval === null ? null : wireInterval(market, interval, dialect);
}

/** Returns the intervals whose klines the market has. */
const marketIntervals = (market: Market, dialect: Dialect): readonly string[] =>
  INTERVALS.filter((interval) => wireInterval(market, interval, dialect) !== null);

/** Returns a description of the valid values of a parameter. */
export function expected(param: Param): string {
  switch (param.kind) {
    case 'text':
      return param.of === 'clientId' ? 'at most 31 of A-Z a-z 0-9 _ -' : 'a name of A-Z 0-9 / _ -';
    case 'choice':
      return param.values.join(', ');
    case 'integer':
      return `a whole number from ${param.min} to ${param.max}`;
    case 'time':
      return 'Unix ms';
    case 'decimal':
      return 'a plain decimal above 0';
    case 'id':
      return 'digits';
    case 'interval':
      return `one of ${INTERVALS.join(' ')} that the market has`;
    case 'ids':
      return `1 to ${param.max} ids, such as 1,2 or [1,2]`;
    case 'rows':
      return `1 to ${param.max} of {${Object.keys(param.row).join(', ')}}`;
    default:
      return assertNever(param);
  }
}

/** Maximum length of an argument in a message. */
const MAX_QUOTED_CHARS = 60;

/** Returns an argument as it appears in messages. */
function quotedArgument(value: unknown): string {
  const unquotedText = Array.isArray(value) ? `a list of ${value.length}` : String(value);
  const text = typeof value === 'string' ? `"${value}"` : unquotedText;
  return text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS - 3)}...`;
}
