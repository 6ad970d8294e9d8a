// Validates the parameters of a request against the endpoint table: step 12 of the order of checks.

import { assertNever } from '../../../base/assert.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { IntegerParam, Param, Params } from '../../../protocol/endpoints/endpoint.ts';
import { canonicalDecimal, isList, isObject, JsonNumber, type Json, plainDecimal } from '../../../protocol/json/json.ts';
import type { CallArgs } from '../call.ts';
import type { Profile } from '../../dialect/switches.ts';
import { parseList } from './parseList.ts';
import { isWindowName, readWindow, type SentValues } from './readParams.ts';

/** What the check needs to know in addition to the table. */
export interface ParamRules {
  readonly profile: Profile;
  readonly market: Market;
  /** True for a create request, which accepts symbols in any case under every profile. */
  readonly acceptsAnyCase: boolean;
  /** True if an id may have any value or be missing: a query answers null if it finds no order (exchange dialect, 10.3). */
  readonly acceptsAnyId: boolean;
  readonly place: 'query' | 'body';
  /** Finds an instrument by its wire name, in upper case. */
  readonly instrumentNamed: (name: string) => Instrument | undefined;
  /** Returns false for an interval that the market does not have. */
  readonly isInterval: (name: string) => boolean;
}

/** The checked arguments, or the error code of the first problem. */
export type CheckedParams = { readonly args: CallArgs } | { readonly code: number };

const { mandatoryParamEmpty, paramEmpty, badSymbol, illegalChars, tooManyParameters } = VENUE_CODES;
const { invalidSide, invalidOrderType, paramError } = VENUE_CODES;

/** The arguments of one call while they are collected. */
interface CollectedArgs {
  readonly texts: Map<string, string>;
  instrument: Instrument | null;
  ids: readonly string[];
  rows: readonly CallArgs[];
}

/** One parameter with everything that is the same at every call. */
interface ParamCheck {
  readonly name: string;
  readonly param: Param;
  /** All names under which it may be sent. */
  readonly names: readonly string[];
  /** True when the parameter is the symbol of an instrument. */
  readonly isSymbol: boolean;
  readonly wire: 'number' | 'string';
  /** The allowed texts of a choice; empty for other kinds. */
  readonly choices: ReadonlySet<string>;
}

/** How the parameters of an operation are checked. Built once for each operation. */
export interface ParamPlan {
  readonly params: readonly ParamCheck[];
  /** At least one of these must be sent. */
  readonly either: readonly string[];
  readonly names: ReadonlySet<string>;
  /** The plan for the elements of a list of rows. */
  readonly row: ParamPlan | null;
}

/** Returns the plan of a table of parameters. A conditional parameter is checked right after the one that it depends on. */
export function paramPlanOf(params: Params): ParamPlan {
  const entries = Object.entries(params);
  const rows = entries.map(([, param]) => param).find((param) => param.kind === 'rows');
  return {
    params: entries.flatMap(([name, param]) => {
      if (param.onlyWith !== undefined && comesBefore(entries, name, param.onlyWith.name)) return [];
      const dependents = entries.filter(
        ([dependentName, { onlyWith }]) => onlyWith?.name === name && comesBefore(entries, dependentName, name),
      );
      return [planParam(name, param), ...dependents.map(([dependentName, dependent]) => planParam(dependentName, dependent))];
    }),
    either: entries.filter(([, { need }]) => need === 'either').map(([name]) => name),
    names: new Set(entries.flatMap(([name, { otherNames = [] }]) => [name, ...otherNames])),
    row: rows === undefined ? null : paramPlanOf(rows.row),
  };
}

/** Returns a parameter with everything that its check needs. */
function planParam(name: string, param: Param): ParamCheck {
  return {
    name,
    param,
    names: [name, ...(param.otherNames ?? [])],
    isSymbol: param.kind === 'text' && param.of !== 'clientId',
    wire: wireOf(param),
    choices: new Set(param.kind === 'choice' ? param.values.map(String) : []),
  };
}

/** True when a conditional parameter comes before the one that it depends on. It is then checked right after that one. */
const comesBefore = (entries: readonly (readonly [string, Param])[], name: string, nameDependedOn: string): boolean => {
  const names = entries.map(([entryName]) => entryName);
  return names.indexOf(name) < names.indexOf(nameDependedOn);
};

/** Returns -1103 if the call has a parameter that is not documented and the profile has `unknownParams: reject`, else 0. */
export function codeOfUnknownNames({ names: known }: ParamPlan, sent: SentValues, { unknownParams }: Profile): number {
  if (unknownParams === 'ignore') return 0;
  for (const name of sent.keys()) if (!known.has(name) && !isWindowName(name)) return VENUE_CODES.unknownParam.code;
  return 0;
}

