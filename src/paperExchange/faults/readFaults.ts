// Corrupts replies to reads: lists are cut, doubled or reversed, and fields are removed or replaced.

import { isList, isObject, type Json, writeJson } from '../../protocol/json/json.ts';
import { parseJson } from '../../protocol/json/parseJson.ts';
import type { ServiceResponse } from '../api/message.ts';
import { type Fault, faultNumber, type FaultPoint, faultText } from './faults.ts';

type ReplyChange = (fault: Fault, json: Json) => Json;

const CHANGE_BY_POINT: Readonly<Partial<Record<FaultPoint, ReplyChange>>> = {
  'READ.truncate': (fault, json) => changeList(json, (rows) => rows.slice(0, faultNumber(fault, 'rows'))),
  'READ.duplicate': (_, json) => changeList(json, (rows) => [...rows.slice(0, 1), ...rows]),
  'READ.reverse': (_, json) => changeList(json, (rows) => rows.toReversed()),
  'READ.remove': (fault, json) => changeField(json, faultText(fault, 'field'), null),
  'READ.replace': (fault, json) => changeField(json, faultText(fault, 'field'), faultText(fault, 'value')),
};

/** Returns the reply with the faults applied. Errors and text that is not JSON stay unchanged. */
export function corruptReply(response: ServiceResponse, active: ReadonlyMap<FaultPoint, Fault>): ServiceResponse {
  const changes = Array.from(active.values()).filter(({ point }) => CHANGE_BY_POINT[point] !== undefined);
  if (changes.length === 0 || response.status !== 200) return response;
  const parsed = parseJson(response.body);
  if (!parsed.ok) return response;
  const changed = changes.reduce<Json>((json, fault) => CHANGE_BY_POINT[fault.point]?.(fault, json) ?? json, parsed.value);
  return { ...response, body: writeJson(changed) };
}

/** Changes the first list that the reply is or contains. */
function changeList(json: Json, change: (rows: readonly Json[]) => readonly Json[]): Json {
  if (isList(json)) return change(json);
  if (!isObject(json)) return json;
  const listMember = Array.from(json).find(([, value]) => hasList(value));
  if (listMember === undefined) return json;
  return new Map(Array.from(json, ([name, value]) => [name, name === listMember[0] ? changeList(value, change) : value]));
}

const hasList = (json: Json): boolean => isList(json) || (isObject(json) && Array.from(json.values()).some(hasList));

/** Sets a field to `value` in every object that has it. Null removes the field. */
function changeField(json: Json, field: string, value: string | null): Json {
  if (isList(json)) return json.map((element) => changeField(element, field, value));
  if (!isObject(json)) return json;
  const keptMembers = Array.from(json).filter(([name]) => value !== null || name !== field);
  return new Map(keptMembers.map(([name, member]) => [name, name === field && value !== null ? value : changeField(member, field, value)]));
}
