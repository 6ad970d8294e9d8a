// Tests kills of bots whose journals are missing, empty or damaged, and of bots with trigger orders at the exchange.

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import type { JournalDeps } from '../../src/adapters/journal/openJournal.ts';
import { openJournalFolder } from '../../src/adapters/journal/openOnDisk.ts';
import { JournalBooks } from '../../src/tasks/kill/evidence/journalBooks.ts';
import type { BotFile } from '../../src/tasks/control/folder/botFile.ts';
import { runKill, type KillReport } from '../../src/tasks/kill/kill.ts';
import { readWhole, standaloneKill } from '../../src/tasks/kill/separate/standaloneKill.ts';
import type { BookedOrder } from '../fixtures/killBooks.ts';
import { KillFixture } from '../fixtures/killFixture.ts';
import { lockByOtherProcess } from '../fixtures/lockedFolder.ts';

let fixture: KillFixture;
afterEach(() => fixture.close());

/** Returns the folder of the bot's journal. */
const journalFolder = (): string => join(fixture.folder, 'journal');

/** Kills as `isobar kill` does, and closes positions if `flatten` is true. What it prints goes to `fixture.text`. */
function killBot(flatten: boolean, { exchange }: Pick<KillFixture, 'exchange'> = fixture): Promise<KillReport> {
  const bot: BotFile = {
    format: 1,
    name: 'bot',
    pid: 1,
    startedMs: 1,
    config: '',
    account: 'paper:account',
    mode: 'paper',
    timeScale: 1,
    journal: journalFolder(),
    access: {} as never,
    instruments: fixture.instruments,
    readLagMs: 100,
    busDelayMs: 200,
  };
  const onPhase = (phase: string, message: string): void => void fixture.printedLines.push(`${phase}: ${message}`);
  return standaloneKill(bot, { flatten, all: false, onPhase, exchange, endBot: () => Promise.resolve(null) });
}

describe('a kill without a whole journal', () => {
  /** The condition of the journal, and how the test brings it about. */
  const brokenJournals: readonly (readonly [condition: string, breakJournal: () => void | Promise<void>])[] = [
    ['is missing', () => {}],
    ['is empty', () => mkdirSync(journalFolder(), { mode: 0o700 })],
    [
      'is damaged',
      () => {
        mkdirSync(journalFolder(), { mode: 0o700 });
        writeFileSync(join(journalFolder(), 'journal-000001.jsonl'), 'no record\n{}\n', { mode: 0o600 });
      },
    ],
    [
      'is a FIFO',
      () => {
        mkdirSync(journalFolder(), { mode: 0o700 });
        execFileSync('mkfifo', [join(journalFolder(), 'journal-000001.jsonl')]);
      },
    ],
    [
      'is cut off before its first order',
      async () => {
        await writeJournal();
        appendFileSync(join(journalFolder(), 'journal-000001.jsonl'), '{"seq":');
      },
    ],
    ['is not a folder', () => writeFileSync(journalFolder(), '')],
  ];
  it('a kill without a whole journal calls nothing closed, and still cancels', async () => {
    fixture = await KillFixture.open();
    for (const [condition, breakJournal] of brokenJournals) {
      await breakJournal();
      await fixture.placeRestingBuys('BTCUSDT', 1);
      const { cancelled, slices, residuals } = await killBot(true);
      expect(cancelled, condition).toBe(1);
      expect(slices, condition).toEqual([]);
      expect(residuals, condition).toEqual([expect.stringMatching(/journal/)]);
      rmSync(journalFolder(), { recursive: true, force: true });
    }
    expect((await fixture.call('spot.openOrders', { symbol: 'BTCUSDT', limit: 1000 })).rows).toEqual([]);
  });
});

/** Writes the journal of a bot without orders. */
async function writeJournal(): Promise<void> {
  const facts = {} as JournalDeps['facts'];
  const listener = { onDurable: () => {}, onFailure: () => {} };
  const { journal, release } = openJournalFolder(
    { nowMs: Date.now, listener, facts },
    { folder: journalFolder(), account: 'paper:account', visit: () => {} },
  );
  journal.config({ hash: '', version: '', limits: {}, leaseMs: 0, timeScale: 1 });
  await new Promise<void>((resolve) => journal.close(resolve));
  release();
}