/** Checks parameters in the order of the table. The first invalid one sets the error code. */
export function checkParams(plan: ParamPlan, sent: SentValues, rules: ParamRules): CheckedParams {
  const { either } = plan;
  const collected: CollectedArgs = { texts: new Map(), instrument: null, ids: [], rows: [] };
  for (const param of plan.params) {
    const code = checkParam(param, valueOf(param, sent), plan, rules, collected);
    if (code !== 0) return { code };
  }
  if (!rules.acceptsAnyId && either.length > 0 && !either.some((name) => collected.texts.has(name)))
    return { code: mandatoryParamEmpty.code };
  for (const [name, value] of sent) {
    if (!isWindowName(name) || value === null || readWindow(value) !== null) continue;
    return { code: mandatoryParamEmpty.code };
  }
  return { args: collected };
}

/** Returns the value sent for a parameter, under any of its names. */
function valueOf({ names }: ParamCheck, sent: SentValues): Json | undefined {
  for (const name of names) {
    const value = sent.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Checks one parameter and adds its value to `collected`. Returns 0 or an error code. */
function checkParam(check: ParamCheck, value: Json | undefined, { row }: ParamPlan, rules: ParamRules, collected: CollectedArgs): number {
  const { name, param } = check;
  if (isWindowName(name)) return 0;
  if (value === undefined || value === null) return checkAbsent(check, rules, collected);
  if (param.kind === 'ids') return checkIds(value, param.max, rules, collected);
  if (param.kind === 'rows' && row !== null) return checkRows(value, param.max, row, rules, collected);
  // The specification treats a list or an object here as malformed.
  if (isList(value) || isObject(value)) return mandatoryParamEmpty.code;
  if (rules.acceptsAnyId && param.need === 'either') {
    if (typeof value === 'string') collected.texts.set(name, value);
    return 0;
  }
  if (typeof value !== 'boolean' && isUnused(param, collected)) {
    // Step 13 decides: a profile that rejects unused parameters makes the combination invalid.
    collected.texts.set(name, '');
    return 0;
  }
  if (value === '') return codeOfEmptyText(check);
  if (typeof value === 'boolean') return mandatoryParamEmpty.code;
  if (!hasWireType(check, value, rules)) return mandatoryParamEmpty.code;
  return checkText(check, value instanceof JsonNumber ? value.text : value, rules, collected);
}

/** Returns the error code of a parameter that was sent as an empty text; 0 if it counts as not sent. */
function codeOfEmptyText({ param, isSymbol }: ParamCheck): number {
  if (isSymbol) return badSymbol.code;
  if (param.need === 'required' || param.need === 'disputed') return paramEmpty.code;
  return param.need === 'either' || param.kind === 'text' ? 0 : mandatoryParamEmpty.code;
}

/** True when the parameter may have this JSON type. A number may be sent as text, except in a body of a profile with strict types. */
function hasWireType({ param: { kind }, wire }: ParamCheck, value: JsonNumber | string, { place, profile }: ParamRules): boolean {
  if (!(value instanceof JsonNumber)) return !(wire === 'number' && place === 'body' && profile.strictTypes);
  return kind === 'integer' || kind === 'id' || kind === 'decimal' || kind === 'time' || kind === 'choice';
}

/** True when a parameter belongs to a value of another parameter, and that parameter, already checked, has a different value. */
function isUnused({ onlyWith }: Param, { texts }: CollectedArgs): boolean {
  if (onlyWith === undefined) return false;
  const otherText = texts.get(onlyWith.name);
  return otherText !== undefined && otherText !== onlyWith.is;
}

/** Returns the JSON type that the table gives a parameter. */
function wireOf(param: Param): 'number' | 'string' {
  if (param.kind === 'integer' || param.kind === 'decimal' || param.kind === 'id') return param.wire;
  if (param.kind === 'choice') return typeof param.values[0] === 'number' ? 'number' : 'string';
  return param.kind === 'time' ? 'number' : 'string';
}

/** Handles a parameter that was not sent: sets its default, or returns the error code if it is required. */
function checkAbsent({ name, param, isSymbol }: ParamCheck, { profile }: ParamRules, collected: CollectedArgs): number {
  const isDisputed = param.need === 'disputed' && profile.requiredWithDefault === 'reject';
  const isConditional = param.onlyWith !== undefined && collected.texts.get(param.onlyWith.name) === param.onlyWith.is;
  if (param.need === 'required' || isDisputed || isConditional) return isSymbol ? badSymbol.code : mandatoryParamEmpty.code;
  if (param.kind === 'integer' && param.default !== undefined) collected.texts.set(name, String(param.default));
  return 0;
}

/** Checks characters and value of a scalar. Returns 0 or an error code. */
function checkText({ name, param, wire, choices }: ParamCheck, text: string, rules: ParamRules, collected: CollectedArgs): number {
  switch (param.kind) {
    case 'text':
      if (param.of === 'clientId') {
        if (!/^[A-Za-z0-9_-]{1,31}$/.test(text)) return illegalChars.code;
        // On the wire, 0 means that there is no id.
        if (text === '0') return 0;
        break;
      }
      return checkSymbol(text, rules, collected);
    case 'choice': {
      const choice = wire === 'number' ? (canonicalDecimal(text) ?? text) : text;
      if (!choices.has(choice)) return codeOfChoice(name);
      collected.texts.set(name, choice);
      return 0;
    }
    case 'integer':
      return checkInteger(name, param, text, rules, collected);
    case 'decimal':
      return checkDecimal(name, text, collected);
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
  collected.texts.set(name, text);
  return 0;
}

/** Checks a whole number and its range. Only the value counts: `5.0` and `5e0` are 5. Returns 0 or an error code. */
function checkInteger(
  name: string,
  { min, max }: Pick<IntegerParam, 'min' | 'max'>,
  text: string,
  { profile }: ParamRules,
  collected: CollectedArgs,
): number {
  const canonicalText = canonicalDecimal(text) ?? '';
  const integer = /^\d+$/.test(canonicalText) ? Number(canonicalText) : NaN;
  // A leverage below 0, or outside the range of the table, is as wrong as one that the contract does not allow.
  if (name === 'nowLevel' && /^-?\d+$/.test(canonicalText) && !(integer >= min && integer <= max)) return paramError.code;
  if (!(integer >= min)) return mandatoryParamEmpty.code;
  if (integer > max && (name !== 'limit' || profile.limitTooLarge === 'reject')) return mandatoryParamEmpty.code;
  collected.texts.set(name, String(Math.min(integer, max)));
  return 0;
}

/** Checks a decimal. It is parsed like a number of the body: only the value counts, not the notation. Returns 0 or an error code. */
function checkDecimal(name: string, text: string, collected: CollectedArgs): number {
  const decimal = plainDecimal(text);
  if (decimal === null) return mandatoryParamEmpty.code;
  // For prices only: a quantity below its minimum has its own error code, at a later step.
  if (/price/i.test(name) && (decimal.startsWith('-') || !/[1-9]/.test(decimal))) return mandatoryParamEmpty.code;
  collected.texts.set(name, decimal);
  return 0;
}

/** Checks the symbol of an instrument: its characters, its case, and that the instrument exists. Returns 0 or an error code. */
function checkSymbol(text: string, { profile, market, acceptsAnyCase, instrumentNamed }: ParamRules, collected: CollectedArgs): number {
  if (!/^[A-Za-z0-9/_-]{1,64}$/.test(text)) return illegalChars.code;
  const isUpperOnly = market === 'futures' || (profile.symbolCase === 'upper' && !acceptsAnyCase);
  const instrument = instrumentNamed(isUpperOnly ? text : text.toUpperCase());
  if (instrument === undefined) return badSymbol.code;
  collected.instrument = instrument;
  return 0;
}

/** Returns the error code of an invalid value of a choice. */
function codeOfChoice(name: string): number {
  if (name === 'side') return invalidSide.code;
  return name === 'type' || name === 'batchType' ? invalidOrderType.code : paramError.code;
}

/** Checks a list of order ids. Returns 0 or an error code. */
function checkIds(value: Json, max: number, rules: ParamRules, collected: CollectedArgs): number {
  const idList = rules.place === 'query' ? parseList(value) : value;
  if (!isList(idList) || idList.length === 0) return mandatoryParamEmpty.code;
  if (idList.length > max) return tooManyParameters.code;
  const ids: string[] = [];
  for (const id of idList) {
    if (isList(id) || isObject(id)) return mandatoryParamEmpty.code;
    if (typeof id === 'string' && rules.profile.strictTypes) return mandatoryParamEmpty.code;
    const text = id instanceof JsonNumber ? id.text : id;
    if (typeof text !== 'string' || !/^\d{1,31}$/.test(text)) return mandatoryParamEmpty.code;
    ids.push(text);
  }
  collected.ids = ids;
  return 0;
}

/** Checks a list of objects, such as the orders of a batch. Returns 0 or an error code. */
function checkRows(value: Json, max: number, row: ParamPlan, rules: ParamRules, collected: CollectedArgs): number {
  const rowList = rules.place === 'query' ? parseList(value) : value;
  if (!isList(rowList) || rowList.length === 0) return mandatoryParamEmpty.code;
  if (rowList.length > max) return tooManyParameters.code;
  const rows: CallArgs[] = [];
  for (const element of rowList) {
    if (!isObject(element)) return mandatoryParamEmpty.code;
    const code = codeOfUnknownNames(row, element, rules.profile);
    if (code !== 0) return code;
    const checked = checkParams(row, element, { ...rules, place: 'body' });
    if ('code' in checked) return checked.code;
    rows.push(checked.args);
  }
  collected.rows = rows;
  return 0;
}
