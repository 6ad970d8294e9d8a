// Downloads and recordings over real sockets into real files: what is new, what is told, what stays, and what an outage leaves.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkBars, loadBars, readInstrument } from '../../src/adapters/catalog/bars/catalog.ts';
import { listKeys, type BarKey } from '../../src/adapters/catalog/files/paths.ts';
import { downloadBars, type DownloadedSet, type DownloadOptions } from '../../src/tasks/download/download.ts';
import { recordBars, type RecordNews } from '../../src/tasks/download/recorder.ts';
import { refreshInstruments } from '../../src/tasks/download/refresh.ts';
import type { Interval } from '../../src/model/interval.ts';
import { MarketDesk } from '../fixtures/marketDesk.ts';

const START = Date.UTC(2026, 0, 5, 8, 0, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const desks: MarketDesk[] = [];
async function deskAt(serverMs = START): Promise<MarketDesk> {
  const desk = await new MarketDesk().start(serverMs);
  desks.push(desk);
  return desk;
}
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.remove();
});

const key = (symbol: string, interval: Interval, market: 'spot' | 'futures' = 'spot'): BarKey => ({ market, symbol, interval });
const BTC = key('BTCUSDT', '1m');

function download(desk: MarketDesk, sets: readonly BarKey[] = [BTC], options: Partial<DownloadOptions> = {}) {
  return desk.finish(downloadBars(desk.service, sets, { catalog: desk.catalog, fromMs: null, revised: 'keep', ...options }));
}
async function downloadOne(desk: MarketDesk, set: BarKey = BTC, options: Partial<DownloadOptions> = {}): Promise<DownloadedSet> {
  const [done] = await download(desk, [set], options);
  if (done?.kind !== 'stored') throw new Error(`not stored: ${JSON.stringify(done)}`);
  return done;
}

