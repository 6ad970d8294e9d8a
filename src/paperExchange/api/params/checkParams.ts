// Validates the parameters of a request against the endpoint table: step 12 of the order of checks.

import { assertNever } from '../../../base/assert.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Param, Params } from '../../../protocol/endpoints/endpoint.ts';
import { isList, isObject, JsonNumber, type Json, plainDecimal } from '../../../protocol/json/json.ts';
import type { CallArgs } from '../call.ts';
import type { Profile } from '../../dialect/switches.ts';
import { parseList } from './parseList.ts';
import { isWindowName, readWindow, type Sent } from './readParams.ts';

/** What the check needs to know in addition to the table. */
export interface Rules {
  readonly profile: Profile;
  readonly market: Market;
  /** A create request accepts symbols in any case, whatever the profile. */
  readonly anyCase: boolean;
  /** An id may have any value or be missing: a query answers null if it finds no order (exchange dialect, 10.3). */
  readonly anyId: boolean;
  readonly place: 'query' | 'body';
  /** Finds an instrument by its wire name, in upper case. */
  readonly instrumentNamed: (name: string) => Instrument | undefined;
  /** Returns false for an interval that the market does not have. */
  readonly isInterval: (name: string) => boolean;
}

/** The checked arguments, or the error code of the first problem. */
export type Checked = { readonly args: CallArgs } | { readonly code: number };

const { mandatoryParamEmpty, paramEmpty, badSymbol, illegalChars, tooManyParameters } = VENUE_CODES;
const { invalidSide, invalidOrderType, paramError } = VENUE_CODES;

/** The arguments of one call while they are collected. */
interface Making {
  readonly texts: Map<string, string>;
  instrument: Instrument | null;
  ids: readonly string[];
  rows: readonly CallArgs[];
}

/** One parameter with everything that is the same at every call. */
interface Planned {
  readonly name: string;
  readonly param: Param;
  /** All names under which it may be sent. */
  readonly names: readonly string[];
  /** True for the name of an instrument. */
  readonly isName: boolean;
  readonly wire: 'number' | 'string';
  /** The allowed texts of a choice; empty for other kinds. */
  readonly choices: ReadonlySet<string>;
}

/** How the parameters of an operation are checked. Built once for each operation. */
export interface ParamPlan {
  readonly params: readonly Planned[];
  /** At least one of these must be sent. */
  readonly either: readonly string[];
  readonly known: ReadonlySet<string>;
  /** The plan for the elements of a list of rows. */
  readonly row: ParamPlan | null;
}

export function paramPlanOf(params: Params): ParamPlan {
  const entries = Object.entries(params);
  const rows = entries.map(([, param]) => param).find((param) => param.kind === 'rows');
  return {
    params: entries.flatMap(([name, param]) => {
      if (param.onlyWith !== undefined && comesLater(entries, name, param.onlyWith.name)) return [];
      const late = entries.filter(([other, { onlyWith }]) => onlyWith?.name === name && comesLater(entries, other, name));
      return [planParam(name, param), ...late.map((each) => planParam(...each))];
    }),
    either: entries.filter(([, { need }]) => need === 'either').map(([name]) => name),
    known: new Set(entries.flatMap(([name, { otherNames = [] }]) => [name, ...otherNames])),
    row: rows === undefined ? null : paramPlanOf(rows.row),
  };
}

function planParam(name: string, param: Param): Planned {
  return {
    name,
    param,
    names: [name, ...(param.otherNames ?? [])],
    isName: param.kind === 'text' && param.of !== 'clientId',
    wire: wireOf(param),
    choices: new Set(param.kind === 'choice' ? param.values.map(String) : []),
  };
}

/** True when a conditional parameter comes before the one that it depends on. It is then checked right after that one. */
const comesLater = (entries: readonly (readonly [string, Param])[], name: string, other: string): boolean =>
  entries.findIndex(([each]) => each === name) < entries.findIndex(([each]) => each === other);

/** Returns -1103 if the call has a parameter that is not documented and the profile has `unknownParams: reject`, else 0. */
export function unknownName({ known }: ParamPlan, sent: Sent, { unknownParams }: Profile): number {
  if (unknownParams === 'ignore') return 0;
  for (const name of sent.keys()) if (!known.has(name) && !isWindowName(name)) return VENUE_CODES.unknownParam.code;
  return 0;
}

