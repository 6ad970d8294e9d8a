// The program of a bot process that is to be killed. The bot runs on stepped time, over the rows of an exchange in the parent process.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openOf } from '../../src/model/interval.ts';
import { booksOf } from '../parity/holdings.ts';
import { KILLED_BOT_TIMES } from '../parity/driver.ts';
import type { DrivenAct, DrivenRows, OpenOrderTotals } from '../parity/drivenRows.ts';
import { openSteppedBot, stopStepped, tradeStepped } from '../parity/steppedBot.ts';
import { SteppedTime } from '../parity/steppedTime.ts';
import { fillRows, orderRows } from '../parity/tables.ts';
import type { BotTask, RecordKill, Report, RowsCall, RowsReply, RowsResult } from './messages.ts';

/** A call without its number. */
type UnnumberedCall = RowsCall extends infer C ? (C extends RowsCall ? Omit<C, 'call'> : never) : never;

/** The rows of the exchange in the parent process. */
class RemoteRows implements DrivenRows {
  #callCount = 0;
  readonly #waiting = new Map<number, { readonly resolve: (result: RowsResult) => void; readonly reject: (error: Error) => void }>();

  constructor() {
    process.on('message', ({ call, result, error }: RowsReply) => {
      const waiting = this.#waiting.get(call);
      this.#waiting.delete(call);
      if (error === null) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    });
  }

  readonly moveTo = async (timeMs: number): Promise<void> => void (await this.#call({ method: 'moveTo', timeMs }));
  async nextMs(): Promise<number> {
    return (await this.#call({ method: 'nextMs' })) as number;
  }
  async matchByActs(): Promise<void> {
    await this.#call({ method: 'matchByActs' });
  }
  async matchWholeRows(): Promise<void> {
    await this.#call({ method: 'matchWholeRows' });
  }
  async next(): Promise<DrivenAct | null> {
    return (await this.#call({ method: 'next' })) as DrivenAct | null;
  }
  async quote(price: number): Promise<void> {
    await this.#call({ method: 'quote', price });
  }
  async openOrders(): Promise<OpenOrderTotals> {
    return (await this.#call({ method: 'openOrders' })) as OpenOrderTotals;
  }

  /** Sends a call, and returns its result. */
  #call(unnumbered: UnnumberedCall): Promise<RowsResult> {
    const call = ++this.#callCount;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      process.send!({ call, ...unnumbered });
    });
  }
}

/** Ends this process as `kill -9` does: no handler runs, and no byte is flushed. */
const killItself = (): void => void process.kill(process.pid, 'SIGKILL');

/** Replaces the write functions of Node, so that this process ends at the `nth` write with a record of this kind. */
function killAtRecord({ kind, moment, nth }: RecordKill): void {
  const { writeSync, fdatasync } = fs;
  const mark = `"k":"${kind}"`;
  let remainingWrites = nth;
  /** The file with the record; null before it is written. */
  let fileOfRecord: number | null = null;
  /** Looks for the record in the bytes of a write. Ends the process if the kill is due before or during this write. */
  const checkWrite = (descriptor: number, bytes: unknown): void => {
    if (typeof bytes === 'string' || fileOfRecord !== null) return;
    const text = Buffer.from(bytes as Uint8Array);
    if (!text.includes(mark) || --remainingWrites > 0) return;
    fileOfRecord = descriptor;
    if (moment === 'before') killItself();
    if (moment !== 'torn') return;
    writeSync(descriptor, text.subarray(0, text.indexOf(mark) + mark.length));
    killItself();
  };
  fs.writeSync = ((descriptor: number, bytes: Uint8Array, ...otherArgs: never[]) => {
    checkWrite(descriptor, bytes);
    return writeSync(descriptor, bytes, ...otherArgs);
  }) as typeof fs.writeSync;
  fs.fdatasync = ((descriptor: number, done: fs.NoParamCallback) => {
    if (descriptor === fileOfRecord && moment === 'written') killItself();
    fdatasync(descriptor, (error) => {
      if (descriptor === fileOfRecord && moment === 'durable') killItself();
      done(error);
    });
  }) as typeof fs.fdatasync;
  syncBuiltinESMExports();
}

/** Sends a report, and resolves once it was sent. A process that ends earlier would lose it. */
const notify = (report: Report): Promise<void> => new Promise((resolve) => process.send!(report, undefined, {}, () => resolve()));
/** Log lines of the bot. */
const logLines: string[] = [];
/** Reports a failure with the newest log lines, and ends the process. */
const fail = (why: string): void => {
  void notify({ report: 'failed', why: `${why}\n${logLines.slice(-15).join('')}` }).then(() => process.exit(1));
};

/** Runs the bot until the last row, and sends its orders, fills and books to the parent. */
async function runBot({ config, nowMs, isPrompt, capacityRows, resume, kill }: BotTask): Promise<void> {
  if (kill !== null) killAtRecord(kill);
  const rows = new RemoteRows();
  const time = new SteppedTime({ nowMs, moveTo: rows.moveTo });
  const steppedBot = await openSteppedBot(config, time, {
    notify: (line) => void logLines.push(line),
    broken: (why) => fail(`the bot broke: ${why}`),
    capacityRows,
    startGapMs: 1,
    times: KILLED_BOT_TIMES,
  });
  const driver = await tradeStepped(steppedBot, { time, rows, isPrompt, times: KILLED_BOT_TIMES });
  void notify({ report: 'trading' });
  if (resume !== null) await driver.resume(resume.closeMs, resume.act);
  while (await driver.driveNextRows());
  const { engine } = steppedBot.bot.deps;
  const barOf = (instrument: number, timeMs: number): number => openOf(engine.execution[instrument]!.bars.interval, timeMs);
  await notify({
    report: 'over',
    tables: { orders: orderRows(engine.orders.columns(), barOf), fills: fillRows(engine.fills.columns()), books: booksOf(engine) },
  });
  await stopStepped(steppedBot, time);
  time.close();
  process.disconnect();
}

process.once('message', (task: BotTask) => {
  runBot(task).catch((error: unknown) => fail(error instanceof Error ? (error.stack ?? error.message) : String(error)));
});
process.on('disconnect', () => process.exit(0));
