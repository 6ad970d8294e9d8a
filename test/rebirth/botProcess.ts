// The process of one bot on stepped time that is killed: it runs the bot over the rows of an exchange in another process.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openOf } from '../../src/model/interval.ts';
import { booksOf } from '../parity/holdings.ts';
import { TARGET_TIMES } from '../parity/driver.ts';
import type { DrivenAct, DrivenRows, OpenOrders } from '../parity/drivenRows.ts';
import { openSteppedBot, stopStepped, tradeStepped } from '../parity/steppedBot.ts';
import { SteppedTime } from '../parity/steppedTime.ts';
import { fillRows, orderRows } from '../parity/tables.ts';
import type { Answer, BotTask, Question, RecordKill, Reply, Report } from './messages.ts';

type QuestionWithoutCall = Question extends infer Q ? (Q extends Question ? Omit<Q, 'call'> : never) : never;

/** The exchange in the other process. */
class FarExchange implements DrivenRows {
  #calls = 0;
  readonly #waiting = new Map<number, { readonly resolve: (answer: Answer) => void; readonly reject: (error: Error) => void }>();

  constructor() {
    process.on('message', ({ call, answer, error }: Reply) => {
      const waiting = this.#waiting.get(call);
      this.#waiting.delete(call);
      if (error === null) waiting?.resolve(answer);
      else waiting?.reject(new Error(error));
    });
  }

  readonly moveTo = async (timeMs: number): Promise<void> => void (await this.#ask({ ask: 'moveTo', timeMs }));
  async nextMs(): Promise<number> {
    return (await this.#ask({ ask: 'nextMs' })) as number;
  }
  async goByActs(): Promise<void> {
    await this.#ask({ ask: 'goByActs' });
  }
  async goWhole(): Promise<void> {
    await this.#ask({ ask: 'goWhole' });
  }
  async next(): Promise<DrivenAct | null> {
    return (await this.#ask({ ask: 'next' })) as DrivenAct | null;
  }
  async quote(price: number): Promise<void> {
    await this.#ask({ ask: 'quote', price });
  }
  async openOrders(): Promise<OpenOrders> {
    return (await this.#ask({ ask: 'openOrders' })) as OpenOrders;
  }

  #ask(question: QuestionWithoutCall): Promise<Answer> {
    const call = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      process.send!({ call, ...question });
    });
  }
}

/** As `kill -9` does: no handler runs, no byte is flushed. */
const die = (): void => void process.kill(process.pid, 'SIGKILL');

/** Kills this process at a write, without the bot's knowledge. */
function armKill({ kind, step, nth }: RecordKill): void {
  const { writeSync, fdatasync } = fs;
  const mark = `"k":"${kind}"`;
  let remaining = nth;
  let written: number | null = null;
  const strike = (descriptor: number, bytes: unknown): void => {
    const text = typeof bytes === 'string' || written !== null ? null : Buffer.from(bytes as Uint8Array);
    if (text === null || !text.includes(mark) || --remaining > 0) return;
    written = descriptor;
    if (step === 'before') die();
    if (step !== 'torn') return;
    writeSync(descriptor, text.subarray(0, text.indexOf(mark) + mark.length));
    die();
  };
  fs.writeSync = ((descriptor: number, bytes: Uint8Array, ...more: never[]) => {
    strike(descriptor, bytes);
    return writeSync(descriptor, bytes, ...more);
  }) as typeof fs.writeSync;
  fs.fdatasync = ((descriptor: number, done: fs.NoParamCallback) => {
    if (descriptor === written && step === 'written') die();
    fdatasync(descriptor, (error) => {
      if (descriptor === written && step === 'lasting') die();
      done(error);
    });
  }) as typeof fs.fdatasync;
  syncBuiltinESMExports();
}

/** Resolves when the report has left: a process that ends, or closes the channel, takes along what it still holds. */
const notify = (report: Report): Promise<void> => new Promise((resolve) => process.send!(report, undefined, {}, () => resolve()));
const reply: string[] = [];
const fail = (why: string): void => {
  void notify({ report: 'failed', why: `${why}\n${reply.slice(-15).join('')}` }).then(() => process.exit(1));
};

/** Runs the bot until the last row, and sends its orders, fills and books to the parent. */
async function run({ config, nowMs, isPrompt, room, resume, kill }: BotTask): Promise<void> {
  if (kill !== null) armKill(kill);
  const exchange = new FarExchange();
  const time = new SteppedTime({ nowMs, moveTo: exchange.moveTo });
  const opened = await openSteppedBot(config, time, {
    notify: (line) => void reply.push(line),
    broken: (why) => fail(`the bot broke: ${why}`),
    room,
    startGapMs: 1,
    times: TARGET_TIMES,
  });
  const driver = await tradeStepped(opened, { time, rows: exchange, isPrompt, times: TARGET_TIMES });
  void notify({ report: 'trading' });
  if (resume !== null) await driver.resume(resume.closeMs, resume.act);
  while (await driver.next());
  const { engine } = opened.bot.deps;
  const barOf = (instrument: number, timeMs: number): number => openOf(engine.execution[instrument]!.bars.interval, timeMs);
  await notify({
    report: 'over',
    tables: { orders: orderRows(engine.orders.columns(), barOf), fills: fillRows(engine.fills.columns()), books: booksOf(engine) },
  });
  await stopStepped(opened, time);
  time.close();
  process.disconnect();
}

process.once('message', (task: BotTask) => {
  run(task).catch((error: unknown) => fail(error instanceof Error ? (error.stack ?? error.message) : String(error)));
});
process.on('disconnect', () => process.exit(0));