/** Checks parameters in the order of the table. The first invalid one sets the error code. */
export function checkParams(plan: ParamPlan, sent: Sent, rules: Rules): Checked {
  const { either } = plan;
  const making: Making = { texts: new Map(), instrument: null, ids: [], rows: [] };
  for (const each of plan.params) {
    const code = checkParam(each, valueOf(each, sent), plan, rules, making);
    if (code !== 0) return { code };
  }
  if (!rules.anyId && either.length > 0 && !either.some((name) => making.texts.has(name))) return { code: mandatoryParamEmpty.code };
  for (const [name, value] of sent) {
    if (!isWindowName(name) || value === null || readWindow(value) !== null) continue;
    return { code: mandatoryParamEmpty.code };
  }
  return { args: making };
}

/** Returns the value sent for a parameter, under any of its names. */
function valueOf({ names }: Planned, sent: Sent): Json | undefined {
  for (const each of names) {
    const found = sent.get(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkParam(of: Planned, value: Json | undefined, { row }: ParamPlan, rules: Rules, making: Making): number {
  const { name, param, isName } = of;
  if (isWindowName(name)) return 0;
  if (value === undefined || value === null) return absent(of, rules, making);
  if (param.kind === 'ids') return checkIds(value, param.max, rules, making);
  if (param.kind === 'rows' && row !== null) return checkRows(value, param.max, row, rules, making);
  // The specification treats a list or an object here as malformed.
  if (isList(value) || isObject(value)) return mandatoryParamEmpty.code;
  if (rules.anyId && param.need === 'either') {
    if (typeof value === 'string') making.texts.set(name, value);
    return 0;
  }
  if (typeof value !== 'boolean' && isUnread(param, making)) {
    // Step 13 judges it: under a profile that rejects unused parameters, the combination is invalid.
    making.texts.set(name, '');
    return 0;
  }
  if (value === '') {
    if (isName) return badSymbol.code;
    if (param.need === 'required' || param.need === 'disputed') return paramEmpty.code;
    return param.need === 'either' || param.kind === 'text' ? 0 : mandatoryParamEmpty.code;
  }
  if (typeof value === 'boolean') return mandatoryParamEmpty.code;
  if (value instanceof JsonNumber) {
    const isDigits = param.kind === 'integer' || param.kind === 'id' || param.kind === 'decimal' || param.kind === 'time';
    if (!isDigits && param.kind !== 'choice') return mandatoryParamEmpty.code;
  } else if (of.wire === 'number' && rules.place === 'body' && rules.profile.strictTypes) return mandatoryParamEmpty.code;
  const text = value instanceof JsonNumber ? value.text : value;
  return checkText(of, text, rules, making);
}

/** True when a parameter belongs to a value of another parameter, and that parameter, already checked, has a different value. */
function isUnread({ onlyWith }: Param, { texts }: Making): boolean {
  if (onlyWith === undefined) return false;
  const other = texts.get(onlyWith.name);
  return other !== undefined && other !== onlyWith.is;
}

function wireOf(param: Param): 'number' | 'string' {
  if (param.kind === 'integer' || param.kind === 'decimal' || param.kind === 'id') return param.wire;
  if (param.kind === 'choice') return typeof param.values[0] === 'number' ? 'number' : 'string';
  return param.kind === 'time' ? 'number' : 'string';
}

function absent({ name, param, isName }: Planned, { profile }: Rules, making: Making): number {
  const isDisputed = param.need === 'disputed' && profile.requiredWithDefault === 'reject';
  const isConditional = param.onlyWith !== undefined && making.texts.get(param.onlyWith.name) === param.onlyWith.is;
  if (param.need === 'required' || isDisputed || isConditional) return isName ? badSymbol.code : mandatoryParamEmpty.code;
  if (param.kind === 'integer' && param.default !== undefined) making.texts.set(name, String(param.default));
  return 0;
}

/** Checks characters and value of a scalar. Returns 0 or an error code. */
function checkText({ name, param, choices }: Planned, text: string, rules: Rules, making: Making): number {
  switch (param.kind) {
    case 'text':
      if (param.of === 'clientId') {
        if (!/^[A-Za-z0-9_-]{1,31}$/.test(text)) return illegalChars.code;
        // On the wire, 0 means that there is no id.
        if (text === '0') return 0;
        break;
      }
      return checkName(text, rules, making);
    case 'choice':
      if (!choices.has(text)) return codeOfChoice(name);
      break;
    case 'integer': {
      const whole = /^\d+$/.test(text) ? Number(text) : NaN;
      // A leverage below 0, or outside the range of the table, is as wrong as one that the contract does not allow.
      if (name === 'nowLevel' && /^-?\d+$/.test(text) && !(whole >= param.min && whole <= param.max)) return paramError.code;
      if (!(whole >= param.min)) return mandatoryParamEmpty.code;
      if (whole > param.max && (name !== 'limit' || rules.profile.limitTooLarge === 'reject')) return mandatoryParamEmpty.code;
      making.texts.set(name, String(Math.min(whole, param.max)));
      return 0;
    }
    case 'decimal': {
      // Parsed like a number of the body, whether it was sent as a number or as text. Only the value counts, not the notation.
      const plain = plainDecimal(text);
      if (plain === null) return mandatoryParamEmpty.code;
      // For prices only: a quantity below its minimum has its own error code, at a later step.
      if (/price/i.test(name) && (plain.startsWith('-') || !/[1-9]/.test(plain))) return mandatoryParamEmpty.code;
      making.texts.set(name, plain);
      return 0;
    }
    case 'id':
      if (!/^[A-Za-z0-9_-]{1,31}$/.test(text)) return illegalChars.code;
      if (!/^\d+$/.test(text)) return mandatoryParamEmpty.code;
      break;
    case 'interval':
      if (!rules.isInterval(text)) return mandatoryParamEmpty.code;
      break;
    case 'time':
      if (!/^[1-9]\d{0,14}$/.test(text)) return mandatoryParamEmpty.code;
      break;
    case 'ids':
    case 'rows':
      return mandatoryParamEmpty.code;
    default:
      return assertNever(param);
  }
  making.texts.set(name, text);
  return 0;
}

/** Checks the name of an instrument: its characters, its case, and that the instrument exists. Returns 0 or an error code. */
function checkName(text: string, { profile, market, anyCase, instrumentNamed }: Rules, making: Making): number {
  if (!/^[A-Za-z0-9/_-]{1,64}$/.test(text)) return illegalChars.code;
  const isUpperOnly = market === 'futures' || (profile.symbolCase === 'upper' && !anyCase);
  const found = instrumentNamed(isUpperOnly ? text : text.toUpperCase());
  if (found === undefined) return badSymbol.code;
  making.instrument = found;
  return 0;
}

function codeOfChoice(name: string): number {
  if (name === 'side') return invalidSide.code;
  return name === 'type' || name === 'batchType' ? invalidOrderType.code : paramError.code;
}

function checkIds(value: Json, max: number, rules: Rules, making: Making): number {
  const list = rules.place === 'query' ? parseList(value) : value;
  if (!isList(list) || list.length === 0) return mandatoryParamEmpty.code;
  if (list.length > max) return tooManyParameters.code;
  const ids: string[] = [];
  for (const each of list) {
    if (isList(each) || isObject(each)) return mandatoryParamEmpty.code;
    if (typeof each === 'string' && rules.profile.strictTypes) return mandatoryParamEmpty.code;
    const text = each instanceof JsonNumber ? each.text : typeof each === 'string' ? each : '';
    if (!/^\d{1,31}$/.test(text)) return mandatoryParamEmpty.code;
    ids.push(text);
  }
  making.ids = ids;
  return 0;
}

function checkRows(value: Json, max: number, row: ParamPlan, rules: Rules, making: Making): number {
  const list = rules.place === 'query' ? parseList(value) : value;
  if (!isList(list) || list.length === 0) return mandatoryParamEmpty.code;
  if (list.length > max) return tooManyParameters.code;
  const rows: CallArgs[] = [];
  for (const each of list) {
    if (!isObject(each)) return mandatoryParamEmpty.code;
    const code = unknownName(row, each, rules.profile);
    if (code !== 0) return code;
    const checked = checkParams(row, each, { ...rules, place: 'body' });
    if ('code' in checked) return checked.code;
    rows.push(checked.args);
  }
  making.rows = rows;
  return 0;
}