describe('isobar data download', () => {
  it('stores the 299 newest closed bars with their instrument, and the same bytes when asked again', async () => {
    const desk = await deskAt();
    const set = await downloadOne(desk);
    expect(set).toMatchObject({ rows: 299, newRows: 299, revised: [], refused: [], hole: null, from: '1m', instrumentChanges: [] });
    expect(set.manifest).toMatchObject({ rows: 299, gaps: 0, last: '2026-01-05T07:59:00.000Z', source: 'import', openLastBar: false });
    expect(readInstrument(desk.catalog, 'spot', 'BTCUSDT')).toMatchObject({
      base: 'BTC',
      quote: 'USDT',
      priceDigits: 2,
      quantityDigits: 5,
      minLots: 1,
      takerFeePpm: 1000,
    });
    const before = desk.files();
    expect(await downloadOne(desk)).toMatchObject({ newRows: 0, equalRows: 299, isWritten: false });
    expect(desk.files()).toEqual(before);
  });

  it('adds what is new, to several sets at once', async () => {
    const desk = await deskAt();
    const sets = [BTC, key('ETHUSDT', '1m'), key('ETHUSDT', '1d')];
    await download(desk, sets);
    await desk.advance(2 * HOUR);
    expect(await download(desk, sets)).toMatchObject([
      { newRows: 120, equalRows: 179, manifest: { rows: 419, gaps: 0 } },
      { newRows: 120, manifest: { rows: 419 } },
      { newRows: 0, isWritten: false, manifest: { rows: 299 } },
    ]);
    // A call for the listing and one for the time of each market, two for each set.
    expect(desk.exchange.calls.get('/sapi/v1/symbols')).toBe(2);
    expect(desk.exchange.calls.get('/sapi/v1/klines')).toBe(6);
  });

  it('leaves a hole that the newest bars do not reach over, and names it', async () => {
    const desk = await deskAt();
    await downloadOne(desk);
    await desk.advance(400 * MINUTE);
    const set = await downloadOne(desk);
    expect(set.hole).toEqual({ fromMs: Date.UTC(2026, 0, 5, 8), bars: 101 });
    expect(set.manifest).toMatchObject({ rows: 598, missingBars: 101, missing: [{ after: '2026-01-05T07:59:00.000Z', bars: 101 }] });
  });

  it('reports revised bars, and replaces them when told to', async () => {
    const desk = await deskAt();
    await downloadOne(desk);
    const before = desk.files();
    const openMs = Date.UTC(2026, 0, 5, 7, 30);
    desk.exchange.change('1m', openMs, { close: '150.00' });
    const kept = await downloadOne(desk);
    expect(kept.revised).toMatchObject([{ openMs, now: { close: 150 } }]);
    expect(desk.files()).toEqual(before);
    expect(await downloadOne(desk, BTC, { revised: 'replace' })).toMatchObject({ isWritten: true });
    expect(await downloadOne(desk)).toMatchObject({ revised: [], equalRows: 299 });
  });

  it('fills the hole of a bar that was late', async () => {
    const desk = await deskAt();
    const openMs = Date.UTC(2026, 0, 5, 7, 30);
    desk.exchange.change('1m', openMs, { missing: true });
    expect((await downloadOne(desk)).manifest).toMatchObject({ missingBars: 1 });
    desk.exchange.changes.clear();
    expect(await downloadOne(desk)).toMatchObject({ newRows: 1, filledRows: 1, manifest: { missingBars: 0 } });
  });

  it('makes the intervals that the exchange lacks, or lists and does not serve', async () => {
    const desk = await deskAt();
    expect(await downloadOne(desk, key('BTCUSDT', '4h'))).toMatchObject({
      from: '1h',
      rows: 299,
      made: { manifest: { rows: 75, thinBars: 1, source: 'resampled' } },
    });
    desk.exchange.empty.add('60min');
    expect(await downloadOne(desk, key('ETHUSDT', '1h'))).toMatchObject({ from: '30m', made: { manifest: { rows: 150 } } });
    expect(listKeys(desk.catalog).map(({ symbol, interval }) => `${symbol} ${interval}`)).toEqual([
      'BTCUSDT 1h',
      'BTCUSDT 4h',
      'ETHUSDT 30m',
      'ETHUSDT 1h',
    ]);
    desk.exchange.empty.clear();
    // The exchange has come to serve it: what was made here is not mixed with it.
    await expect(downloadOne(desk, key('ETHUSDT', '1h'))).rejects.toThrow(/these bars are resampled, not an exchange's/);
  });

  it('keeps what a contract is, and a record as fine as its bars', async () => {
    const desk = await deskAt();
    const set = await downloadOne(desk, key('E-BTC-USDT', '1m', 'futures'));
    expect(set.instrument).toMatchObject({
      base: 'BTC',
      quote: 'USDT',
      quantityDigits: 0,
      minLots: 1,
      priceDigits: 2,
      contract: {
        kind: 'linear',
        multiplier: 1,
        multiplierDigits: 4,
        marginCoin: 'USDT',
        maxLeverage: 150,
        maxMarketLots: 5_000_000,
        openMakerFeePpm: 250,
        closeTakerFeePpm: 750,
        isTrading: true,
        assumed: ['tiers'],
      },
    });
    const contract: unknown = JSON.parse(readFileSync(join(desk.catalog, 'futures/E-BTC-USDT/contract.json'), 'utf8'));
    expect(contract).toMatchObject({
      multiplier: '0.0001',
      multiplierCoin: 'BTC',
      maxLever: 150,
      side: 1,
      status: 1,
      maxMarketVolume: '5000000',
    });
  });

  it('refuses what cannot be had, before anything is stored', async () => {
    const desk = await deskAt();
    const old = Date.UTC(2025, 11, 1);
    await expect(download(desk, [BTC], { fromMs: old })).rejects.toMatchObject({
      message:
        '--from: expected 2026-01-05 03:01 UTC or later for BTCUSDT 1m, got 2025-12-01 00:00 UTC: ' +
        'the API gives the newest 300 klines and takes no time',
      remedy: 'leave --from out, and import older bars from public archives: isobar data import FILE',
    });
    await expect(download(desk, [BTC, key('BTCUSD', '1m')])).rejects.toMatchObject({
      message: '--symbol: the spot market of the exchange has no BTCUSD',
      remedy: 'did you mean BTCUSDT?',
    });
    expect(desk.files()).toEqual({});
    expect(await downloadOne(desk, BTC, { fromMs: START - HOUR })).toMatchObject({ rows: 299, newRows: 59 });
    // The catalog has the bars from there on.
    await desk.advance(HOUR);
    await downloadOne(desk);
    await desk.advance(5 * HOUR - 5 * MINUTE);
    expect(await downloadOne(desk, BTC, { fromMs: START - HOUR / 2 })).toMatchObject({ newRows: 295, hole: null });
  });

  it('fails one set alone when the exchange gives no answer', async () => {
    const desk = await deskAt();
    desk.exchange.empty.add('1min');
    desk.exchange.empty.add('1week');
    desk.exchange.empty.add('1day');
    const done = await download(desk, [BTC, key('BTCUSDT', '5m')]);
    expect(done).toMatchObject([
      { kind: 'failed', problem: 'spot.klines: the exchange has no bars of BTCUSDT' },
      { kind: 'stored', newRows: 299 },
    ]);
    desk.exchange.isAway = true;
    const [failed] = await download(desk);
    expect(failed).toMatchObject({ kind: 'failed', remedy: 'isobar doctor looks for the reason' });
  });

  it('refreshes records and says what changed', async () => {
    const desk = await deskAt();
    const refresh = () => desk.finish(refreshInstruments(desk.service, 'spot', ['BTCUSDT'], desk.catalog));
    expect(await refresh()).toMatchObject([{ isNew: true, isTradable: true, instrument: { priceDigits: 2, quantityDigits: 5 } }]);
    desk.exchange.spot = desk.exchange.spot.map((row) => ({ ...row, QuantityPrecision: 6, pricePrecision: 1 }));
    expect(await refresh()).toMatchObject([{ isNew: false, changes: ['pricePrecision 2 -> 1', 'quantityPrecision 5 -> 6'] }]);
    await downloadOne(desk);
    expect(readInstrument(desk.catalog, 'spot', 'BTCUSDT')?.priceDigits).toBe(2);
    expect(await refresh()).toMatchObject([{ changes: [] }]);
  });
});

/** A recording that is under way. */
function recording(desk: MarketDesk, sets: readonly BarKey[]) {
  const news: RecordNews[] = [];
  const stop = new AbortController();
  const options = { catalog: desk.catalog, revised: 'keep', random: () => 0.5, tell: (item: RecordNews) => void news.push(item) } as const;
  const done = recordBars(desk.service, sets, options, stop.signal);
  const count = (kind: RecordNews['kind']) => news.filter((item) => item.kind === kind).length;
  const end = async () => {
    stop.abort();
    await desk.finish(done);
  };
  return { news, count, end };
}

describe('isobar data record', () => {
  it('records each bar once it has closed, through an outage, and sets that are made from it', async () => {
    const desk = await deskAt(Date.UTC(2026, 0, 5, 7, 50, 30));
    const sets = [BTC, key('BTCUSDT', '1h'), key('BTCUSDT', '4h')];
    const run = recording(desk, sets);
    await desk.advance(30 * MINUTE);
    expect(loadBars(desk.catalog, BTC).bars.length).toBe(299 + 30);
    expect(checkBars(desk.catalog, key('BTCUSDT', '4h')).manifest.last).toBe('2026-01-05T04:00:00.000Z');
    await desk.exchange.stop();
    await desk.advance(4 * HOUR);
    expect(run.count('trouble')).toBeGreaterThan(100);
    await desk.exchange.start();
    await desk.advance(5 * MINUTE);
    await run.end();
    expect(run.count('gap')).toBe(0);
    const manifests = sets
      .map((set) => checkBars(desk.catalog, set))
      .map(({ unchanged, manifest }) => ({ unchanged, gaps: manifest.gaps, last: manifest.last }));
    expect(manifests).toEqual([
      { unchanged: true, gaps: 0, last: '2026-01-05T12:24:00.000Z' },
      { unchanged: true, gaps: 0, last: '2026-01-05T11:00:00.000Z' },
      { unchanged: true, gaps: 0, last: '2026-01-05T08:00:00.000Z' },
    ]);
    // What was recorded is what a download of the same bars gives.
    expect(await downloadOne(desk)).toMatchObject({ newRows: 0, revised: [], isWritten: false });
  });

  it('starts while the exchange is away, tells late and revised bars, and the hole of a long outage', async () => {
    const desk = await deskAt();
    desk.exchange.isAway = true;
    const run = recording(desk, [BTC]);
    await desk.advance(5 * MINUTE);
    expect(run.count('caughtUp')).toBe(0);
    expect(run.count('trouble')).toBeGreaterThan(3);
    desk.exchange.isAway = false;
    await desk.advance(2 * MINUTE);
    expect(run.count('caughtUp')).toBe(1);
    const late = Date.UTC(2026, 0, 5, 8, 7);
    desk.exchange.change('1m', late, { missing: true });
    desk.exchange.change('1m', late - 3 * MINUTE, { close: '123.45' });
    await desk.advance(3 * MINUTE);
    expect(run.news.find(({ kind }) => kind === 'revised')).toMatchObject({ bar: { openMs: late - 3 * MINUTE, close: 123.45 } });
    expect(run.news.find(({ kind }) => kind === 'gap')).toMatchObject({ gap: { fromMs: late, bars: 1, why: 'notSent' } });
    desk.exchange.changes.clear();
    await desk.advance(MINUTE);
    expect(run.news.find(({ kind }) => kind === 'late')).toMatchObject({ bar: { openMs: late } });
    desk.exchange.isAway = true;
    await desk.advance(400 * MINUTE);
    desk.exchange.isAway = false;
    await desk.advance(2 * MINUTE);
    await run.end();
    expect(run.news.find((item) => item.kind === 'gap' && item.gap.why === 'outOfReach')).toBeDefined();
    const { manifest, unchanged } = checkBars(desk.catalog, BTC);
    expect(unchanged).toBe(true);
    expect(manifest).toMatchObject({ gaps: 1, wrong: [] });
    expect(manifest.missingBars).toBeGreaterThan(95);
  });
});
