// Tests a running bot and the commands that show and control it, over its real socket.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openControl, type ControlServer } from '../../src/tasks/bot/process/controlServer.ts';
import { engageKillSwitch } from '../../src/tasks/kill/killSwitch/killSwitch.ts';
import { ApiFixture, type ApiCommandResult } from '../fixtures/apiFixture.ts';
import { lostOrder, ScriptedBot } from '../fixtures/scriptedBot.ts';

let folder: string;
let bot: ScriptedBot;
let server: ControlServer;
let fixture: ApiFixture;
/** Runs a command about the bot. */
const isobar = (...args: readonly string[]): Promise<ApiCommandResult> => fixture.runHere([...args, '--data', folder]);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-control-'));
  chmodSync(folder, 0o700);
  bot = new ScriptedBot();
  server = await openControl(folder, bot);
  fixture = new ApiFixture();
});
afterEach(async () => {
  await server.close();
  fixture.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('commands about a running bot', () => {
  it('status, orders, positions and logs show the state of a running bot in at most 100 columns', async () => {
    bot.unknown = [lostOrder()];
    bot.foreignOrders = [{ kind: 'order', id: '991', instrument: 'spot:BTCUSDT', message: 'buy 0.5 at 100', seenMs: bot.timeMs - 9000 }];
    bot.board.raise({ kind: 'symbol', instrument: 0 }, 'HALT_NEW', 'GAP', 'a list with a hole '.repeat(9), bot.timeMs);
    for (const command of ['status', 'orders', 'positions', 'logs']) {
      const { code, stdout } = await isobar(command);
      expect(code).toBe(0);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    }
    expect((await isobar('status')).stdout).toContain('HALT_NEW symbol:spot:BTCUSDT: GAP');
    expect((await isobar('orders')).stdout).toMatch(/Of unknown outcome[\s\S]*Not ours[\s\S]*Open[\s\S]*Proven absent/);
    expect((await isobar('positions')).stdout).toContain('0.90000');
    expect(JSON.parse((await isobar('status', '--json')).stdout)).toEqual(bot.view());
  });

  it('halt and resume change the risk state of a running bot, and pass it the name of the user', async () => {
    expect(await isobar('halt', 'symbol:spot:BTCUSDT', '--why', 'strange prices')).toMatchObject({ code: 0 });
    expect(bot.board.stateOf(0, 0)).toBe('HALT_NEW');
    expect(bot.board.stateOf(1, 0)).toBe('RUN');
    expect(bot.acts[0]?.who).toMatch(/\w+ \(isobar\)/);
    expect(await isobar('resume', 'symbol:spot:BTCUSDT', '--why', 'looked at it')).toMatchObject({ code: 0 });
    expect(bot.board.hasAny).toBe(false);
    const nothing = await isobar('resume', '--why', 'once more');
    expect(nothing).toMatchObject({ code: 1, stdout: 'account has no cause OPERATOR\n' });
  });

  it('tighten sets a limit with a reason, and rejects an unknown limit', async () => {
    expect(await isobar('tighten', 'maxOrderNotional', '1000', '--why', 'thin market')).toMatchObject({ code: 0 });
    expect(bot.acts.at(-1)).toMatchObject({ what: 'maxOrderNotional is 1000 now', who: expect.stringMatching(/\w+ \(isobar\)/) });
    const typo = await isobar('tighten', 'maxOrderNotion', '1000', '--why', 'thin market');
    expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean maxOrderNotional?') });
    expect(await isobar('tighten', 'maxOrderNotional', '--why', 'thin market')).toMatchObject({ code: 2 });
    expect(await isobar('tighten', 'maxOrderNotional', '1000')).toMatchObject({ code: 2 });
  });

  it('orders passes decisions of the operator to the bot, and needs a reason for each', async () => {
    bot.foreignOrders = [{ kind: 'order', id: '991', instrument: 'spot:BTCUSDT', message: 'buy 0.5 at 100', seenMs: bot.timeMs }];
    bot.unknown = [lostOrder()];
    expect(await isobar('orders', 'adopt', '991')).toMatchObject({ code: 2 });
    expect(await isobar('orders', 'ignore', '991', '--why', 'mine')).toMatchObject({ code: 0 });
    expect(await isobar('orders', 'resolve', lostOrder().cid, '--outcome', 'noEffect', '--why', 'not in any list')).toMatchObject({
      code: 0,
    });
    expect(bot.foreignOrders).toEqual([]);
    expect(bot.unknown).toEqual([]);
  });

  it('a kill engages the kill switch on the disk before it reaches the bot', async () => {
    const { code, stdout } = await isobar('kill');
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'KILLED'))).toBe(true);
    expect(stdout).toContain('killed: all orders of the bot are cancelled');
    expect(bot.board.causes()).toMatchObject([{ state: 'KILLED', code: 'KILLED' }]);
  });

  it('status and kill say what is missing if no bot runs', async () => {
    await server.close();
    const { code, stderr } = await isobar('status');
    expect(code).toBe(2);
    expect(stderr).toContain('no bot answers here');
    expect((await fixture.runHere(['status', '--data', join(folder, 'nothing')])).stderr).toContain(
      'expected the data folder of a bot, got none',
    );
    expect((await isobar('kill', '--separate')).stderr).toContain('bot.json');
  });

  it('a killed bot that has ended is re-armed with a reason', async () => {
    await server.close();
    await engageKillSwitch(folder, { sinceMs: 1, who: 'ann', why: 'a drill', flatten: false });
    expect(await isobar('resume', 'account', '--code', 'KILLED', '--why', 'x')).toMatchObject({ code: 2 });
    expect(await isobar('resume', 'account', '--code', 'KILLED', '--why', 'the drill is over')).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'KILLED'))).toBe(false);
    expect(existsSync(join(folder, 'REARMED'))).toBe(true);
  });

  it('a command finds the data folder of a bot by --config', async () => {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'bot.yaml'), 'mode: paper\ndata: ..\n');
    expect(await fixture.runHere(['positions', '--config', join(folder, 'etc', 'bot.yaml')])).toMatchObject({ code: 0 });
  });
});

