// Profiles of the paper exchange: a value for each switch. Also the three shipped profiles, as differences from the specification.

import { ConfigError } from '../../base/errors.ts';
import { type Profile, type SwitchName, SWITCHES } from './switches.ts';

const SWITCH_NAMES: readonly SwitchName[] = Object.keys(SWITCHES).filter(isSwitch);

function isSwitch(name: string): name is SwitchName {
  return Object.hasOwn(SWITCHES, name);
}

/** The part of a profile that a file sets: some switches and their values. */
export type SwitchValues = Readonly<Record<string, unknown>>;

/**
 * Returns a profile with the values of `overrides` in place of the specification's. Throws ConfigError at an unknown switch or an invalid value.
 */
export function profileOf(overrides: SwitchValues, where = 'profile'): Profile {
  for (const [name, value] of Object.entries(overrides)) {
    if (!isSwitch(name)) throw new ConfigError(`${where} ${name}: no such switch`, switchRemedy(name));
    const spec = SWITCHES[name];
    if ('defaultNumber' in spec) {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) continue;
      throw new ConfigError(`${where} ${name}: expected a whole number above 0, got ${quotedValue(value)}`, spec.meaning);
    }
    if (spec.values.some((allowedValue) => allowedValue === value)) continue;
    throw new ConfigError(`${where} ${name}: expected ${spec.values.join(' or ')}, got ${quotedValue(value)}`, spec.meaning);
  }
  // Every switch has a valid value: one checked above, or its default.
  return Object.fromEntries(SWITCH_NAMES.map((name) => [name, overrides[name] ?? defaultOf(name)])) as Profile;
}

/** Returns the value that the specification's reading gives a switch. */
export function defaultOf(name: SwitchName): string | boolean | number {
  const row = SWITCHES[name];
  return 'defaultNumber' in row ? row.defaultNumber : row.values[0]!;
}

const quotedValue = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : JSON.stringify(value));

/** Returns the remedy for an unknown switch: the switch that differs only in case, or the list of all. */
function switchRemedy(name: string): string {
  const similar = SWITCH_NAMES.find((each) => each.toLowerCase() === name.toLowerCase());
  return similar === undefined ? `switches: ${SWITCH_NAMES.join(' ')}` : `did you mean ${similar}?`;
}

/** Rejects every doubtful request. */
const STRICT: SwitchValues = {
  signQuery: 'include',
  replayedRequest: 'refuse',
  banAfter: 5,
  batchWeight: 'elements',
  strictTypes: true,
  unknownParams: 'reject',
  requiredWithDefault: 'reject',
  limitTooLarge: 'reject',
  symbolCase: 'upper',
  batchOrdersMethod: 'post',
  batchPartial: 'refuse',
  batchCancelField: 'orderIds',
  conditionRequired: 'all',
  conditionPath: 'slash',
  positionTypeRequired: 'yes',
  secondCancel: 'refuse',
  cancelByClientId: 'refuse',
};

/** Accepts most requests, and answers in the wrapped shapes seen on real services. */
const LENIENT: SwitchValues = {
  contentType: 'post',
  precisionCodes: 'byField',
  testOrderScope: 'parameters',
  settingsInUse: 'accept',
  errorHttp: 'http200',
  errorBody: 'dataNull',
  unknownPath: 'code',
  lists: 'list',
  symbolsShape: 'symbols',
  spotOrderId: 'both',
  batchIds: 'both',
  historyMax: '500',
  balancesUid: 'on',
  depthTime: 'null',
  klinesRange: 'startEnd',
  intervals: 'futures4h',
  heartbeatForm: 'message',
};

/** The shipped profiles by name. `seed` is the specification's reading. */
export const PROFILES: Readonly<Record<'seed' | 'strict' | 'lenient', Profile>> = {
  seed: profileOf({}),
  strict: profileOf(STRICT),
  lenient: profileOf(LENIENT),
};
