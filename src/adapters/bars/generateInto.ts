// Synthetic bars straight into the catalog.

import { existsSync } from 'node:fs';
import { ConfigError } from '../../base/errors.ts';
import { readEntry, readInstrument, storeBars } from './catalog.ts';
import { barsPath, checkSymbol } from './paths.ts';
import { generateBars, type GenerateOptions } from './generate.ts';
import { SYNTHETIC, type GapManifest } from './quality.ts';

/** Replaces synthetic bars of the same key, never others; a record that the catalog has is kept, with as many price digits as are needed. Throws ConfigError. */
export function generateInto(catalog: string, options: GenerateOptions): GapManifest {
  const { market = 'spot', interval } = options;
  const symbol = checkSymbol(options.symbol);
  const path = barsPath(catalog, { market, symbol, interval });
  if (existsSync(path) && !readEntry(catalog, { market, symbol, interval }).synthetic) {
    throw new ConfigError(`${path}: there are real bars`, 'choose another symbol, or another catalog (--catalog DIR)');
  }
  const bars = generateBars(options);
  const known = readInstrument(catalog, market, symbol);
  const priceDigits = Math.max(known?.priceDigits ?? 0, bars.instrument.priceDigits);
  const instrument = { ...(known ?? bars.instrument), priceDigits };
  return storeBars(catalog, { ...bars, instrument }, SYNTHETIC);
}
