// The WebSocket server of specification 6: public, at /ws, with the heartbeat only, because nothing else is specified.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Scheduler } from '../../ports/scheduler.ts';
import { utf8 } from '../../protocol/json/json.ts';
import {
  CLOSE,
  closeReplyCode,
  closePayload,
  frameOf,
  FrameReader,
  OPCODE,
  textIn,
  type SocketFrame,
} from '../../protocol/socket/frames.ts';
import { heartbeatText, stampIn } from '../../protocol/socket/heartbeatText.ts';
import { asksForWebSocket, handshake, refusal } from './handshake.ts';
import { requestTargetOf } from './requestTarget.ts';
import { Heartbeat, type HeartbeatTimes } from '../dialect/heartbeat.ts';

/** Path of the WebSocket. */
export const SOCKET_PATH = '/ws';
/** Maximum size of a client message, in bytes. A pong needs no more. */
const MAX_MESSAGE_BYTES = 4096;
const MAX_CONNECTIONS = 1024;
/** Unsent bytes above which a client counts as not reading and is disconnected. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** The times and the form of the pings. */
export interface HeartbeatServerOptions extends HeartbeatTimes {
  /** Form of a ping: a control frame, or the text `{"ping":<ms>}`, which is answered with `{"pong":<ms>}`. */
  readonly form: 'frame' | 'message';
}

/** The WebSockets of one exchange. */
export class HeartbeatServer {
  readonly #scheduler: Scheduler;
  readonly #options: HeartbeatServerOptions;
  readonly #connections = new Set<Connection>();

  constructor(scheduler: Scheduler, options: HeartbeatServerOptions) {
    this.#scheduler = scheduler;
    this.#options = options;
  }

  /** Handles a request for a WebSocket at `/ws`. Returns false for any other request, which the HTTP server then answers. */
  acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!asksForWebSocket(request) || requestTargetOf(request.url ?? '').target.split('?', 1)[0] !== SOCKET_PATH) return false;
    socket.on('error', () => socket.destroy());
    const { isAccepted, answer } = this.#connections.size >= MAX_CONNECTIONS ? refusal(503, 'Service Unavailable') : handshake(request);
    if (!isAccepted) {
      // Node gives an upgraded connection away: without this it stays open for as long as the client keeps its end.
      socket.end(answer, () => socket.destroy());
      return true;
    }
    socket.write(answer);
    const connection = new Connection(socket, this.#scheduler, this.#options, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    if (head.length > 0) connection.receive(head);
    return true;
  }

  /** Closes every connection. */
  close(): void {
    for (const connection of this.#connections) connection.end(CLOSE.goingAway, 'the exchange closes');
  }
}

/** One open WebSocket: reads its frames and sends pings and pongs. */
class Connection {
  readonly #socket: Duplex;
  readonly #form: HeartbeatServerOptions['form'];
  readonly #reader = new FrameReader('client', MAX_MESSAGE_BYTES);
  readonly #heartbeat: Heartbeat;
  #isEnding = false;

  constructor(socket: Duplex, scheduler: Scheduler, options: HeartbeatServerOptions, onEnd: () => void) {
    this.#socket = socket;
    this.#form = options.form;
    this.#heartbeat = new Heartbeat(scheduler, options, {
      ping: (stamp) => this.#ping(stamp),
      onLost: () => this.end(CLOSE.policy, 'no pong'),
    });
    socket.on('data', (bytes: Buffer) => this.receive(bytes));
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      this.#heartbeat.stop();
      onEnd();
    });
  }

  /** Handles bytes from the client. A malformed frame ends the connection. */
  receive(bytes: Buffer): void {
    const { frames, error } = this.#reader.push(bytes);
    for (const frame of frames) if (!this.#isEnding) this.#handleFrame(frame);
    if (error !== null) this.end(error.code, error.reason);
  }

  /** Sends the reason and closes without waiting for a reply, because a silent client would send none. */
  end(code: number, reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#heartbeat.stop();
    this.#socket.end(frameOf(OPCODE.close, closePayload(code, reason)), () => this.#socket.destroy());
    // If more bytes wait than the maximum, the client does not read, and they will never arrive.
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.destroy();
  }

  /** Answers a frame of the client: ping, pong, close or text. */
  #handleFrame({ opcode, payload }: SocketFrame): void {
    switch (opcode) {
      case OPCODE.ping:
        return this.#send(OPCODE.pong, payload);
      case OPCODE.pong:
        if (this.#form === 'frame') this.#onPong(textIn(payload));
        return undefined;
      case OPCODE.close:
        return this.end(closeReplyCode(payload), '');
      case OPCODE.text:
        return this.#onMessage(textIn(payload));
      default:
        // Binary messages have no meaning here.
        return undefined;
    }
  }

  /** Handles a text message. Any text other than a pong is ignored, because there are no channels to subscribe to. */
  #onMessage(text: string | null): void {
    if (text === null) this.end(CLOSE.badText, 'text that is not valid UTF-8');
    else if (this.#form === 'message') this.#onPong(stampIn('pong', text));
  }

  #onPong(stamp: string | null): void {
    if (stamp !== null) this.#heartbeat.onPong(stamp);
  }

  #ping(stamp: string): void {
    if (this.#form === 'frame') this.#send(OPCODE.ping, utf8(stamp));
    else this.#send(OPCODE.text, utf8(heartbeatText('ping', stamp)));
  }

  #send(opcode: number, payload: Uint8Array): void {
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) this.#socket.destroy();
    else this.#socket.write(frameOf(opcode, payload));
  }
}
