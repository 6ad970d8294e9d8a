// Lists the balances and positions of an account at the end of a run, in the bot's books and at the exchange, as rows that can be compared.

import type { Engine } from '../../src/engine/engine.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { ConvertedLedger } from '../../src/portfolio/convertedLedger.ts';
import { FuturesLedger } from '../../src/portfolio/futuresLedger.ts';
import { PairedLedger } from '../../src/portfolio/pairedLedger.ts';
import { SpotLedger } from '../../src/portfolio/spotLedger.ts';
import type { Service } from '../../src/paperExchange/service.ts';
import type { Row } from './tables.ts';

/** The exchange's first account, that of the bot. */
const ACCOUNT = 0;

/** Returns the balances and positions in the bot's books. */
export function booksOf({ ledger, instruments }: Engine): readonly Row[] {
  if (ledger instanceof SpotLedger) return spotRows(ledger, instruments);
  if (ledger instanceof FuturesLedger) return futuresRows(ledger);
  if (ledger instanceof ConvertedLedger) return Array.from(ledger.balances(), ([asset, units]) => ({ asset, units }));
  if (ledger instanceof PairedLedger) return [...futuresRows(ledger.futures), ...spotRows(ledger.spot, instruments)];
  throw new TypeError('expected a ledger of spot, of futures, or of both');
}

/** The position on one side of a contract. */
interface SidePosition {
  readonly lots: number;
  readonly entryUnits: number;
}

/** A side without a position. */
const FLAT: SidePosition = { lots: 0, entryUnits: 0 };

/** Returns the balances and positions of the exchange's first account, in the same rows. */
export function balancesOf({ sides: { spot, futures } }: Service, { instruments, ledger }: Engine): readonly Row[] {
  const { cashAsset } = ledger;
  const rows: Row[] = [];
  if (futures !== null) {
    const { wallets } = futures.venue;
    const asset = wallets.asset(cashAsset);
    const { free, locked } = wallets.wallet(ACCOUNT, asset);
    const totalMarginUnits = wallets.openPositions(ACCOUNT, asset).reduce((units, { marginUnits }) => units + marginUnits, 0);
    rows.push({ asset: cashAsset, units: free + locked + totalMarginUnits });
    for (const { id } of instruments.filter(({ market }) => market === 'futures')) {
      const contractIndex = wallets.contracts.findIndex(({ instrument }) => instrument.id === id);
      const openPositions = wallets.openPositions(ACCOUNT).filter(({ index }) => index === contractIndex);
      const long = openPositions.find(({ isLong }) => isLong) ?? FLAT;
      const short = openPositions.find(({ isLong }) => !isLong) ?? FLAT;
      rows.push(positionRow(id, long, short));
    }
  }
  if (spot !== null) {
    const balanceRow = (asset: string): Row => ({ asset, units: spot.venue.free(ACCOUNT, asset) + spot.venue.locked(ACCOUNT, asset) });
    if (ledger instanceof ConvertedLedger) return [...ledger.balances().keys()].map(balanceRow);
    rows.push(balanceRow(cashAsset), ...instruments.filter(({ market }) => market === 'spot').map(({ base }) => balanceRow(base)));
  }
  return rows;
}

/** Returns the cash and the holdings of a spot ledger. */
function spotRows(ledger: SpotLedger, instruments: readonly Instrument[]): readonly Row[] {
  const bases = instruments.flatMap(({ market, base }, index) =>
    market === 'spot' ? [{ asset: base, units: ledger.baseTotal(index) }] : [],
  );
  return [{ asset: ledger.cashAsset, units: ledger.cashTotal }, ...bases];
}

/** Returns the cash and the positions of a futures ledger. */
function futuresRows(ledger: FuturesLedger): readonly Row[] {
  const positions = ledger.instruments.map(({ id }, index) => positionRow(id, ledger.side(index, true), ledger.side(index, false)));
  return [{ asset: ledger.cashAsset, units: ledger.cashTotal }, ...positions];
}

/** Returns the row of a contract: lots and entry value of both sides. */
const positionRow = (asset: string, long: SidePosition, short: SidePosition): Row => ({
  asset,
  long: long.lots,
  longUnits: long.lots === 0 ? 0 : long.entryUnits,
  short: short.lots,
  shortUnits: short.lots === 0 ? 0 : short.entryUnits,
});
