// Groups error codes into families with the same cause and the same fix, for a user who sets up the access to an exchange.

import { VENUE_CODES } from '../../../model/venueCodes.ts';

const FAMILIES = {
  header: ['noKeyHeader', 'noContentType', 'noTimestampHeader', 'noSignatureHeader'],
  signature: ['invalidSignature'],
  time: ['invalidTimestamp'],
  key: ['rejectedKey'],
  company: ['noThisCompany'],
  address: ['illegalIp'],
  rate: ['tooManyRequests'],
  fault: ['unknown', 'disconnected', 'unexpectedResponse', 'timeout', 'shuttingDown'],
  support: ['unsupportedOperation'],
  parameters: [
    'illegalChars',
    'tooManyParameters',
    'mandatoryParamEmpty',
    'unknownParam',
    'unreadParameters',
    'paramEmpty',
    'paramNotRequired',
    'paramError',
  ],
  instrument: ['badSymbol'],
  digits: ['badPrecision', 'priceVolumePrecision'],
  size: ['quantityTooSmall'],
  price: ['priceWaveExceed'],
  form: ['unknownComposition', 'invalidOrderType', 'invalidSide', 'marketNotSupported'],
  account: ['tooManyOrders', 'balanceNotEnough', 'closeVolumeExceeded'],
  endedOrder: ['noPendingOrder', 'cancelNotAllowed', 'noSuchOrder'],
  frozen: ['exchangeLock', 'accountRestricted'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof VENUE_CODES)[]>>;

/** The name of a family. */
export type CodeFamily = keyof typeof FAMILIES;

const isFamily = (name: string): name is CodeFamily => Object.hasOwn(FAMILIES, name);

const familyOf: ReadonlyMap<number, CodeFamily> = new Map(
  Object.keys(FAMILIES)
    .filter(isFamily)
    .flatMap((family) => FAMILIES[family].map((name): [number, CodeFamily] => [VENUE_CODES[name].code, family])),
);

/** Returns the family of a code; null: unknown code. */
export const codeFamily = (code: number): CodeFamily | null => familyOf.get(code) ?? null;
