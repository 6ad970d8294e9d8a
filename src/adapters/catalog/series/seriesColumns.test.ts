// Tests mark prices and funding in the catalog: read from every kind of file, joined and listed. Changes by other programs are found.

import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { writeArrowColumns } from '../arrow/arrowWriter.ts';
import { generateInto } from '../generate/generateInto.ts';
import { listKeys, listSeries, seriesPath, type SeriesKey } from '../files/paths.ts';
import { importSeries } from '../import/importSeries.ts';
import { checkSeries, listSeriesEntries, loadSeries, storeSeries } from './seriesStore.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-series-'));
afterAll(() => rmSync(folder, { recursive: true }));
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 0, 1);
let catalogCount = 0;

/** Writes a file of the test, and returns its path. */
function writeTestFile(name: string, text: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const newCatalog = () => join(folder, `catalog-${++catalogCount}`);
const MARK_KEY: SeriesKey = { kind: 'mark', symbol: 'BTCUSDT', interval: '1h' };
const FUNDING: SeriesKey = { kind: 'funding', symbol: 'BTCUSDT' };
const marksCsv = (rows: readonly (readonly number[])[]) =>
  ['open_time_ms,open,high,low,close', ...rows.map((markRow) => markRow.join(','))].join('\n');
const markRow = (hour: number, price: number) => [START_MS + hour * HOUR_MS, price, price + 1.25, price - 1, price + 0.5];

describe('series of a contract', () => {
  it('series of a contract have the figures of the file, the symbol and interval of its name, and a count of gaps', async () => {
    const catalog = newCatalog();
    const path = writeTestFile('BTCUSDT-1h.csv.gz', gzipSync(marksCsv([markRow(0, 100), markRow(1, 101), markRow(4, 104.12345678)])));
    const [imported] = await importSeries([path], { catalog, kind: 'mark' });
    expect(imported).toMatchObject({ fileRows: 3, newRows: 3, entry: { key: MARK_KEY, rows: 3, gaps: 1, missing: 2, synthetic: false } });
    const { columns } = loadSeries(catalog, MARK_KEY)!;
    expect([...columns.timeMs]).toEqual([0, 1, 4].map((hour) => START_MS + hour * HOUR_MS));
    expect(columns.figures.map((figures) => figures[2])).toEqual([104.12345678, 105.37345678, 103.12345678, 104.62345678]);
    expect(columns.digits).toBe(8);
    expect([...loadSeries(catalog, MARK_KEY, START_MS + HOUR_MS, START_MS + 4 * HOUR_MS)!.columns.timeMs]).toEqual([START_MS + HOUR_MS]);
    // A catalog of marks has no bars yet.
    expect(listKeys(catalog)).toEqual([]);
    expect(listSeries(catalog)).toEqual([MARK_KEY]);
  });

  it.each(['\r\n', '\r'])('series of a contract are read from lines that end in %j, longer than a piece', async (end) => {
    const rows = Array.from({ length: 12_000 }, (_, hour) => markRow(hour, 100));
    const path = writeTestFile('BTCUSDT-1h.csv', marksCsv(rows).replaceAll('\n', end) + end);
    expect(await importSeries([path], { catalog: newCatalog(), kind: 'mark' })).toMatchObject([{ fileRows: 12_000, entry: { gaps: 0 } }]);
    const badFile = writeTestFile('BTCUSDT-1h.csv', marksCsv([...rows, markRow(11_999, 7)]).replaceAll('\n', end));
    await expect(importSeries([badFile], { catalog: newCatalog(), kind: 'mark' })).rejects.toThrow(
      'BTCUSDT-1h.csv:12002: the times neither',
    );
  });

  it('series of a contract are joined: new rows are added, equal ones are not, and other figures for a stored time are rejected', async () => {
    const catalog = newCatalog();
    await importSeries([writeTestFile('BTCUSDT-1h.csv', marksCsv([markRow(2, 100), markRow(3, 100)]))], { catalog, kind: 'mark' });
    const before = readFileSync(seriesPath(catalog, MARK_KEY));
    const [imported] = await importSeries([writeTestFile('BTCUSDT-1h.csv', marksCsv([markRow(3, 100), markRow(2, 100)]))], {
      catalog,
      kind: 'mark',
    });
    expect(imported).toMatchObject({ newRows: 0, entry: { rows: 2 } });
    expect(readFileSync(seriesPath(catalog, MARK_KEY))).toEqual(before);
    expect(
      await importSeries([writeTestFile('BTCUSDT-1h.csv', marksCsv([markRow(3, 100), markRow(1, 90)]))], { catalog, kind: 'mark' }),
    ).toMatchObject([{ newRows: 1 }]);
    const other = importSeries([writeTestFile('BTCUSDT-1h.csv', marksCsv([markRow(1, 91)]))], { catalog, kind: 'mark' });
    await expect(other).rejects.toThrow(/the row of 2024-01-01T01:00:00.000Z is 91, 92.25, 90, 91.5, but 90, .* in .*mark-1h.arrow/);
    expect(loadSeries(catalog, MARK_KEY)!.columns.length).toBe(3);
  });

  it('funding rates of either sign are read with their exact times from files with any of the usual headers', async () => {
    const texts = {
      own: `funding_time_ms,funding_rate\n${START_MS},0.0001\n${START_MS + 8 * HOUR_MS + 7},-0.00003456\n`,
      public: `calc_time,funding_interval_hours,last_funding_rate\n${START_MS},8,0.00010000\n${START_MS + 8 * HOUR_MS + 7},8,-3.456e-05\n`,
      dated: `"fundingTime","symbol","fundingRate"\n"2024-01-01 08:00:00.007","BTCUSDT","-0.00003456"\n"2024-01-01","BTCUSDT","0.0001"\n`,
    };
    const hashes = new Set<string>();
    for (const [name, text] of Object.entries(texts)) {
      const [imported] = await importSeries([writeTestFile(`BTCUSDT-${name}.csv`, text)], { catalog: newCatalog(), kind: 'funding' });
      expect(imported).toMatchObject({ entry: { key: FUNDING, rows: 2, lastMs: START_MS + 8 * HOUR_MS + 7 } });
      hashes.add(imported!.entry.dataSha256);
    }
    expect(hashes.size).toBe(1);
  });

  it('funding rates whose times differ by a few ms are one charge, and two rates for one charge are rejected', async () => {
    const ratesCsv = (...rows: readonly (readonly [number, number])[]) =>
      ['funding_time_ms,funding_rate', ...rows.map((each) => each.join(','))].join('\n');
    const catalog = newCatalog();
    const importRates = (text: string) => importSeries([writeTestFile('BTCUSDT.csv', text)], { catalog, kind: 'funding' });
    await importRates(ratesCsv([START_MS, 0.0001], [START_MS + 8 * HOUR_MS + 7, -0.0002]));
    const [imported] = await importRates(
      ratesCsv([START_MS + 3, 0.0001], [START_MS + 8 * HOUR_MS, -0.0002], [START_MS + 16 * HOUR_MS, 0.0003]),
    );
    expect(imported).toMatchObject({ newRows: 1, entry: { rows: 3 } });
    expect([...loadSeries(catalog, FUNDING)!.columns.timeMs]).toEqual([START_MS, START_MS + 8 * HOUR_MS + 7, START_MS + 16 * HOUR_MS]);
    await expect(importRates(ratesCsv([START_MS + 8 * HOUR_MS, 0.0002]))).rejects.toThrow(
      /the row of 2024-01-01T08:00:00.000Z is 0.0002, but -0.0002 in /,
    );
    await expect(importRates(ratesCsv([START_MS + 24 * HOUR_MS, 0.0002], [START_MS + 24 * HOUR_MS + 9, 0.0001]))).rejects.toThrow(
      /BTCUSDT\.csv:3: the funding time of the row before it has another rate/,
    );
    const [merged] = await importRates(ratesCsv([START_MS + 24 * HOUR_MS, 0.0002], [START_MS + 24 * HOUR_MS + 9, 0.0002]));
    expect(merged).toMatchObject({ newRows: 1, entry: { rows: 4 } });
    // A series with two rows for one charge, which an import would not store.
    const twoRowsOfOneCharge = {
      length: 2,
      timeMs: Float64Array.of(START_MS, START_MS + 5),
      figures: [Float64Array.of(0.0001, 0.0001)],
      digits: 4,
    };
    const wrongCatalog = newCatalog();
    storeSeries(wrongCatalog, FUNDING, twoRowsOfOneCharge, false);
    expect([checkSeries(wrongCatalog, FUNDING).wrong, checkSeries(catalog, FUNDING).wrong]).toEqual([1, 0]);
  });

  it("funding rates are read from freqtrade's feather files, which store rates as `open` and the symbol in the file name", async () => {
    const catalog = newCatalog();
    const path = join(folder, 'BTC_USDT_USDT-8h-funding_rate.feather');
    const rates = Float64Array.of(0.0001, -0.00012345);
    const zeros = () => new Float64Array(2);
    writeArrowColumns(path, [
      { name: 'date', kind: 'timestamp', values: Float64Array.of(START_MS, START_MS + 8 * HOUR_MS) },
      { name: 'open', kind: 'float64', values: rates },
      ...['high', 'low', 'close', 'volume'].map((name) => ({ name, kind: 'float64' as const, values: zeros() })),
    ]);
    await importSeries([path], { catalog, kind: 'funding' });
    const { columns, entry } = loadSeries(catalog, FUNDING)!;
    expect([...columns.figures[0]!]).toEqual([...rates]);
    expect([columns.digits, entry.key.symbol]).toEqual([8, 'BTCUSDT']);
  });

  it.each([
    [`x,y\n1,2`, ':1: expected the header open_time_ms,open,high,low,close, got "x,y"'],
    [marksCsv([markRow(0, 100), [START_MS + HOUR_MS, 100, 99, 98, 100]]), ':3: expected 0 < low <= open, close <= high'],
    [marksCsv([[START_MS + 60_000, 1, 1, 1, 1]]), ':2: expected a time on the grid of 1h'],
    [marksCsv([markRow(0, 100), markRow(2, 100), markRow(1, 100)]), ':4: the times neither rise nor fall'],
    [`${marksCsv([markRow(0, 100)])}\n${START_MS + HOUR_MS},1,x,1,1`, ':3: expected a number, got "x"'],
    [marksCsv([]), 'there are no rows in it'],
  ])('a file of marks is rejected with its first bad row: %j', async (text, message) => {
    const catalog = newCatalog();
    await expect(importSeries([writeTestFile('BTCUSDT-1h.csv', text)], { catalog, kind: 'mark' })).rejects.toThrow(message);
    expect(listSeries(catalog)).toEqual([]);
  });

  it('funding rates that are not fractions, and file names without symbol or interval, are rejected', async () => {
    const funding = (rate: string) =>
      importSeries([writeTestFile('BTCUSDT.csv', `time,rate\n${START_MS},${rate}`)], { catalog: newCatalog(), kind: 'funding' });
    await expect(funding('1.5')).rejects.toThrow(':2: expected a rate as a fraction below 1, got 1.5');
    await expect(funding('0.0000000000001')).rejects.toThrow('at most 12 digits behind the point');
    const unnamed = writeTestFile('marks.csv', marksCsv([markRow(0, 1)]));
    await expect(importSeries([unnamed], { catalog: newCatalog(), kind: 'mark' })).rejects.toThrow('the name does not say the symbol');
    await expect(importSeries([unnamed], { catalog: newCatalog(), kind: 'mark', symbol: 'BTCUSDT' })).rejects.toThrow(
      'does not say the interval',
    );
  });

  it('series of a contract are generated with bars: the same bytes for a seed, and never over real ones', async () => {
    const options = { symbol: 'SYNUSDT', market: 'futures', interval: '15m', fromMs: START_MS, bars: 3000, seed: 5 } as const;
    const firstCatalog = newCatalog();
    const secondCatalog = newCatalog();
    const generated = generateInto(firstCatalog, options);
    generateInto(secondCatalog, options);
    expect(generated.series.map(({ key, rows }) => [key.kind, rows])).toEqual([['mark', 3000], ['funding', 94]]); // prettier-ignore
    for (const key of listSeries(firstCatalog)) {
      expect(readFileSync(seriesPath(firstCatalog, key))).toEqual(readFileSync(seriesPath(secondCatalog, key)));
      expect(checkSeries(firstCatalog, key)).toMatchObject({ unchanged: true, wrong: 0, synthetic: true, gaps: 0 });
    }
    expect(loadSeries(firstCatalog, { kind: 'funding', symbol: 'SYNUSDT' })!.columns.figures[0]!.some((rate) => rate < 0)).toBe(true);
    const realCatalog = newCatalog();
    await importSeries([writeTestFile('SYNUSDT.csv', `time,rate\n${START_MS},0.0001`)], { catalog: realCatalog, kind: 'funding' });
    expect(() => generateInto(realCatalog, options)).toThrow('there are real funding rates');
  });

  it('series of a contract fail the check when another program has written into them', async () => {
    const catalog = newCatalog();
    await importSeries([writeTestFile('BTCUSDT-1h.csv', marksCsv([markRow(0, 100), markRow(1, 101)]))], { catalog, kind: 'mark' });
    const path = seriesPath(catalog, MARK_KEY);
    const changedOffset = readFileSync(path).indexOf(Buffer.from(new Float64Array([101]).buffer));
    const handle = openSync(path, 'r+');
    writeSync(handle, Buffer.from(new Float64Array([100.5]).buffer), 0, 8, changedOffset);
    closeSync(handle);
    expect(checkSeries(catalog, MARK_KEY)).toMatchObject({ unchanged: false, wrong: 0 });
    expect(listSeriesEntries(catalog)).toHaveLength(1);
  });
});
