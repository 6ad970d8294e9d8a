// The control socket of a bot: a Unix socket that its user alone can open, one JSON line a request.

import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { BotControl } from '../../app/control/botControl.ts';
import { SOCKET_NAME } from '../../app/control/dataFolder.ts';
import { Lines, lineText, MOST_REQUEST_BYTES, PROTOCOL_VERSION, readRequestLine, type AnswerLine } from '../../app/control/line.ts';
import { perform, readRequest } from '../../app/control/request.ts';
import { ConfigError } from '../../base/errors.ts';

/** The system's own bound on the path of a socket, less its closing zero. */
const MOST_PATH_BYTES = 103;
const MOST_CONNECTIONS = 16;

export interface ControlServer {
  readonly path: string;
  /** Takes the socket away. */
  close(): Promise<void>;
}

/** Listens in `folder`, of mode 0700. Throws ConfigError where another bot listens there, or its path is too long. */
export async function openControl(folder: string, control: BotControl): Promise<ControlServer> {
  const path = join(folder, SOCKET_NAME);
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) {
    throw new ConfigError(
      `${path}: expected a path of at most ${MOST_PATH_BYTES} bytes`,
      'a socket needs a short one: choose another data folder',
    );
  }
  await removeDead(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serve(socket, control);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    path,
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function serve(socket: Socket, control: BotControl): void {
  const say = (answer: AnswerLine): void => void socket.write(lineText(answer));
  const lines = new Lines(
    MOST_REQUEST_BYTES,
    (text) => void answerTo(text, control).then(say),
    () => socket.end(lineText({ v: PROTOCOL_VERSION, id: 0, ok: false, problem: 'the request is too long' })),
  );
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => lines.add(text));
  // A reader that goes away is no matter of ours.
  socket.on('error', () => socket.destroy());
}

async function answerTo(text: string, control: BotControl): Promise<AnswerLine> {
  const line = readRequestLine(text);
  const v = PROTOCOL_VERSION;
  if (line === null) return { v, id: 0, ok: false, problem: 'expected a line {v, id, who, request}' };
  const { id, who } = line;
  if (line.v !== v) return { v, id, ok: false, problem: `expected version ${v} of the protocol, got ${line.v}` };
  const read = readRequest(line.request);
  if ('problem' in read) return { v, id, ok: false, problem: read.problem };
  return { v, id, ok: true, value: await perform(control, read.request, who) };
}

/** A process that was killed leaves its socket behind; one that somebody answers at is in use. */
async function removeDead(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isSocket()) throw new ConfigError(`${path}: expected a socket, got something else`, 'move it out of the data folder');
  const isAlive = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
  if (isAlive) throw new ConfigError(`${path}: a bot answers here already`, 'one bot a data folder: stop it, or choose another folder');
  rmSync(path);
}
