// Tests format 4 of the exchange store: fields have names, each value is checked, and files of other versions are rejected.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/errors.ts';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange } from '../../src/paperExchange/process/runExchange.ts';
import { sealText } from '../../src/paperExchange/storage/frame.ts';
import { RECORDS } from '../../src/paperExchange/storage/recordTable.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { sendRandomCall, FOLDER, KeptFixture } from '../fixtures/keptFixture.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';
import { rewriteRows, type Row } from '../fixtures/storeFile.ts';

/** For callbacks that must not run or whose call does not matter. */
const ignore = (): void => {};
/** Without rate limits, because the script of calls is dense. */
const UNLIMITED = { limits: Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null])) };
/** Segments so large that the store has one file. */
const ONE_FILE = { folder: FOLDER, segmentBytes: 1 << 24 };

/** Seed and length of the random script of calls that fills the store. */
const SEED = 3;
const CALLS = 60;

/** Returns the disk of an exchange with records of every kind: open and ended orders and triggers, positions, balances and bars. */
function fullStore(): { readonly disk: SimulatedDisk; readonly text: string } {
  const disk = new SimulatedDisk();
  const fixture = new KeptFixture(disk, disk.soon, UNLIMITED, ONE_FILE);
  for (let call = 0; call < CALLS; call++) {
    sendRandomCall(fixture, SEED, call);
    if (call === CALLS / 2) {
      for (const price of ['2000', '2001'])
        fixture.sendTriggerOrder('alice', 'BUY', '3', price, { open: 'OPEN', type: 'LIMIT', price: 1000 });
      fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' });
    }
    fixture.storeWriter.whenDurable(ignore);
    disk.run();
  }
  return { disk, text: fixture.allReplies };
}
const store = fullStore();
/** Returns the paths of the files of the store with this ending. */
const filesOf = (disk: SimulatedDisk, ending = ''): readonly string[] =>
  disk
    .list(FOLDER)
    .filter((name) => name.endsWith(ending))
    .map((name) => `${FOLDER}/${name}`);
const [FILE] = filesOf(store.disk);

/** Returns a copy of the disk with changed rows. */
function withChangedRows(change: (row: Row) => Row, from = store.disk): SimulatedDisk {
  const disk = from.afterKill('', 0);
  rewriteRows(disk, filesOf(disk, '.rows'), change);
  return disk;
}
/** Starts an exchange from the store on a disk. */
const openStore = (disk: SimulatedDisk): KeptFixture => new KeptFixture(disk, ignore, UNLIMITED, ONE_FILE);

