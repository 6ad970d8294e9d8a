// The demo exchange: two coins on spot and futures, seeded prices and one funded account. It needs no config.

import { createHash } from 'node:crypto';
import { lots } from '../../base/brand.ts';
import { instrumentId, type Instrument, type InstrumentId } from '../../model/instrument.ts';
import { PROFILES } from '../dialect/profile.ts';
import { SERVICE_DEFAULTS, type KeyConfig } from '../dialect/config.ts';
import { contractInstrument, type ContractEntry } from './file/contractEntry.ts';
import type { ExchangeSettings, InstrumentPrices } from './file/settings.ts';

/** Returns a spot pair that is quoted in USDT. */
export const spotPair = (base: string, priceDigits: number, quantityDigits: number): Instrument => ({
  id: instrumentId('spot', `${base}USDT`),
  market: 'spot',
  wireName: `${base}USDT`,
  base,
  quote: 'USDT',
  priceDigits,
  quantityDigits,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 1000,
  takerFeePpm: 1000,
});

/** Contracts worth about 6.5 and 3.2 USDT. */
const CONTRACTS: readonly ContractEntry[] = [
  { contractName: 'E-BTC-USDT', multiplier: '0.0001', priceDigits: 1, maxMarketVolume: 1_000_000 },
  { contractName: 'E-ETH-USDT', multiplier: '0.001', priceDigits: 2, maxMarketVolume: 1_000_000 },
];

/** Returns the key of the demo: the same for the same seed. It works only on an exchange on this computer. */
export function demoKey(seed: number): KeyConfig {
  const deriveSecret = (purpose: string): string => createHash('sha256').update(`isobar demo ${purpose} ${seed}`).digest('hex');
  return {
    apiKey: deriveSecret('key').slice(0, 32),
    secret: deriveSecret('secret'),
    permissions: { read: true, trade: true, markets: ['spot', 'futures'] },
    ips: null,
  };
}

/** Returns the settings of the demo. `seed` determines its prices and its key. */
export function demoSettings(seed: number): ExchangeSettings {
  const key = demoKey(seed);
  return {
    service: {
      ...SERVICE_DEFAULTS,
      instruments: [
        spotPair('BTC', 2, 5),
        spotPair('ETH', 2, 4),
        ...CONTRACTS.map((entry, index) => contractInstrument(entry, index, 'demo')),
      ],
      accounts: [
        {
          name: 'demo',
          uid: '10001',
          balances: { USDT: '100000', BTC: '1', ETH: '10' },
          futures: { balances: { USDT: '100000' } },
          keys: [key],
        },
      ],
      profile: PROFILES.seed,
    },
    prices: new Map<InstrumentId, InstrumentPrices>([
      [instrumentId('spot', 'BTCUSDT'), { kind: 'synthetic', price: '65000', quantity: 2 }],
      [instrumentId('spot', 'ETHUSDT'), { kind: 'synthetic', price: '3200', quantity: 30 }],
      [instrumentId('futures', 'E-BTC-USDT'), { kind: 'synthetic', price: '65000', quantity: 20_000 }],
      [instrumentId('futures', 'E-ETH-USDT'), { kind: 'synthetic', price: '3200', quantity: 30_000 }],
    ]),
    seed,
    speed: 1,
  };
}
