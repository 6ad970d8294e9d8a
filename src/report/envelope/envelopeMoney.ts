// Values the profits of an envelope in the reporting asset, and checks whether each quote asset has enough money for its entries.

import { pow10 } from '../../base/number/exact.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { ratesOf, type Rates } from '../series/reportingView.ts';

/** The money of the instruments that share a quote asset. */
interface AssetMoney {
  /** By instrument: the largest amount of money that one of its entries reserves, in units. */
  readonly needs: Map<number, number>;
  /** Sum of the lowest profits of the entries less their profits in the run, in units. */
  lowestChange: number;
}

/**
 * The money of an envelope by quote asset. A profit in another quote asset stays in that asset, whatever the time of its trade. So its value
 * is its amount at the newest close of the conversion. The closes are the same in every order of events.
 */
export class EnvelopeMoney {
  private readonly record: RunRecord;
  private readonly assets = new Map<string, AssetMoney>();
  /** By instrument; null: its quote asset is the reporting asset. */
  private readonly rates: readonly (Rates | null)[];
  /** By instrument: the value of a unit of its quote asset at the end of the run. */
  private readonly unitValuesAtEnd: readonly number[];

  constructor(record: RunRecord) {
    this.record = record;
    this.rates = record.instruments.map(({ quote }) => ratesOf(quote, record));
    this.unitValuesAtEnd = this.rates.map((rates) => rates?.unitValue(record.toMs) ?? 1);
  }

  /** Returns the value of a unit of the instrument's quote asset at a time, in units of the reporting asset. */
  unitValue(instrumentIndex: number, timeMs: number): number {
    return this.rates[instrumentIndex]?.unitValue(timeMs) ?? 1;
  }
  /** Returns the value of a unit of the instrument's quote asset at the end of the run. */
  unitValueAtEnd(instrumentIndex: number): number {
    return this.unitValuesAtEnd[instrumentIndex]!;
  }
  /** The largest effect of the rounding of conversions, in units: half a unit by asset, in the run and in another order of events. */
  get conversionRounding(): number {
    return Math.max(0, (this.record.quoteAssets?.length ?? 0) - 1);
  }

  /** Notes the money that an entry reserves. */
  noteNeed(instrumentIndex: number, units: number): void {
    const { needs } = this.assetOf(instrumentIndex);
    if (units > (needs.get(instrumentIndex) ?? 0)) needs.set(instrumentIndex, units);
  }
  /** Notes how much less an entry may bring than in the run, in units of its quote asset. */
  noteLoss(instrumentIndex: number, units: number): void {
    this.assetOf(instrumentIndex).lowestChange += units;
  }

  /** Returns the money of an instrument's quote asset. */
  private assetOf(instrumentIndex: number): AssetMoney {
    const { quote } = this.record.instruments[instrumentIndex]!;
    const money = this.assets.get(quote) ?? { needs: new Map<number, number>(), lowestChange: 0 };
    this.assets.set(quote, money);
    return money;
  }

  /** True when the money may not have been enough for every entry. `lowestEquity` is by instant; null for the equity of the run. */
  isShort(lowestEquity: Float64Array | null): boolean {
    const { startUnits, equity, quoteAssets } = this.record;
    if (quoteAssets !== undefined) {
      return quoteAssets.some(({ asset, startUnits: units }) => {
        const { needs, lowestChange } = this.assets.get(asset) ?? { needs: new Map<number, number>(), lowestChange: 0 };
        return needs.size > 0 && sumOfNeeds(needs) > this.lowestBookUnits(asset, units) + lowestChange;
      });
    }
    const units = lowestEquity ?? equity.units;
    let minUnits = startUnits;
    for (let row = 0; row < equity.length; row++) if (units[row]! < minUnits) minUnits = units[row]!;
    let neededUnits = 0;
    for (const { needs } of this.assets.values()) neededUnits += sumOfNeeds(needs);
    return neededUnits > minUnits;
  }

  /** Returns the lowest value of an asset's cash, with its holdings at their cost, after any fill of the run. */
  private lowestBookUnits(asset: string, startUnits: number): number {
    const { fills, instruments } = this.record;
    const holdings = instruments.map(() => ({ lots: 0, cost: 0 }));
    let bookUnits = startUnits;
    let lowestUnits = startUnits;
    for (let row = 0; row < fills.length; row++) {
      const instrument = fills.instrument[row]!;
      if (instruments[instrument]!.quote !== asset) continue;
      const holding = holdings[instrument]!;
      const lots = fills.lots[row]!;
      const notional = fills.notional[row]!;
      if (fills.feeInBase[row] === 0) bookUnits -= fills.fee[row]!;
      if (fills.side[row] === 0) {
        const { baseDigits, quantityDigits } = instruments[instrument]!;
        const feeLots = fills.feeInBase[row] === 0 ? 0 : fills.fee[row]! / pow10(baseDigits - quantityDigits);
        holding.lots += lots - feeLots;
        holding.cost += notional;
      } else {
        const soldLots = Math.min(lots, holding.lots);
        const cost = holding.lots > 0 ? (holding.cost * soldLots) / holding.lots : 0;
        holding.lots -= soldLots;
        holding.cost -= cost;
        bookUnits += notional - cost;
      }
      lowestUnits = Math.min(lowestUnits, bookUnits);
    }
    return lowestUnits;
  }
}

/** Returns the sum of the needs of all instruments. */
const sumOfNeeds = (needs: ReadonlyMap<number, number>): number => [...needs.values()].reduce((sum, units) => sum + units, 0);