/** Returns the error of a start, or of a read of the whole state. */
function errorOf(disk: SimulatedDisk): ConfigError {
  try {
    void openStore(disk).allReplies;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('expected a ConfigError, got none');
}

/** Returns a copy of the disk with a changed head. */
const storeWithHead = (change: (head: Readonly<Record<string, unknown>>) => object) =>
  withChangedRows(([name, ...values]) =>
    name === 'head' ? [name, change(values[0] as Readonly<Record<string, unknown>>)] : [name, ...values],
  );
/** Returns a copy of the disk whose head lists changed records. */
const storeWithRecords = (change: (records: Readonly<Record<string, readonly unknown[]>>) => object) =>
  storeWithHead((head) => ({ ...head, records: change(head['records'] as Readonly<Record<string, readonly unknown[]>>) }));

describe('an invalid field', () => {
  it('an exchange writes no invalid field', () => {
    expect(openStore(withChangedRows((row) => row)).allReplies).toBe(store.text);
  });

  const fields = RECORDS.flatMap(({ name, names }) =>
    names.map((field, index) => [name, typeof field === 'string' ? field : field[0]!, index] as const),
  );
  it.each(fields)('an invalid value of %s.%s is rejected, and the error names file, record and field', (name, field, index) => {
    let changeCount = 0;
    const disk = withChangedRows((row) => {
      if (row[0] !== name) return row;
      changeCount++;
      return row.with(index + 1, { no: 'value' }) as unknown as Row;
    });
    expect(changeCount).toBeGreaterThan(0);
    const { message } = errorOf(disk);
    expect(message.startsWith(`${FILE}: expected ${name}.${field}`), message).toBe(true);
    expect(message).toContain('got {"no":"value"}');
  });

  it.each(RECORDS.map(({ name }) => name))('a record %s with a missing or an extra value is rejected', (name) => {
    const withoutLast = (row: Row) => row.slice(0, -1);
    const withOneMore = (row: Row) => [...row, 0];
    for (const change of [withoutLast, withOneMore]) {
      const disk = withChangedRows((row) => (row[0] === name ? (change(row) as unknown as Row) : row));
      expect(errorOf(disk).message).toContain(`fields of record ${name}, got`);
    }
  });

  it('an invalid value inside a field or a list, and a list of wrong length, are rejected with the full name', () => {
    const withField = (name: string, field: string, change: (value: unknown) => unknown): SimulatedDisk => {
      const { names } = RECORDS.find((record) => record.name === name)!;
      const index = names.findIndex((fieldName) => fieldName === field || fieldName[0] === field) + 1;
      return withChangedRows((row) =>
        row[0] === name && row[index] !== null ? (row.with(index, change(row[index])) as unknown as Row) : row,
      );
    };
    const withInvalidLast = (value: unknown) => [...(value as readonly unknown[]).slice(0, -1), 'x'];
    expect(errorOf(withField('order', 'futures', withInvalidLast)).message).toContain('order.futures.averageTicks to be a number, got "x"');
    expect(errorOf(withField('minutes', 'close', () => [1, 2.5])).message).toContain('minutes.close[1] to be a whole number, got 2.5');
    expect(errorOf(withField('bars', 'close', (value) => [...(value as readonly unknown[]), 1])).message).toMatch(
      /expected bars\.close to be as long as bars\.openMs \(\d+\), got \d+/,
    );
  });

  it('a spot order with futures terms and a futures order without them are rejected', () => {
    const { names } = RECORDS.find(({ name }) => name === 'openOrder')!;
    const index = names.findIndex(([name]) => name === 'futures') + 1;
    const withTerms = (market: string, value: unknown) =>
      withChangedRows((row) => (row[0] === 'openOrder' && row[1] === market ? (row.with(index, value) as unknown as Row) : row));
    expect(errorOf(withTerms('futures', null)).message).toContain('expected openOrder.futures to be present');
    expect(errorOf(withTerms('spot', [1, 1, 0, 0])).message).toContain('expected openOrder.futures to be null');
  });

  it('a record with an unknown name is rejected', () => {
    const disk = withChangedRows((row) => (row[0] === 'clock' ? ['watch', ...row.slice(1)] : row));
    expect(errorOf(disk).message).toContain('expected a record that this version knows, got watch');
  });
});

describe('a head', () => {
  it('a head with an unknown name, record or field is rejected with that name', () => {
    expect(errorOf(storeWithHead((head) => ({ ...head, colour: 'red' }))).message).toContain(
      'expected head.colour to be no field of this version',
    );
    expect(errorOf(storeWithHead((head) => ({ ...head, uids: [10001] }))).message).toContain(
      'expected head.uids[0] to be a text, got 10001',
    );
    const extra = storeWithRecords((records) => ({ ...records, order: [...records['order']!, 'colour'] }));
    expect(errorOf(extra).message).toBe(`${FILE}: expected fields of record order that this version knows, got "colour"`);
    expect(errorOf(extra).remedy).toContain('the version that wrote it');
    expect(errorOf(storeWithRecords((records) => ({ ...records, holiday: ['date'] }))).message).toContain('got holiday');
    const missing = storeWithRecords((records) => ({ ...records, setting: records['setting']!.filter((name) => name !== 'leverage') }));
    expect(errorOf(missing).message).toContain('expected field leverage in record setting, got none');
    const { clock: _clock, ...otherRecords } = Object.fromEntries(RECORDS.map(({ name, names }) => [name, names]));
    expect(errorOf(storeWithRecords(() => otherRecords)).message).toContain('expected the fields of record clock in the head, got none');
    const withoutFields = storeWithHead((head) => ({ ...head, records: { ...(head['records'] as object), clock: [] } }));
    expect(errorOf(withoutFields).message).toContain('expected field offsetMs in record clock, got none');
    const twice = storeWithRecords((records) => ({ ...records, clock: ['offsetMs', 'offsetMs'] }));
    expect(errorOf(twice).message).toContain('got "offsetMs" twice');
  });

  /** Returns a row with the fields of its record in reverse order. */
  const reversedFields = ([name, ...values]: Row): Row => {
    if (name === 'past' || name === 'end' || name === 'seal') return [name, ...values];
    if (name !== 'head') return [name, ...values.toReversed()];
    const head = values[0] as { readonly records: Readonly<Record<string, readonly unknown[]>> };
    const records = Object.entries(head.records).map(([record, names]) => [record, names.toReversed()]);
    return [name, { ...head, records: Object.fromEntries(records) as object }];
  };

  it('a store with fields in another order is read by their names', () => {
    expect(openStore(withChangedRows(reversedFields)).allReplies).toBe(store.text);
  });

  it('a store without an optional field is read with null in its place', () => {
    const index = RECORDS.find(({ name }) => name === 'order')!.names.indexOf('clientOrderId');
    const disk = withChangedRows(([name, ...values]) => {
      if (name === 'order') return [name, ...values.toSpliced(index, 1)];
      if (name !== 'head') return [name, ...values];
      const head = values[0] as { readonly records: Readonly<Record<string, readonly unknown[]>> };
      return [name, { ...head, records: { ...head.records, order: head.records['order']!.toSpliced(index, 1) } }];
    });
    const { orders } = JSON.parse(openStore(disk).allReplies) as { readonly orders: object };
    const { orders: ordersOfStore } = JSON.parse(store.text) as { readonly orders: object };
    expect(orders).toEqual(ordersOfStore);
    expect(openStore(disk).service.spot.orders.byClientId(0, 'own3')).toBeNull();
  });

  it('a store with fields in another order is compacted into an archive file with the order of this version', () => {
    const disk = withChangedRows(reversedFields);
    const fixture = new KeptFixture(disk, disk.soon, UNLIMITED);
    expect(fixture.allReplies).toBe(store.text);
    for (let call = CALLS; call < CALLS + 20; call++) {
      sendRandomCall(fixture, SEED, call);
      fixture.storeWriter.whenDurable(ignore);
      disk.run();
    }
    const [archive] = filesOf(disk, '.past');
    expect(archive).toContain('exchange-000001-');
    const bytes = Buffer.from(disk.read(archive!)).toString('latin1');
    // In the order of this version the market comes first; in reverse order it would be last.
    expect(bytes).toMatch(/^\d+ \["order","spot",\d+,"1000/m);
    expect(bytes).not.toMatch(/"spot"\]$/m);
    expect(new KeptFixture(disk.afterKill('', 0), ignore, UNLIMITED).allReplies).toBe(fixture.allReplies);
  });
});

describe('a folder of an older format', () => {
  const head = (format: number): string =>
    `["head",${format},1,0,"00000000",0,1767571200000,0,[["spot:BTCUSDT",2,4,8,8]],["10001","10002"]]\n["c","spot",0,65536,65536,0,0]\n`;
  const remedy = 'begin with an empty folder, or open this one with the version that wrote it; the files are not changed';

  it.each([1, 2, 3, 5])('a folder of format %i is rejected with a remedy', (format) => {
    const disk = new SimulatedDisk();
    disk.create(FILE!);
    disk.append(FILE!, Buffer.from(sealText(head(format), 1, 1_767_571_200_000).text));
    const error = errorOf(disk);
    expect(error.message).toBe(`${FILE}: expected format 4, got ${format}`);
    expect(error.remedy).toBe(remedy);
  });

  it('a folder of an older format with an archive file is rejected with a remedy, and stays unchanged', () => {
    const disk = new SimulatedDisk();
    const path = `${FOLDER}/exchange-000001-000004.past`;
    disk.create(path);
    disk.append(path, Buffer.from(sealText('["past",3,1,4,0]\n["end",4000,9,1767571200000,"0badcafe"]\n', 1, 1_767_571_200_000).text));
    const bytesBefore = Buffer.from(disk.read(path));
    expect(errorOf(disk)).toMatchObject({ message: `${path}: expected format 4, got 3`, remedy });
    expect(Buffer.from(disk.read(path)).equals(bytesBefore)).toBe(true);
  });

  describe('opened by a process', () => {
    const root = mkdtempSync(join(tmpdir(), 'isobar-format-'));
    afterAll(() => rmSync(root, { recursive: true }));

    it('a folder of an older format is rejected before the exchange answers any request', async () => {
      const data = join(root, 'old');
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(join(data, 'exchange-000001.rows'), sealText(head(3), 1, 1_767_571_200_000).text, { mode: 0o600 });
      const opening = runExchange(demoSettings(1), { host: '127.0.0.1', port: 0, controlPort: null, crash: ignore, data });
      await expect(opening).rejects.toThrow(/exchange-000001\.rows: expected format 4, got 3/);
    });
  });
});
