// Runs a paper exchange whose prices are rows, and live bots over HTTP on it, on one clock that moves on command.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import type { ExchangeSettings } from '../../src/paperExchange/process/file/settings.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import type { RowDriver } from './driver.ts';
import { ServiceRows } from './drivenRows.ts';
import { openSteppedBot, stopStepped, tradeStepped } from './steppedBot.ts';
import { SteppedTime } from './steppedTime.ts';

/** Makes a temporary folder, in memory if the system supports that. Other tests cover the disk. */
export const memoryFolder = (name: string): string => mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), name));

/** Moves the clock of an exchange in this process to the whole millisecond of `timeMs`, and runs what is due there. */
export function moveExchange({ clock, service }: RunningExchange, timeMs: number): void {
  const stepMs = Math.floor(timeMs) - clock.nowMs();
  if (stepMs > 0) clock.step(stepMs);
  service.advance(timeMs);
}

/** An exchange with a temporary folder and the clock of its bots. */
export class RowWorld {
  readonly folder = memoryFolder('isobar-parity-');
  readonly exchange: RunningExchange;
  readonly time: SteppedTime;

  private constructor(exchange: RunningExchange) {
    this.exchange = exchange;
    this.time = new SteppedTime({ nowMs: exchange.clock.nowMs(), moveTo: (timeMs) => moveExchange(exchange, timeMs) });
  }

  /** Starts an exchange with these settings on a free port. */
  static async open(settings: ExchangeSettings): Promise<RowWorld> {
    return new RowWorld(await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} }));
  }

  /** Closes the exchange and deletes the folder. Bots must have stopped before. */
  async close(): Promise<void> {
    this.time.close();
    await this.exchange.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Opens the bot of the config at `path` with the strategy of `plan` and space for its bars. `notify` gets the lines of its log. */
  openBot(path: string, plan: RunPlan, notify: (line: string) => void): Promise<OpenedBot> {
    return openSteppedBot(path, this.time, {
      notify,
      load: () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' }),
      broken: (why) => {
        throw new Error(`the bot stopped with a fault: ${why}`);
      },
      capacityRows: Math.max(...plan.feeds.map(({ bars }) => bars.length)) + 1,
    });
  }

  /** Starts a bot and waits until it trades. Returns the driver that takes it over the rows. */
  startTrading(opened: OpenedBot, { fills: { latencyMs } }: RunPlan): Promise<RowDriver> {
    return tradeStepped(opened, { time: this.time, rows: new ServiceRows(this.exchange.service), isPrompt: latencyMs === 0 });
  }

  /** Stops and closes a bot. Time passes meanwhile. */
  stop(opened: OpenedBot): Promise<void> {
    return stopStepped(opened, this.time);
  }
}
