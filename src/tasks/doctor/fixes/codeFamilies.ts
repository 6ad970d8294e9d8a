// Groups error codes into families with the same cause and the same fix, for a user who sets up the access to an exchange.

import { VENUE_CODES } from '../../../model/venueCodes.ts';

/** Families, each with the names of its error codes. */
const FAMILIES = {
  header: ['noKeyHeader', 'noContentType', 'noTimestampHeader', 'noSignatureHeader'],
  signature: ['invalidSignature'],
  time: ['invalidTimestamp'],
  key: ['rejectedKey'],
  company: ['noThisCompany'],
  address: ['illegalIp'],
  rate: ['tooManyRequests'],
  fault: ['unknown', 'disconnected', 'unexpectedResponse', 'timeout', 'shuttingDown'],
  // The service does not support the operation.
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
  // The order has a form that the market does not accept.
  form: ['unknownComposition', 'invalidOrderType', 'invalidSide', 'marketNotSupported'],
  account: ['tooManyOrders', 'balanceNotEnough', 'closeVolumeExceeded'],
  endedOrder: ['noPendingOrder', 'cancelNotAllowed', 'noSuchOrder'],
  // The exchange or the account may not trade.
  frozen: ['exchangeLock', 'accountRestricted'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof VENUE_CODES)[]>>;

/** The name of a family. */
export type CodeFamily = keyof typeof FAMILIES;

const isFamily = (name: string): name is CodeFamily => Object.hasOwn(FAMILIES, name);

const familiesByCode = new Map<number, CodeFamily>();
for (const family of Object.keys(FAMILIES).filter(isFamily)) {
  for (const name of FAMILIES[family]) familiesByCode.set(VENUE_CODES[name].code, family);
}

/** Returns the family of a code; null: unknown code. */
export const codeFamily = (code: number): CodeFamily | null => familiesByCode.get(code) ?? null;
