// Tests downloads and recordings over real sockets into real files: new rows, unchanged rows, messages, and outages.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkBars, loadBars, readInstrument } from '../../src/adapters/catalog/bars/catalog.ts';
import { listKeys, type BarKey } from '../../src/adapters/catalog/files/paths.ts';
import { downloadBars, type DownloadedSet, type DownloadOptions } from '../../src/tasks/download/download.ts';
import { recordBars, type RecordNews } from '../../src/tasks/download/recordBars.ts';
import { refreshInstruments } from '../../src/tasks/download/refreshInstruments.ts';
import type { Interval } from '../../src/model/interval.ts';
import { MarketFixture } from '../fixtures/marketFixture.ts';

const START_MS = Date.UTC(2026, 0, 5, 8, 0, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const fixtures: MarketFixture[] = [];
/** Starts an exchange at a time of its clock. It ends with the test. */
async function fixtureAt(serverMs = START_MS): Promise<MarketFixture> {
  const fixture = await new MarketFixture().start(serverMs);
  fixtures.push(fixture);
  return fixture;
}
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.remove();
});

/** Returns the key of a set of bars. */
const keyOf = (symbol: string, interval: Interval, market: 'spot' | 'futures' = 'spot'): BarKey => ({ market, symbol, interval });
const BTC = keyOf('BTCUSDT', '1m');

/** Downloads sets of bars into the catalog of the fixture. */
function download(fixture: MarketFixture, sets: readonly BarKey[] = [BTC], options: Partial<DownloadOptions> = {}) {
  return fixture.finish(downloadBars(fixture.service, sets, { catalog: fixture.catalog, fromMs: null, revised: 'keep', ...options }));
}
/** Downloads one set of bars. Throws if it was not stored. */
async function downloadOne(fixture: MarketFixture, set: BarKey = BTC, options: Partial<DownloadOptions> = {}): Promise<DownloadedSet> {
  const [result] = await download(fixture, [set], options);
  if (result?.kind !== 'stored') throw new Error(`not stored: ${JSON.stringify(result)}`);
  return result;
}