/** Kills at an exchange whose first reply to a read of open orders is a 504 of the gateway, which admits a delay. */
function killAtSlowGateway(flatten: boolean): Promise<KillReport> {
  let failedReads = 0;
  const { ungated } = fixture.exchange;
  const call: RestClient['call'] = (op, args, done, options) => {
    if (op !== 'spot.openOrders' || failedReads++ > 0) return ungated.call(op, args, done, options);
    queueMicrotask(() => done({ kind: 'unknown', cause: 'time-out of the gateway', status: 504, error: null } as never));
    return { cancel: () => {} } as never;
  };
  return killBot(flatten, { exchange: { ...fixture.exchange, ungated: { call } as RestClient } });
}

/** Returns the incidents in the journal: market to time. */
function incidentsInJournal(): ReadonlyMap<string, number> {
  const books = new JournalBooks(fixture.instruments);
  readWhole(journalFolder(), books.add);
  return books.incidentMs;
}

it.each([
  ['closes positions', true],
  ['only cancels', false],
])('a kill that %s journals an incident of the exchange for the next start', async (_action, flatten) => {
  fixture = await KillFixture.open();
  await writeJournal();
  const beganMs = Date.now();
  expect((await killAtSlowGateway(flatten)).residuals).toEqual([]);
  const incidents = incidentsInJournal();
  expect([...incidents.keys()]).toEqual(['spot']);
  expect(Math.abs(incidents.get('spot')! - beganMs)).toBeLessThan(60_000);
});

it('a kill that only cancels does not write to the journal of a stalled bot, and says that the incident is missing there', async () => {
  fixture = await KillFixture.open();
  await writeJournal();
  const bot = lockByOtherProcess(journalFolder());
  try {
    expect((await killAtSlowGateway(false)).residuals).toEqual([]);
    expect(incidentsInJournal().size).toBe(0);
    expect(fixture.printedLines).toContainEqual(expect.stringContaining('the incident of the exchange is not in the journal'));
    expect(fixture.printedLines.join('\n')).toContain(`process ${bot.pid}`);
  } finally {
    bot.kill('SIGKILL');
  }
});

