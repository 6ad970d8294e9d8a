// Tests the spellings of status codes (exchange dialect, section 6): each text and integer is read as exactly one status.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  codeOf,
  ORDER_SOURCES,
  ORDER_TYPES,
  readCode,
  readStatus,
  STATUS_MEANING,
  statusInteger,
  TIME_IN_FORCE,
  TRIGGER_STATUSES,
  TRIGGER_TYPES,
} from './codes.ts';

test.each([
  ['INIT', '0', 'INIT', 'init', ' Init '],
  ['NEW', '1', 'NEW', 'NEW_', 'New Order', 'NEW_ORDER', 'new'],
  ['FILLED', '2', 'FILLED', 'Filled'],
  ['PARTIALLY_FILLED', '3', 'PARTIALLY_FILLED', 'PART_FILLED', 'Partially Filled'],
  ['CANCELED', '4', '7', 'CANCELED', 'CANCELLED', 'Cancelled', 'PARTIALLY_FILLED/CANCELED', 'Partially Filled/Canceled', 'PART_CANCELED'],
  ['PENDING_CANCEL', '5', 'PENDING_CANCEL', 'To be Canceled', 'TO_BE_CANCELLED', 'TO_BE_CANCELED'],
  ['EXPIRED', '6', 'EXPIRED'],
  ['REJECTED', 'REJECTED', 'rejected'],
])('each spelling of the status %s is read as that status', (status, ...spellings) => {
  for (const raw of spellings) expect(readStatus(raw)).toEqual({ word: status, raw });
});

test('each status is open, terminal or neither, and has a state and a reason', () => {
  expect(Object.entries(STATUS_MEANING).map(([status, { kind, lifecycle, reason }]) => [status, kind, lifecycle, reason])).toEqual([
    ['INIT', 'open', 'working', null],
    ['NEW', 'open', 'working', null],
    ['PARTIALLY_FILLED', 'open', 'working', null],
    ['PENDING_CANCEL', 'open', 'cancelSent', null],
    ['FILLED', 'terminal', 'done', 'filled'],
    ['CANCELED', 'terminal', 'done', 'canceled'],
    ['EXPIRED', 'terminal', 'done', 'expired'],
    ['REJECTED', 'terminal', 'done', 'rejected'],
    ['UNKNOWN', 'neither', null, null],
  ]);
});

test('a text or number outside of the table is UNKNOWN, which is never terminal', () => {
  const knownStatuses = new Set(Object.keys(STATUS_MEANING));
  for (const raw of [
    '8',
    '-1',
    '4.0',
    '',
    '_',
    'DONE',
    'CANCELEDX',
    'UNKNOWN',
    '__proto__',
    'constructor',
    'toString',
    '999999999999999999999',
    '٤',
  ]) {
    expect(readStatus(raw), raw).toEqual({ word: 'UNKNOWN', raw });
  }
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.bigInt().map(String)), (raw) => {
      const { word: status } = readStatus(raw);
      expect(knownStatuses.has(status)).toBe(true);
      if (STATUS_MEANING[status].kind === 'terminal') expect(raw).toMatch(/^\s*([2467]|[a-z_/ ]+)\s*$/i);
    }),
  );
});

test('integers are read as statuses, and statuses written as integers', () => {
  for (const status of ['INIT', 'NEW', 'FILLED', 'PARTIALLY_FILLED', 'CANCELED', 'PENDING_CANCEL', 'EXPIRED'] as const) {
    expect(readStatus(String(statusInteger(status))).word).toBe(status);
  }
  expect([statusInteger('REJECTED'), statusInteger('UNKNOWN')]).toEqual([null, null]);
});

test('order types, times in force, sources and triggers are read by integer and by name', () => {
  const statusesOf = (codes: Parameters<typeof readCode<string>>[0], ...raws: readonly string[]) =>
    raws.map((raw) => readCode(codes, raw).word);
  expect(statusesOf(ORDER_TYPES, '1', '2', '3', '4', '5', '6', '7', 'limit')).toEqual([
    'LIMIT',
    'MARKET',
    'IOC',
    'FOK',
    'POST_ONLY',
    'LIQUIDATION',
    'POSITION_MERGE',
    'LIMIT',
  ]);
  expect(statusesOf(TIME_IN_FORCE, '1', '2', '3', '4', '5', 'IOC')).toEqual(['LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'IOC']);
  expect(statusesOf(ORDER_SOURCES, '1', '2', '3', '4', '6')).toEqual(['WEB', 'APP', 'API', 'OTHER', 'UNKNOWN']);
  expect(statusesOf(TRIGGER_STATUSES, '0', '1', '2', '3', '4', '5')).toEqual([
    'PENDING',
    'EXPIRED',
    'TRIGGERED',
    'FAILED',
    'CANCELED',
    'UNKNOWN',
  ]);
  expect(statusesOf(TRIGGER_TYPES, '0', '1', '2', '3', '4')).toEqual(['UNKNOWN', 'STOP_LOSS', 'TAKE_PROFIT', 'RISES_TO', 'FALLS_TO']);
  expect(readCode(ORDER_TYPES, '9')).toEqual({ word: 'UNKNOWN', raw: '9' });
  for (const codes of [ORDER_TYPES, TIME_IN_FORCE, ORDER_SOURCES, TRIGGER_STATUSES, TRIGGER_TYPES]) {
    for (const status of codes.names) expect(readCode<string>(codes, String(codeOf<string>(codes, status))).word).toBe(status);
    expect(codeOf<string>(codes, 'UNKNOWN')).toBeNull();
  }
});