describe('isobar data download', () => {
  it('isobar data download stores the 299 newest closed bars with their instrument, and the same bytes when repeated', async () => {
    const fixture = await fixtureAt();
    const set = await downloadOne(fixture);
    expect(set).toMatchObject({ rows: 299, newRows: 299, revised: [], refused: [], hole: null, from: '1m', instrumentChanges: [] });
    expect(set.manifest).toMatchObject({ rows: 299, gaps: 0, last: '2026-01-05T07:59:00.000Z', source: 'import', openLastBar: false });
    expect(readInstrument(fixture.catalog, 'spot', 'BTCUSDT')).toMatchObject({
      base: 'BTC',
      quote: 'USDT',
      priceDigits: 2,
      quantityDigits: 5,
      minLots: 1,
      takerFeePpm: 1000,
    });
    const filesBefore = fixture.files();
    expect(await downloadOne(fixture)).toMatchObject({ newRows: 0, equalRows: 299, isWritten: false });
    expect(fixture.files()).toEqual(filesBefore);
  });

  it('isobar data download adds new rows, to several sets at once', async () => {
    const fixture = await fixtureAt();
    const sets = [BTC, keyOf('ETHUSDT', '1m'), keyOf('ETHUSDT', '1d')];
    await download(fixture, sets);
    await fixture.advance(2 * HOUR_MS);
    expect(await download(fixture, sets)).toMatchObject([
      { newRows: 120, equalRows: 179, manifest: { rows: 419, gaps: 0 } },
      { newRows: 120, manifest: { rows: 419 } },
      { newRows: 0, isWritten: false, manifest: { rows: 299 } },
    ]);
    // One call for the listing and one for the time of each market, and two for each set.
    expect(fixture.exchange.calls.get('/sapi/v1/symbols')).toBe(2);
    expect(fixture.exchange.calls.get('/sapi/v1/klines')).toBe(6);
  });

  it('isobar data download leaves a hole that the newest bars do not cover, and names it', async () => {
    const fixture = await fixtureAt();
    await downloadOne(fixture);
    await fixture.advance(400 * MINUTE_MS);
    const set = await downloadOne(fixture);
    expect(set.hole).toEqual({ fromMs: Date.UTC(2026, 0, 5, 8), bars: 101 });
    expect(set.manifest).toMatchObject({ rows: 598, missingBars: 101, missing: [{ after: '2026-01-05T07:59:00.000Z', bars: 101 }] });
  });

  it('isobar data download reports revised bars, and replaces them when requested', async () => {
    const fixture = await fixtureAt();
    await downloadOne(fixture);
    const filesBefore = fixture.files();
    const openMs = Date.UTC(2026, 0, 5, 7, 30);
    fixture.exchange.change('1m', openMs, { close: '150.00' });
    const unchangedSet = await downloadOne(fixture);
    expect(unchangedSet.revised).toMatchObject([{ openMs, now: { close: 150 } }]);
    expect(fixture.files()).toEqual(filesBefore);
    expect(await downloadOne(fixture, BTC, { revised: 'replace' })).toMatchObject({ isWritten: true });
    expect(await downloadOne(fixture)).toMatchObject({ revised: [], equalRows: 299 });
  });

  it('isobar data download fills the hole of a late bar', async () => {
    const fixture = await fixtureAt();
    const openMs = Date.UTC(2026, 0, 5, 7, 30);
    fixture.exchange.change('1m', openMs, { missing: true });
    expect((await downloadOne(fixture)).manifest).toMatchObject({ missingBars: 1 });
    fixture.exchange.changes.clear();
    expect(await downloadOne(fixture)).toMatchObject({ newRows: 1, filledRows: 1, manifest: { missingBars: 0 } });
  });

  it('isobar data download builds the intervals that the exchange lacks, or lists and does not serve', async () => {
    const fixture = await fixtureAt();
    expect(await downloadOne(fixture, keyOf('BTCUSDT', '4h'))).toMatchObject({
      from: '1h',
      rows: 299,
      created: { manifest: { rows: 75, thinBars: 1, source: 'resampled' } },
    });
    fixture.exchange.empty.add('60min');
    expect(await downloadOne(fixture, keyOf('ETHUSDT', '1h'))).toMatchObject({ from: '30m', created: { manifest: { rows: 150 } } });
    expect(listKeys(fixture.catalog).map(({ symbol, interval }) => `${symbol} ${interval}`)).toEqual([
      'BTCUSDT 1h',
      'BTCUSDT 4h',
      'ETHUSDT 30m',
      'ETHUSDT 1h',
    ]);
    fixture.exchange.empty.clear();
    // The exchange serves the interval now. Its bars are not mixed with the built ones.
    await expect(downloadOne(fixture, keyOf('ETHUSDT', '1h'))).rejects.toThrow(/these bars are resampled, not an exchange's/);
  });

  it('isobar data download stores the terms of a contract, and a record as fine as its bars', async () => {
    const fixture = await fixtureAt();
    const set = await downloadOne(fixture, keyOf('E-BTC-USDT', '1m', 'futures'));
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
    const contract: unknown = JSON.parse(readFileSync(join(fixture.catalog, 'futures/E-BTC-USDT/contract.json'), 'utf8'));
    expect(contract).toMatchObject({
      multiplier: '0.0001',
      multiplierCoin: 'BTC',
      maxLever: 150,
      side: 1,
      status: 1,
      maxMarketVolume: '5000000',
    });
  });

  it('isobar data download refuses what is not available, before anything is stored', async () => {
    const fixture = await fixtureAt();
    const tooEarlyMs = Date.UTC(2025, 11, 1);
    await expect(download(fixture, [BTC], { fromMs: tooEarlyMs })).rejects.toMatchObject({
      message:
        '--from: expected 2026-01-05 03:01 UTC or later for BTCUSDT 1m, got 2025-12-01 00:00 UTC: ' +
        'the API gives the newest 300 klines and takes no time',
      remedy: 'leave --from out, and import older bars from public archives: isobar data import FILE',
    });
    await expect(download(fixture, [BTC, keyOf('BTCUSD', '1m')])).rejects.toMatchObject({
      message: '--symbol: the spot market of the exchange has no BTCUSD',
      remedy: 'did you mean BTCUSDT?',
    });
    expect(fixture.files()).toEqual({});
    expect(await downloadOne(fixture, BTC, { fromMs: START_MS - HOUR_MS })).toMatchObject({ rows: 299, newRows: 59 });
    // The catalog has the bars from that time on.
    await fixture.advance(HOUR_MS);
    await downloadOne(fixture);
    await fixture.advance(5 * HOUR_MS - 5 * MINUTE_MS);
    expect(await downloadOne(fixture, BTC, { fromMs: START_MS - HOUR_MS / 2 })).toMatchObject({ newRows: 295, hole: null });
  });

  it('isobar data download fails only for the set without bars at the exchange', async () => {
    const fixture = await fixtureAt();
    fixture.exchange.empty.add('1min');
    fixture.exchange.empty.add('1week');
    fixture.exchange.empty.add('1day');
    const setResults = await download(fixture, [BTC, keyOf('BTCUSDT', '5m')]);
    expect(setResults).toMatchObject([
      { kind: 'failed', problem: 'spot.klines: the exchange has no bars of BTCUSDT' },
      { kind: 'stored', newRows: 299 },
    ]);
    fixture.exchange.isAway = true;
    const [failed] = await download(fixture);
    expect(failed).toMatchObject({ kind: 'failed', remedy: 'isobar doctor looks for the reason' });
  });

  it('isobar data download refreshes records and reports the changes', async () => {
    const fixture = await fixtureAt();
    const refresh = () => fixture.finish(refreshInstruments(fixture.service, 'spot', ['BTCUSDT'], fixture.catalog));
    expect(await refresh()).toMatchObject([{ isNew: true, isTradable: true, instrument: { priceDigits: 2, quantityDigits: 5 } }]);
    fixture.exchange.spot = fixture.exchange.spot.map((row) => ({ ...row, QuantityPrecision: 6, pricePrecision: 1 }));
    expect(await refresh()).toMatchObject([{ isNew: false, changes: ['pricePrecision 2 -> 1', 'quantityPrecision 5 -> 6'] }]);
    await downloadOne(fixture);
    expect(readInstrument(fixture.catalog, 'spot', 'BTCUSDT')?.priceDigits).toBe(2);
    expect(await refresh()).toMatchObject([{ changes: [] }]);
  });
});

/** Starts a recording that a test can wait for and end. */
function startRecording(fixture: MarketFixture, sets: readonly BarKey[]) {
  const messages: RecordNews[] = [];
  const abort = new AbortController();
  const options = {
    catalog: fixture.catalog,
    revised: 'keep',
    random: () => 0.5,
    onNews: (message: RecordNews) => void messages.push(message),
  } as const;
  const finished = recordBars(fixture.service, sets, options, abort.signal);
  const count = (kind: RecordNews['kind']) => messages.filter((message) => message.kind === kind).length;
  const stopRecording = async () => {
    abort.abort();
    await fixture.finish(finished);
  };
  return { messages, count, stop: stopRecording };
}

describe('isobar data record', () => {
  it('isobar data record records each bar once it has closed, through an outage, and the sets that are built from it', async () => {
    const fixture = await fixtureAt(Date.UTC(2026, 0, 5, 7, 50, 30));
    const sets = [BTC, keyOf('BTCUSDT', '1h'), keyOf('BTCUSDT', '4h')];
    const recording = startRecording(fixture, sets);
    await fixture.advance(30 * MINUTE_MS);
    expect(loadBars(fixture.catalog, BTC).bars.length).toBe(299 + 30);
    expect(checkBars(fixture.catalog, keyOf('BTCUSDT', '4h')).manifest.last).toBe('2026-01-05T04:00:00.000Z');
    await fixture.exchange.stop();
    await fixture.advance(4 * HOUR_MS);
    expect(recording.count('trouble')).toBeGreaterThan(100);
    await fixture.exchange.start();
    await fixture.advance(5 * MINUTE_MS);
    await recording.stop();
    expect(recording.count('gap')).toBe(0);
    const manifests = sets
      .map((set) => checkBars(fixture.catalog, set))
      .map(({ unchanged, manifest }) => ({ unchanged, gaps: manifest.gaps, last: manifest.last }));
    expect(manifests).toEqual([
      { unchanged: true, gaps: 0, last: '2026-01-05T12:24:00.000Z' },
      { unchanged: true, gaps: 0, last: '2026-01-05T11:00:00.000Z' },
      { unchanged: true, gaps: 0, last: '2026-01-05T08:00:00.000Z' },
    ]);
    // The recorded bars equal a download of the same bars.
    expect(await downloadOne(fixture)).toMatchObject({ newRows: 0, revised: [], isWritten: false });
  });

  it('isobar data record starts while the exchange is not reachable, and reports late and revised bars, and the hole of a long outage', async () => {
    const fixture = await fixtureAt();
    fixture.exchange.isAway = true;
    const recording = startRecording(fixture, [BTC]);
    await fixture.advance(5 * MINUTE_MS);
    expect(recording.count('caughtUp')).toBe(0);
    expect(recording.count('trouble')).toBeGreaterThan(3);
    fixture.exchange.isAway = false;
    await fixture.advance(2 * MINUTE_MS);
    expect(recording.count('caughtUp')).toBe(1);
    const lateOpenMs = Date.UTC(2026, 0, 5, 8, 7);
    fixture.exchange.change('1m', lateOpenMs, { missing: true });
    fixture.exchange.change('1m', lateOpenMs - 3 * MINUTE_MS, { close: '123.45' });
    await fixture.advance(3 * MINUTE_MS);
    expect(recording.messages.find(({ kind }) => kind === 'revised')).toMatchObject({
      bar: { openMs: lateOpenMs - 3 * MINUTE_MS, close: 123.45 },
    });
    expect(recording.messages.find(({ kind }) => kind === 'gap')).toMatchObject({ gap: { fromMs: lateOpenMs, bars: 1, why: 'notSent' } });
    fixture.exchange.changes.clear();
    await fixture.advance(MINUTE_MS);
    expect(recording.messages.find(({ kind }) => kind === 'late')).toMatchObject({ bar: { openMs: lateOpenMs } });
    fixture.exchange.isAway = true;
    await fixture.advance(400 * MINUTE_MS);
    fixture.exchange.isAway = false;
    await fixture.advance(2 * MINUTE_MS);
    await recording.stop();
    expect(recording.messages.find((message) => message.kind === 'gap' && message.gap.why === 'outOfReach')).toBeDefined();
    const { manifest, unchanged } = checkBars(fixture.catalog, BTC);
    expect(unchanged).toBe(true);
    expect(manifest).toMatchObject({ gaps: 1, wrong: [] });
    expect(manifest.missingBars).toBeGreaterThan(95);
  });
});
