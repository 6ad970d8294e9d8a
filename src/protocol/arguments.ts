// Converts the arguments of a call to query or body text. Checks every value, and keeps all digits of decimals.

import { assertNever } from '../base/assert.ts';
import { ConfigError } from '../base/errors.ts';
import type { Market } from '../model/instrument.ts';
import { INTERVALS, parseCommonInterval } from '../model/interval.ts';
import { wireInterval, type Dialect } from './dialect.ts';
import type { ChoiceParam, IntegerParam, Param, Params, TextParam } from './endpoints/endpoint.ts';

/** The arguments of a call, by the names of the table. */
export type CallArguments = Readonly<Record<string, unknown>>;

/** The call, for messages, and the dialect of the service. */
export interface Context {
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

/** Returns the parameters of a call, in the sequence of the table. Throws ConfigError for a missing, unknown or invalid parameter. */
export function writeParams(
  params: Params,
  args: CallArguments,
  context: Context,
  alwaysSent: readonly string[] = [],
): readonly WireParam[] {
  for (const name in args) {
    if (!Object.hasOwn(params, name)) throw new ConfigError(`${context.op} ${name}: no such parameter`, namesOf(params));
  }
  const written: WireParam[] = [];
  const { rows, either } = tableOf(params);
  for (let index = 0; index < rows.length; index++) {
    const { name, param } = rows[index]!;
    const value = args[name] ?? defaultOf(name, param, alwaysSent);
    if (value !== undefined) {
      checkIsAllowed(name, param, args, context);
      written.push(writeParam(name, param, value, context));
    } else if (isMissing(param, args)) {
      throw new ConfigError(`${context.op} ${name}: expected ${expected(param)}, got nothing`, `give ${name}: ${param.help}`);
    }
  }
  if (either.length > 0 && !written.some(({ name }) => either.includes(name))) {
    throw new ConfigError(`${context.op} ${either.join(' or ')}: expected one of them, got none`, `give ${either.join(' or ')}`);
  }
  return written;
}

/** Returns the value to send if the call gives none. */
function defaultOf(name: string, param: Param, alwaysSent: readonly string[]): number | undefined {
  if (param.kind !== 'integer') return undefined;
  return param.need === 'disputed' || alwaysSent.includes(name) ? param.default : undefined;
}

/** The parameters of an endpoint. */
interface ParamTable {
  readonly rows: readonly { readonly name: string; readonly param: Param }[];
  /** Names of the parameters with `either`: at least one must be given. */
  readonly either: readonly string[];
}

/** Tables that were computed, by parameters. They are cached, because many orders are sent each second. */
const TABLES = new WeakMap<Params, ParamTable>();

/** Returns the parameters of a call as a table, which is made once. */
function tableOf(params: Params): ParamTable {
  const cached = TABLES.get(params);
  if (cached) return cached;
  const rows = Object.entries(params).map(([name, param]) => ({ name, param }));
  const table = { rows, either: rows.filter(({ param: { need } }) => need === 'either').map(({ name }) => name) };
  TABLES.set(params, table);
  return table;
}

const namesOf = (params: Params): string =>
  Object.keys(params).length === 0 ? 'it has no parameters' : `it has ${Object.keys(params).join(', ')}`;

/** True when a parameter must be given and is not. */
function isMissing(param: Param, args: CallArguments): boolean {
  if (param.onlyWith) return args[param.onlyWith.name] === param.onlyWith.is;
  return param.need === 'required' || param.need === 'disputed';
}

/** Throws ConfigError for a parameter that may not be given with the others, or that the dialect does not have. */
function checkIsAllowed(name: string, param: Param, args: CallArguments, { op, dialect }: Context): void {
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
function writeParam(name: string, param: Param, value: unknown, context: Context): WireParam {
  const written = writtenOrNull(name, param, value, context);
  if (written !== null) return written;
  const { op, market, dialect } = context;
  const validValues = param.kind === 'interval' ? `one of ${intervalsOf(market, dialect).join(' ')}` : expected(param);
  throw new ConfigError(`${op} ${name}: expected ${validValues}, got ${quotedArgument(value)}`, `${name}: ${param.help}`);
}

/** Returns the parameter as it is sent; null for an invalid value. */
function writtenOrNull(name: string, param: Param, value: unknown, context: Context): WireParam | null {
  switch (param.kind) {
    case 'text':
      return scalar(name, textOf(param, value, context), 'string');
    case 'choice':
      return scalar(name, choiceOf(param, value), typeof value === 'number' ? 'number' : 'string');
    case 'integer':
      return scalar(name, integerOf(param, value), param.wire);
    case 'time':
      return scalar(name, Number.isSafeInteger(value) && Number(value) > 0 ? String(value) : null, 'number');
    case 'decimal':
      return scalar(name, isAmount(value) ? value : null, param.wire);
    case 'id':
      return scalar(name, isId(value) ? value : null, param.wire);
    case 'interval':
      return scalar(name, intervalOf(value, context), 'string');
    case 'ids': {
      if (!isListUpTo(value, param.max) || !value.every(isId)) return null;
      return { name, text: value.join(','), json: `[${value.join(',')}]` };
    }
    case 'rows': {
      if (!isListUpTo(value, param.max)) return null;
      const json = `[${value.map((row, index) => rowOf(param.row, row, { ...context, op: `${context.op} ${name}[${index}]` })).join(',')}]`;
      return { name, text: json, json };
    }
    default:
      return assertNever(param);
  }
}

const scalar = (name: string, text: string | null, wire: 'number' | 'string'): WireParam | null =>
  text === null ? null : { name, text, json: wire === 'string' ? `"${text}"` : text };

/** Returns a row of a list, such as an order of a batch, as JSON text. Throws ConfigError for an invalid row. */
function rowOf(params: Params, row: unknown, context: Context): string {
  if (!isArguments(row)) throw new ConfigError(`${context.op}: expected an object, got ${quotedArgument(row)}`, namesOf(params));
  return bodyOf(writeParams(params, row, context));
}

/** Returns the JSON object of these parameters. */
export function bodyOf(written: readonly WireParam[]): string {
  let members = '';
  for (const { name, json } of written) members += members === '' ? `"${name}":${json}` : `,"${name}":${json}`;
  return `{${members}}`;
}

/** Returns the query of these parameters, with its question mark; empty without parameters. */
export const queryOf = (written: readonly WireParam[]): string =>
  written.length === 0 ? '' : `?${written.map(({ name, text }) => `${name}=${encodeURIComponent(text)}`).join('&')}`;

const isArguments = (value: unknown): value is CallArguments => typeof value === 'object' && value !== null && !Array.isArray(value);
const isListUpTo = (value: unknown, max: number): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.length <= max;

/** Pattern of the names of instruments. They need no escapes in JSON. In a query, only a slash does. */
const NAME = /^[A-Za-z0-9/_-]{1,64}$/;
/** Pattern of client order ids. */
export const CLIENT_ID = /^[A-Za-z0-9_-]{1,31}$/;
const isId = (value: unknown): value is string => typeof value === 'string' && /^[1-9]\d{0,30}$/.test(value);
/** True for a plain decimal above 0, as JSON writes it. Its digits are sent unchanged. */
const isAmount = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 60 && /^(0|[1-9]\d*)(\.\d+)?$/.test(value) && /[1-9]/.test(value);

/** Returns a text argument in wire form. Null if it is invalid. */
function textOf({ of }: TextParam, value: unknown, { market, dialect }: Context): string | null {
  if (typeof value !== 'string') return null;
  // On the wire, `0` means that there is no id.
  if (of === 'clientId') return CLIENT_ID.test(value) && value !== '0' ? value : null;
  if (!NAME.test(value)) return null;
  return market === 'spot' && dialect.symbolCase === 'lower' ? value.toLowerCase() : value.toUpperCase();
}

const choiceOf = ({ values }: ChoiceParam, value: unknown): string | null =>
  values.some((validValue) => validValue === value) ? String(value) : null;

const integerOf = ({ min, max }: IntegerParam, value: unknown): string | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? String(value) : null;

/** Returns an interval in the spelling of the market and the dialect. Null if it is not a common interval. */
function intervalOf(value: unknown, { market, dialect }: Context): string | null {
  const interval = typeof value === 'string' ? parseCommonInterval(value) : null;
  return interval === null ? null : wireInterval(market, interval, dialect);
}

/** Returns the intervals that a market has. */
const intervalsOf = (market: Market, dialect: Dialect): readonly string[] =>
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

/** Returns an argument as it appears in messages. */
function quotedArgument(value: unknown): string {
  const unquotedText = Array.isArray(value) ? `a list of ${value.length}` : String(value);
  const text = typeof value === 'string' ? `"${value}"` : unquotedText;
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
