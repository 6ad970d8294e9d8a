// Tests the import of trades: every form and order of a file gives the same catalog, without duplicates, and a rejected file adds nothing.

import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { checkTrades, loadTrades } from '../trades/tradeStore.ts';
import { dayPath, tradesFolder } from '../trades/trades.ts';
import { importTrades } from './importTrades.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-trades-'));
afterAll(() => rmSync(folder, { recursive: true }));
const START_MS = Date.UTC(2024, 0, 1);
const TRADES_KEY = { market: 'spot', symbol: 'BTCUSDT' } as const;
let catalogCount = 0;
const newCatalog = () => join(folder, `catalog-${++catalogCount}`);
/** Writes a file of trades, and returns its path. */
function tradesFile(text: string | Buffer): string {
  const path = join(folder, 'BTCUSDT-trades-2024-01.csv');
  rmSync(path, { force: true });
  writeFileSync(path, text);
  return path;
}

/** One trade, as a file has it. */
interface TradeRow {
  readonly id: number;
  readonly ms: number;
  readonly price: string;
  readonly qty: string;
  readonly isBuyerMaker: boolean;
}
/** Trades over three days, with runs of missing ids. */
function randomRows(seed: number, count = 300): TradeRow[] {
  const rng = seededRng(seed);
  let id = 1000;
  let ms = START_MS;
  return Array.from({ length: count }, () => {
    id += rng.next() < 0.05 ? 1 + Math.floor(rng.next() * 5) : 1;
    ms += Math.floor((rng.next() ** 4 * 3 * 86_400_000 * 5) / count);
    const price = (100 + rng.next()).toFixed(Math.floor(rng.next() * 4));
    return { id, ms, price, qty: `${(0.001 + rng.next()).toFixed(3)}00`, isBuyerMaker: rng.next() < 0.5 };
  });
}
const csvText = (rows: readonly TradeRow[]) =>
  rows.map(({ id, ms, price, qty, isBuyerMaker }) => `${id},${price},${qty},1,${ms},${isBuyerMaker ? 'True' : 'False'},True`).join('\n');
const importText = (text: string | Buffer, catalog = newCatalog(), bufferRows?: number) =>
  importTrades([tradesFile(text)], { catalog, ...(bufferRows === undefined ? {} : { bufferRows }) });