describe('the control socket', () => {
  /** Sends text to the socket, and returns its first reply. */
  const replyTo = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(server.path);
      socket.on('error', reject);
      socket.on('data', (bytes) => {
        socket.destroy();
        resolve(bytes.toString());
      });
      socket.write(text);
    });

  it('only the user of the bot can open the socket', () => {
    expect(statSync(server.path).mode & 0o777).toBe(0o600);
  });

  it('the socket replies to a malformed request with an error, and serves the next one', async () => {
    expect(await replyTo('hello\n')).toContain('expected a line');
    expect(await replyTo('{"v":9,"id":1,"who":"x","request":{"op":"view"}}\n')).toContain('expected version 1');
    expect(await replyTo('{"v":1,"id":1,"who":"x","request":{"op":"sell everything"}}\n')).toContain('"ok":false');
    expect(
      await replyTo('{"v":1,"id":1,"who":"x","request":{"op":"halt","scope":"__proto__","state":"HALT_NEW","why":"why"}}\n'),
    ).toContain('"ok":false');
    expect(await replyTo('x'.repeat(70_000))).toContain('too long');
    expect(await replyTo('{"v":1,"id":7,"who":"x","request":{"op":"logs","after":0,"most":1}}\n')).toContain('"id":7,"ok":true');
    expect(bot.acts).toEqual([]);
  });

  it('the socket closes an idle client', async () => {
    const maxIdleMs = 300;
    await server.close();
    server = await openControl(folder, bot, maxIdleMs);
    const idleClient = connect(server.path);
    const ended = new Promise<void>((resolve) => void idleClient.on('close', () => resolve()));
    idleClient.resume();
    await ended;
    expect(await replyTo('{"v":1,"id":7,"who":"x","request":{"op":"view"}}\n')).toContain('"id":7,"ok":true');
  });

  it('the socket stops serving a client that does not read its replies once its buffer is full', async () => {
    let viewCount = 0;
    const view = bot.view();
    // One reply fills the buffer of a socket.
    bot.view = () => {
      viewCount++;
      return { ...view, padding: 'x'.repeat(4 * 2 ** 20) } as never;
    };
    const slowClient = connect(server.path);
    slowClient.pause();
    slowClient.on('error', () => {});
    slowClient.write('{"v":1,"id":7,"who":"x","request":{"op":"view"}}\n'.repeat(60));
    await expect.poll(() => viewCount).toBe(1);
    // The socket still serves another client.
    expect(await replyTo('{"v":1,"id":8,"who":"x","request":{"op":"logs","after":0,"most":1}}\n')).toContain('"id":8,"ok":true');
    expect(viewCount).toBe(1);
    slowClient.destroy();
  });

  it('the socket closes a client that sends many requests without waiting for replies', async () => {
    const manyRequests = '{"v":1,"id":7,"who":"x","request":{"op":"view"}}\n'.repeat(1000);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(server.path);
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      socket.on('close', () => resolve(received)).on('error', () => {});
      socket.write(manyRequests);
    });
    expect(text).toContain('at most 64 waiting requests');
  });

  it('a second bot cannot open the socket of a folder while the first one runs', async () => {
    await expect(openControl(folder, bot)).rejects.toThrow('another bot already answers here');
  });

  it('a bot replaces the socket of an ended bot', async () => {
    await server.close();
    server = await openControl(folder, bot);
    expect(await isobar('positions')).toMatchObject({ code: 0 });
  });
});
