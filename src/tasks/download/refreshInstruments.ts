// Refreshes instrument records of the catalog from the exchange's current listing.

import { refreshInstrument } from '../../adapters/catalog/bars/appendBars.ts';
import { readInstrument } from '../../adapters/catalog/bars/catalog.ts';
import { checkSymbol } from '../../adapters/catalog/files/paths.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import { changedFields, proposedFor, instrumentRecordOf, storeContract, type ListedInstrument } from './listedInstruments.ts';
import { answerTo, listedIn, listMarket, type MarketService } from './marketService.ts';

/** Refreshes the records of symbols from the exchange's listing. Throws NoAnswer and ConfigError. */
export async function refreshInstruments(
  service: MarketService,
  market: Market,
  symbols: readonly string[],
  catalog: string,
): Promise<readonly RefreshedInstrument[]> {
  const listed = await listMarket(service, market);
  const requested = symbols.map((symbol) => listedIn(listed, market, checkSymbol(symbol)));
  const refreshed: RefreshedInstrument[] = [];
  for (const listing of requested) {
    const previous = readInstrument(catalog, market, listing.symbol);
    const base = previous ?? (await proposeRecord(service, listing));
    const instrument = refreshInstrument(catalog, instrumentRecordOf(listing, base));
    if (listing.contract) storeContract(catalog, listing.contract);
    refreshed.push({
      instrument,
      isNew: previous === null,
      isTradable: listing.isTradable,
      changes: previous ? changedFields(previous, instrument) : [],
    });
  }
  return refreshed;
}

/** An instrument record after a comparison with the exchange. */
export interface RefreshedInstrument {
  readonly instrument: Instrument;
  readonly isNew: boolean;
  readonly isTradable: boolean;
  readonly changes: readonly string[];
}

/** Proposes a record from the last price, because there are no bars. */
async function proposeRecord(service: MarketService, listed: ListedInstrument): Promise<Instrument> {
  const { market, symbol } = listed;
  const { last } =
    market === 'spot'
      ? await answerTo(service, 'spot.ticker', { symbol })
      : await answerTo(service, 'futures.ticker', { contractName: symbol });
  return proposedFor(listed, Number(last), Number(last));
}
