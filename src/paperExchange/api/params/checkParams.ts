// Step 12 of the order of checks: each parameter of the endpoint table is there, of its type, of its characters and of its values.

import { assertNever } from '../../../base/assert.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Param, Params } from '../../../protocol/endpoints/endpoint.ts';
import { isList, isObject, JsonNumber, type Json, plainDecimal } from '../../../protocol/json/json.ts';
import type { CallArgs } from '../call.ts';
import type { Profile } from '../../dialect/switches.ts';
import { parseList } from './parseList.ts';
import { isWindowName, readWindow, type Sent } from './readParams.ts';

/** What the check has to know beyond the table. */
export interface Rules {
  readonly profile: Profile;
  readonly market: Market;
  /** A create takes symbols in any case, whatever the profile. */
  readonly anyCase: boolean;
  /** An id may be anything, or missing: a query answers null to what it does not find (exchange dialect, 10.3). */
  readonly anyId: boolean;
  readonly place: 'query' | 'body';
  /** By its name on the wire, in upper case. */
  readonly instrumentNamed: (name: string) => Instrument | undefined;
  /** False for an interval that the market does not have. */
  readonly isInterval: (name: string) => boolean;
}

/** What stands in `Args`, or the code of what is wrong. */
export type Checked = { readonly args: CallArgs } | { readonly code: number };

const { mandatoryParamEmpty, paramEmpty, badSymbol, illegalChars, tooManyParameters } = VENUE_CODES;
const { invalidSide, invalidOrderType, paramError } = VENUE_CODES;

/** Parameters of one call, in the making. */
interface Making {
  readonly texts: Map<string, string>;
  instrument: Instrument | null;
  ids: readonly string[];
  rows: readonly CallArgs[];
}

/** One parameter, and what of it is the same at every call. */
interface Planned {
  readonly name: string;
  readonly param: Param;
  /** Under any of them it may be sent. */
  readonly names: readonly string[];
  /** Of an instrument. */
  readonly isName: boolean;
  readonly wire: 'number' | 'string';
  /** Texts of a choice; none for what is no choice. */
  readonly choices: ReadonlySet<string>;
}

/** The parameters of a call as they are checked; made once. */
export interface ParamPlan {
  readonly params: readonly Planned[];
  /** At least one of these. */
  readonly either: readonly string[];
  readonly known: ReadonlySet<string>;
  /** Of the elements of a list of rows. */
  readonly row: ParamPlan | null;
}

export function paramPlanOf(params: Params): ParamPlan {
  const entries = Object.entries(params);
  const rows = entries.map(([, param]) => param).find((param) => param.kind === 'rows');
  return {
    params: entries.flatMap(([name, param]) => {
      if (param.onlyWith !== undefined && comesLater(entries, name, param.onlyWith.name)) return [];
      const late = entries.filter(([other, { onlyWith }]) => onlyWith?.name === name && comesLater(entries, other, name));
      return [planned(name, param), ...late.map((each) => planned(...each))];
    }),
    either: entries.filter(([, { need }]) => need === 'either').map(([name]) => name),
    known: new Set(entries.flatMap(([name, { otherNames = [] }]) => [name, ...otherNames])),
    row: rows === undefined ? null : paramPlanOf(rows.row),
  };
}

function planned(name: string, param: Param): Planned {
  return {
    name,
    param,
    names: [name, ...(param.otherNames ?? [])],
    isName: param.kind === 'text' && param.of !== 'clientId',
    wire: wireOf(param),
    choices: new Set(param.kind === 'choice' ? param.values.map(String) : []),
  };
}

/** A conditional parameter that stands before the one it hangs on is checked right after that one. */
const comesLater = (entries: readonly (readonly [string, Param])[], name: string, other: string): boolean =>
  entries.findIndex(([each]) => each === name) < entries.findIndex(([each]) => each === other);

/** Names that the call does not know: -1103 under `unknownParams: reject`. */
export function unknownName({ known }: ParamPlan, sent: Sent, { unknownParams }: Profile): number {
  if (unknownParams === 'ignore') return 0;
  for (const name of sent.keys()) if (!known.has(name) && !isWindowName(name)) return VENUE_CODES.unknownParam.code;
  return 0;
}

/** Parameters in the order of the table; the first that is wrong answers. */
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

/** What was sent for a parameter, under whichever of its names. */
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
  // Malformed, as the specification has it.
  if (isList(value) || isObject(value)) return mandatoryParamEmpty.code;
  if (rules.anyId && param.need === 'either') {
    if (typeof value === 'string') making.texts.set(name, value);
    return 0;
  }
  if (typeof value !== 'boolean' && isUnread(param, making)) {
    // Of a profile that refuses what is not read it is the combination that is wrong.
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

/** A parameter that goes with a value which another one, already checked, has not. */
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

/** Characters and value of a scalar. */
function checkText({ name, param, choices }: Planned, text: string, rules: Rules, making: Making): number {
  switch (param.kind) {
    case 'text':
      if (param.of === 'clientId') {
        if (!/^[A-Za-z0-9_-]{1,31}$/.test(text)) return illegalChars.code;
        // The wire writes no id as 0.
        if (text === '0') return 0;
        break;
      }
      return checkName(text, rules, making);
    case 'choice':
      if (!choices.has(text)) return codeOfChoice(name);
      break;
    case 'integer': {
      const whole = /^\d+$/.test(text) ? Number(text) : NaN;
      // A leverage that nobody has, below zero or beyond counting, is as wrong as one that the contract has not.
      if (name === 'nowLevel' && /^-?\d+$/.test(text) && !(whole >= param.min && whole <= param.max)) return paramError.code;
      if (!(whole >= param.min)) return mandatoryParamEmpty.code;
      if (whole > param.max && (name !== 'limit' || rules.profile.limitTooLarge === 'reject')) return mandatoryParamEmpty.code;
      making.texts.set(name, String(Math.min(whole, param.max)));
      return 0;
    }
    case 'decimal': {
      // As a number of the body is read, whether it comes as one or as text: its value decides, however it is written.
      const plain = plainDecimal(text);
      if (plain === null) return mandatoryParamEmpty.code;
      // Of a price alone: a quantity below its minimum has a code of its own, later.
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

/** The name of an instrument: its characters, its case, and that there is one. */
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