describe('trigger orders', () => {
  const contractName = 'E-BTC-USDT';
  /** Returns the ids of all trigger orders that wait at the exchange, the newest first. */
  const pendingTriggerIds = async (): Promise<readonly string[]> => {
    const { rows } = await fixture.call('futures.triggerOrderList', { contractName, page: 1, limit: 1000 });
    return rows.filter(({ status }) => status.word === 'PENDING').map(({ triggerOrderId }) => triggerOrderId);
  };
  const serverTimeMs = async (): Promise<number> => (await fixture.call('futures.serverTime', {})).serverTimeMs;
  /** Buys 1000 contracts, protects them by a stop, and places a trigger order to buy more. Another client has a trigger order too. */
  async function openProtectedPosition({ isAcknowledged }: { readonly isAcknowledged: boolean }) {
    fixture = await KillFixture.open();
    const instrument = fixture.instrument(contractName);
    const signMs = await serverTimeMs();
    const terms = { contractName, type: 'LIMIT', positionType: 1, volume: '1000' } as const;
    const entryCid = fixture.nextClientOrderId();
    const stopCid = fixture.nextClientOrderId();
    const extraEntryCid = fixture.nextClientOrderId();
    const entryOrder = { ...terms, side: 'BUY', open: 'OPEN', price: '70000', timeInForce: 'IOC', clientOrderId: entryCid } as const;
    const { orderId } = await fixture.call('futures.createOrder', entryOrder);
    /** Places a trigger order, and returns its id. */
    const placeTrigger = async (open: 'OPEN' | 'CLOSE', triggerPrice: string, clientOrderId: string): Promise<string> => {
      const [side, price, triggerType] = open === 'OPEN' ? (['BUY', '99000', '3'] as const) : (['SELL', '30000', '1'] as const);
      const order = { ...terms, side, open, price, triggerType, triggerPrice, clientOrderId } as const;
      return (await fixture.call('futures.createConditionOrder', order)).triggerIds[0]!;
    };
    const stopId = await placeTrigger('CLOSE', '40000', stopCid);
    const extraEntryId = await placeTrigger('OPEN', '90000', extraEntryCid);
    const foreignId = await placeTrigger('OPEN', '91000', 'of-another-client');
    const ownTerms = { instrument, qty: '1000', signMs } as const;
    /** Returns the id as the journal has it; null if the reply was lost. */
    const journalledId = (id: string, cid: string): string | null => (isAcknowledged ? `trigger:${id}:${cid}` : null);
    const orders: readonly BookedOrder[] = [
      { ...ownTerms, cid: entryCid, side: 'buy', price: '70000', orderId },
      {
        ...ownTerms,
        cid: stopCid,
        side: 'sell',
        price: '30000',
        orderId: journalledId(stopId, stopCid),
        reduceOnly: true,
        trigger: '40000',
      },
      {
        ...ownTerms,
        cid: extraEntryCid,
        side: 'buy',
        price: '99000',
        orderId: journalledId(extraEntryId, extraEntryCid),
        trigger: '90000',
      },
    ];
    return { orders, stopId, foreignId };
  }
  /** Returns the collaborators of a kill that waits only briefly. */
  const killParts = () =>
    fixture.deps({ ...fixture.deps().settings, visibilityDelayMs: 100, recvWindowMs: 100 }, [fixture.instrument(contractName)]);

  it('a kill cancels trigger orders that open a position at once, and those that protect one when all is closed', async () => {
    const { orders, stopId, foreignId } = await openProtectedPosition({ isAcknowledged: true });
    const books = fixture.books(orders);
    const firstReport = await runKill(killParts(), books.books.orders, { includesForeign: false, books: null });
    // No list shows whose a trigger order is, so that of another client is named.
    const foreignNote = expect.stringContaining(`trigger order ${foreignId} `);
    expect(firstReport).toMatchObject({ triggersCancelled: 1, residuals: [foreignNote] });
    expect(await pendingTriggerIds()).toEqual([foreignId, stopId]);
    // The outcome of one more of its orders is unknown, so the orders that protect the position stay.
    const unknownOrder = { instrument: fixture.instrument(contractName), side: 'sell', qty: '400', price: '99000', orderId: null } as const;
    const booksWithUnknown = fixture.books([
      ...orders,
      { ...unknownOrder, cid: fixture.nextClientOrderId(), signMs: (await serverTimeMs()) + 60_000, reduceOnly: true },
    ]);
    const blockedReport = await runKill(killParts(), books.books.orders, {
      includesForeign: false,
      books: () => Promise.resolve(booksWithUnknown),
    });
    expect(blockedReport).toMatchObject({
      triggersCancelled: 0,
      residuals: [foreignNote, expect.stringContaining('400'), expect.stringContaining('unknown')],
    });
    expect(await pendingTriggerIds()).toEqual([foreignId, stopId]);
    const finalReport = await runKill(killParts(), books.books.orders, { includesForeign: false, books: () => Promise.resolve(books) });
    expect(finalReport).toMatchObject({ triggersCancelled: 1, residuals: [foreignNote] });
    expect((await fixture.call('futures.positions', { contractName })).rows).toEqual([]);
    expect(await pendingTriggerIds()).toEqual([foreignId]);
  });

  it('trigger orders whose replies were lost are recognised by their terms', async () => {
    const { orders, foreignId } = await openProtectedPosition({ isAcknowledged: false });
    const books = fixture.books(orders);
    const report = await runKill(killParts(), books.books.orders, { includesForeign: false, books: () => Promise.resolve(books) });
    expect(report).toMatchObject({ triggersCancelled: 2, residuals: [expect.stringContaining(`trigger order ${foreignId} `)] });
    expect(await pendingTriggerIds()).toEqual([foreignId]);
  });

  it('a kill names a waiting stop that may be the bot’s or that of another client', async () => {
    const { orders, stopId } = await openProtectedPosition({ isAcknowledged: false });
    const stopTerms = {
      contractName,
      type: 'LIMIT',
      positionType: 1,
      volume: '1000',
      side: 'SELL',
      open: 'CLOSE',
      price: '30000',
    } as const;
    const foreignStop = { ...stopTerms, triggerType: '1', triggerPrice: '40000', clientOrderId: 'of-another-client' } as const;
    const [foreignStopId] = (await fixture.call('futures.createConditionOrder', foreignStop)).triggerIds;
    const books = fixture.books(orders);
    const report = await runKill(killParts(), books.books.orders, { includesForeign: false, books: () => Promise.resolve(books) });
    expect((await fixture.call('futures.positions', { contractName })).rows).toEqual([]);
    expect(await pendingTriggerIds()).toEqual(expect.arrayContaining([stopId, foreignStopId]));
    expect(report.residuals.join('\n')).toContain(stopId);
    expect(report.residuals.join('\n')).toContain(foreignStopId);
  });
});