describe('trades in the catalog', () => {
  it('trades in the catalog have the figures of the file as exact whole numbers, and the manifest lists missing ids', async () => {
    const catalog = newCatalog();
    const [done] = await importText(
      '5,100.50,1.25000,1,1704067200000,True,True\n6,100.5,1,1,1704067200000,False,True\n9,0.1234567,2,1,1704153600000,False,True\n',
      catalog,
    );
    expect(done).toMatchObject({ key: TRADES_KEY, fileRows: 3, newRows: 3, instrumentFrom: 'proposed' });
    expect(done!.manifest).toMatchObject({ kind: 'trades', rows: 3, firstId: 5, lastId: 9, gaps: 1, missingIds: 2, overlaps: 0 });
    expect(done!.manifest.gapList).toEqual([
      { afterId: 6, beforeId: 9, missing: 2, from: '2024-01-01T00:00:00.000Z', to: '2024-01-02T00:00:00.000Z' },
    ]);
    const { columns } = loadTrades(catalog, TRADES_KEY, START_MS, START_MS + 2 * 86_400_000)!;
    expect([columns.priceDigits, columns.quantityDigits]).toEqual([7, 2]);
    expect([...columns.id]).toEqual([5, 6, 9]);
    expect([...columns.price]).toEqual([1005000000, 1005000000, 1234567]);
    expect([...columns.quantity]).toEqual([125, 100, 200]);
    expect([...columns.takerSide]).toEqual([-1, 1, 1]);
  });

  it('trades with ids that several symbols share count no missing trades, neither in the manifest nor in a range', async () => {
    const catalog = newCatalog();
    const rng = seededRng(5);
    let id = 0;
    const shared = randomRows(4, 200).map((row) => ({ ...row, id: (id += 1 + Math.floor(rng.next() * 3)) }));
    const [done] = await importText(csvText(shared), catalog);
    expect(done!.manifest).toMatchObject({ rows: 200, firstId: shared[0]!.id, gaps: 0, missingIds: 0, gapList: [], sharedIds: true });
    const loaded = loadTrades(catalog, TRADES_KEY, START_MS, START_MS + 5 * 86_400_000)!;
    expect(loaded.gaps).toEqual([]);
    // Each id but every twentieth follows the one before: what is left out there is missing.
    const [own] = await importText(csvText(shared.map((row, index) => ({ ...row, id: index + Math.floor(index / 20) }))));
    expect(own!.manifest).toMatchObject({ gaps: 9, missingIds: 9 });
    expect(own!.manifest).not.toHaveProperty('sharedIds');
  });

  it('trades in the catalog are the same from every form, order, packing and cut of a file', async () => {
    for (const seed of [1, 2, 3]) {
      const rows = randomRows(seed);
      const rng = seededRng(seed + 100);
      const shuffled = rows
        .map((row) => [rng.next(), row] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, row]) => row);
      const header = 'time_ms,price,qty,is_buyer_maker,trade_id';
      const forms: readonly (readonly [string | Buffer, number?])[] = [
        [csvText(rows)],
        [csvText(rows), 7],
        [csvText(shuffled), 11],
        [csvText(rows.toReversed()), 50],
        [gzipSync(csvText(rows).replaceAll('\n', '\r\n'))],
        [`id,price,qty,quote_qty,time,is_buyer_maker\n${rows.map((row) => `${row.id},${row.price},${row.qty},1,${row.ms},${row.isBuyerMaker}`).join('\n')}`],
        [`\uFEFF"${header.replaceAll(',', '","')}"\n${rows.map((row) => `${row.ms},${row.price},${row.qty},${row.isBuyerMaker},${row.id}`).join('\n')}\n`],
        [csvText(rows).replaceAll(/,(17\d{11}),/g, ',$1987,')],
        [JSON.stringify(rows.map((row) => ({ id: row.id, price: Number(row.price), qty: Number(row.qty), time: row.ms, isBuyerMaker: row.isBuyerMaker })))],
        [JSON.stringify({ list: rows.map((row) => ({ id: row.id, price: row.price, qty: row.qty, time: row.ms, side: row.isBuyerMaker ? 'SELL' : 'BUY' })) })],
        [JSON.stringify({ op: 'spot.recentTrades', answer: { rows: rows.map((row) => ({ id: String(row.id), side: row.isBuyerMaker ? 'sell' : 'buy', price: row.price, quantity: row.qty, timeMs: row.ms })), refused: [] } })],
        [JSON.stringify(rows.map((row) => ({ id: row.id, price: row.price, qty: row.qty, time: row.ms, isBuyer: true, isMaker: row.isBuyerMaker })))],
      ]; // prettier-ignore
      const hashes = new Set<string>();
      for (const [text, bufferRows] of forms) {
        const [done] = await importText(text, newCatalog(), bufferRows);
        expect(done!.manifest.rows).toBe(rows.length);
        hashes.add(done!.manifest.sha256);
      }
      expect(hashes.size, `seed ${seed}`).toBe(1);
    }
  });

  it('imported trades join those in the catalog, and another trade with the id of a stored one is an error', async () => {
    const rows = randomRows(4);
    const [whole] = await importText(csvText(rows));
    const catalog = newCatalog();
    await importText(csvText(rows.slice(100, 220)), catalog);
    await importText(csvText(rows.slice(200)), catalog);
    const [last] = await importText(csvText(rows.slice(0, 150)), catalog, 13);
    expect(last).toMatchObject({ fileRows: 150, newRows: 100 });
    expect(last!.manifest.sha256).toBe(whole!.manifest.sha256);
    expect(last!.manifest.files).toHaveLength(3);
    const [again] = await importText(csvText(rows.slice(0, 150)), catalog);
    expect(again).toMatchObject({ fileRows: 0, newRows: 0 });
    const before = checkTrades(catalog, TRADES_KEY).manifest;
    const other = csvText([...rows.slice(0, 20), { ...rows[20]!, price: '7' }]);
    await expect(importText(other, catalog)).rejects.toThrow(`the trade ${rows[20]!.id} is not the one of the same id in `);
    await expect(importText(`${csvText(rows.slice(0, 20))}\n1,x,1,1,${START_MS},true,true`, catalog)).rejects.toThrow(
      /:21: price: expected a plain/,
    );
    expect(checkTrades(catalog, TRADES_KEY)).toEqual({ manifest: before, changed: [], wrong: 0 });
    expect(existsSync(join(catalog, '.import'))).toBe(false);
    const withRefused = JSON.stringify({
      answer: { rows: [{ id: '1', price: '1', quantity: '1', timeMs: START_MS }], refused: ['a row'] },
    });
    await expect(importText(withRefused, catalog)).rejects.toThrow('expected a list of trades');
  });

  it('trades in the catalog of aggregates and of single trades are not mixed', async () => {
    const catalog = newCatalog();
    const [done] = await importText(
      `agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker\n1,2,3,4,5,${START_MS},true`,
      catalog,
    );
    expect(done!.manifest.kind).toBe('aggregates');
    await importText(`2,2,3,4,5,${START_MS},true,true`, catalog);
    await expect(importText(`3,2,3,6,${START_MS},true,true`, catalog)).rejects.toThrow('their ids are two series');
  });

  it.each([
    ['a,b\n1,2', ':1: expected the fields id, price, qty and time, got "a,b"'],
    ['1,2,3', ':1: expected id, price, qty, quoteQty, time, isBuyerMaker'],
    [`1,2,3,4,${START_MS},true,true\n2,0.00,3,4,${START_MS},true,true`, ':2: price: expected a figure above 0'],
    [`1,2,3,4,${START_MS},true,true\n2,1e400,3,4,${START_MS},true,true`, ':2: price: expected a plain decimal'],
    [`1,2,3,4,${START_MS},true,true\n-2,1,3,4,${START_MS},true,true`, ':2: id: expected a whole number'],
    [`1,2,3,4,12,true,true`, ':1: time: expected a time'],
    [`1,2,3,4,${START_MS},true,true\n1,99999999999999999,3,4,${START_MS},true,true`, 'more digits than exact figures'],
    [`1,9007199254740991,3,4,${START_MS},true,true\n2,0.1,3,4,${START_MS},true,true`, ':1: beside others with 1 digits'],
    [`1,2,3,4,${START_MS},true,true\n1,3,3,4,${START_MS},true,true`, ':2: the trade 1 is not the one of the same id in '],
    ['', 'there are no trades in it'],
    ['[]', 'there are no trades in it'],
    ['[3]', ':1: expected an object'],
    ['{"a":1', 'no valid JSON'],
    ['[{"id":1,"price":1,"qty":1}]', ':1: expected the fields id, price, qty and time, got "id,price,qty"'],
    ['[{"id":1,"price":1,"qty":1,"time":1704067200000,"side":"UP"}]', ':1: side: expected BUY or SELL'],
    [`1,${'2'.repeat(200_000)}`, 'a line of more than'],
  ])('refuses %j and stores nothing', async (text, message) => {
    const catalog = newCatalog();
    await expect(importText(text, catalog)).rejects.toThrow(message);
    expect(existsSync(catalog) ? readdirSync(catalog) : []).toEqual([]);
  });

  it('trades in the catalog that another program has changed are found by check, and refused by a run', async () => {
    const catalog = newCatalog();
    await importText(csvText(randomRows(5)), catalog);
    const path = dayPath(tradesFolder(catalog, TRADES_KEY), '2024-01-01');
    const at = readFileSync(path).indexOf(Buffer.from(new Float64Array([1001]).buffer));
    const handle = openSync(path, 'r+');
    writeSync(handle, Buffer.from(new Float64Array([1000.5]).buffer), 0, 8, at < 0 ? 600 : at);
    closeSync(handle);
    expect(checkTrades(catalog, TRADES_KEY)).toMatchObject({ changed: ['2024-01-01'] });
    expect(() => loadTrades(catalog, TRADES_KEY, START_MS, START_MS + 86_400_000)).toThrow('its bytes have changed');
  });
});
