// Trades of the catalog as execution-only rows: a row has the trades of one ms, and its tape each of them.

import { daysWithout, loadTrades, type LoadedTrades } from '../../adapters/catalog/trades/tradeStore.ts';
import type { BarStore } from '../../adapters/catalog/bars/store.ts';
import { tradesFolder, tradesManifestPath } from '../../adapters/catalog/trades/trades.ts';
import { ConfigError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { TRADE_ROWS } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import type { FeedPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/**
 * Returns rows of trades for each feed in which orders would fill. Throws ConfigError where there are none, or where they do not reach the
 * prices of the bars: a stop that a bar reaches would then not trigger.
 */
export function tradeFeeds(
  definition: Definition,
  source: DefinitionSource,
  store: BarStore,
  feeds: readonly FeedPlan[],
  where: string,
): readonly FeedPlan[] {
  if (Number(definition.fills?.impact?.coefficient ?? 0) > 0) {
    throw new ConfigError(
      `${whereIs(source, ['fills', 'impact'])}: expected fills in bars, whose range it needs, got ${TRADE_ROWS}`,
      'leave it out, or give slippage',
    );
  }
  return feeds.map((feed) => {
    const { bars, firstRow } = feed;
    const { instrument } = bars;
    if (instrument.contract !== undefined) {
      throw new ConfigError(
        `${where}: expected an instrument of spot, got ${instrument.id}: contracts do not fill against trades`,
        'for futures write an interval, or finest',
      );
    }
    const { folder } = store;
    if (folder === null)
      throw new ConfigError(`${where}: expected a catalog, got bars from memory, which have no trades`, 'name a catalog');
    const key = { market: instrument.market, symbol: instrument.wireName };
    const [fromMs, toMs] = [bars.openMs[firstRow]!, bars.closeMs[bars.length - 1]!];
    const loaded = firstRow >= bars.length ? null : loadTrades(folder, key, fromMs, toMs);
    if (loaded === null) {
      throw new ConfigError(
        `${where}: ${tradesFolder(folder, key)} has no trades from ${formatTime(fromMs)} to ${formatTime(toMs)}`,
        'isobar data import FILE --as trades adds some; isobar data list shows what is there',
      );
    }
    const rows = rowsOfTrades(loaded, instrument, where);
    checkCover(rows, feed, where, daysWithout(folder, key, fromMs, toMs));
    const count = loaded.columns.length;
    return {
      name: `inside ${feed.name}`,
      bars: rows,
      firstRow: rows.openMs[0]! < fromMs ? 1 : 0,
      quality: {
        manifestHash: loaded.sha256,
        rows: count,
        gaps: loaded.gaps.length,
        missingBars: 0,
        thinBars: 0,
        zeroVolume: 0,
        roundedPrices: 0,
        openLastBar: false,
        synthetic: false,
      },
      files: [...loaded.files, tradesManifestPath(folder, key)],
      isHidden: true,
      missingIds: loaded.gaps.reduce((sum, { missing }) => sum + missing, 0),
    };
  });
}

/** Returns one row for each ms with trades. Throws ConfigError for a price between two ticks. */
export function rowsOfTrades({ columns }: Pick<LoadedTrades, 'columns'>, instrument: Instrument, where: string): BarColumns {
  const { length, timeMs, id, price, quantity, takerSide, priceDigits, quantityDigits } = columns;
  let rows = 0;
  for (let at = 0; at < length; at++) if (at === 0 || timeMs[at] !== timeMs[at - 1]) rows++;
  const column = () => new Float64Array(rows);
  const bars = { openMs: column(), closeMs: column(), open: column(), high: column(), low: column(), close: column(), volume: column() };
  const tape = { first: new Uint32Array(rows + 1), price: new Float64Array(length), lots: new Float64Array(length), takerSide };
  const [perTick, perLot] = [pow10(instrument.priceDigits), pow10(instrument.quantityDigits)];
  const toTicks = scaling(priceDigits, instrument.priceDigits);
  const toLots = scaling(quantityDigits, instrument.quantityDigits);
  let row = -1;
  for (let at = 0; at < length; at++) {
    const ticks = toTicks(price[at]!);
    if (!Number.isInteger(ticks)) {
      throw new ConfigError(
        `${where}: the price of the trade ${id[at]!} of ${instrument.id} lies between two ticks of ${instrument.priceDigits} digits`,
        'raise pricePrecision in the instrument record',
      );
    }
    // Quantities finer than a lot count as the whole lots in them, which fills less.
    const lots = Math.floor(toLots(quantity[at]!));
    tape.price[at] = ticks;
    tape.lots[at] = lots;
    const decimal = ticks / perTick;
    if (at === 0 || timeMs[at] !== timeMs[at - 1]) {
      row++;
      tape.first[row] = at;
      bars.openMs[row] = timeMs[at]!;
      bars.closeMs[row] = timeMs[at]! + 1;
      bars.open[row] = bars.high[row] = bars.low[row] = decimal;
    }
    bars.high[row] = Math.max(bars.high[row]!, decimal);
    bars.low[row] = Math.min(bars.low[row]!, decimal);
    bars.close[row] = decimal;
    bars.volume[row]! += lots / perLot;
  }
  tape.first[rows] = length;
  return { instrument, interval: TRADE_ROWS, length: rows, ...bars, tape };
}

function scaling(from: number, to: number): (value: number) => number {
  const factor = pow10(Math.abs(to - from));
  return to >= from ? (value) => value * factor : (value) => value / factor;
}

/** Throws ConfigError for the first bar with volume whose high and low no trade inside it reaches. */
function checkCover(
  { openMs, high, low, length }: BarColumns,
  { bars, firstRow }: FeedPlan,
  where: string,
  missing: readonly string[],
): void {
  let at = 0;
  for (let row = firstRow; row < bars.length; row++) {
    let [top, bottom] = [-Infinity, Infinity];
    while (at < length && openMs[at]! < bars.openMs[row]!) at++;
    for (; at < length && openMs[at]! < bars.closeMs[row]!; at++) {
      top = Math.max(top, high[at]!);
      bottom = Math.min(bottom, low[at]!);
    }
    if (bars.volume[row] === 0 || (top >= bars.high[row]! && bottom <= bars.low[row]!)) continue;
    const days =
      missing.length === 0 ? '' : `; there are none at all of ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ' and others' : ''}`;
    throw new ConfigError(
      `${where}: expected trades that reach the high and the low of every ${bars.interval} bar of ${bars.instrument.wireName}, ` +
        `those of ${formatTime(bars.openMs[row]!)} do not${days}`,
      `they are there from ${formatTime(openMs[0]!)} to ${formatTime(openMs[length - 1]!)}: set from and to inside, or import the missing ones`,
    );
  }
}
