// Implements the Model Context Protocol over JSON-RPC 2.0: answers requests, and runs tools in a queue.

import { ConfigError } from '../../base/errors.ts';
import type { CommandResult } from './runCommand.ts';
import { toolSchema, TOOLS, commandWords, type Tool } from './tools.ts';

/** Supported versions of the protocol, the newest first. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Maximum number of commands that run at once. Each command uses a core. */
const MAX_RUNNING = 2;
/** Maximum number of calls that run or wait. */
const MAX_CALLS = 64;
/** Maximum length of a name of the client in a message, in characters. */
const MAX_NAME_LENGTH = 80;
/** Exit codes of a command that has a result: 0 done, 3 differs or refuted, 4 not proved or not finished. */
const RESULT_CODES: readonly (number | null)[] = [0, 3, 4];

/** Error codes of JSON-RPC 2.0. */
const ERRORS = { parse: -32_700, invalid: -32_600, noMethod: -32_601, params: -32_602 } as const;

/** What the server takes. */
export interface McpServerDeps {
  readonly version: string;
  readonly allowLive: boolean;
  /** Sends one message. */
  readonly send: (message: object) => void;
  /** Starts a command, and returns a function that ends it. Calls `done` once, after it has returned. */
  readonly run: (words: readonly string[], done: (result: CommandResult) => void) => () => void;
}

/** The id by which the client recognises the answer to a request. */
type RequestId = string | number;
/** A JSON object of the client, not validated yet. */
type MessageFields = Readonly<Record<string, unknown>>;

/** A call of a tool that runs or waits. */
interface Call {
  readonly id: RequestId;
  /** The words of its command line. */
  readonly words: readonly string[];
  /** Ends the command; null while the call waits. */
  end: (() => void) | null;
  isCancelled: boolean;
}

/** A server for one client. */
export class McpServer {
  readonly #deps: McpServerDeps;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #calls = new Map<RequestId, Call>();
  /** Number of commands that run. */
  #runningCount = 0;
  /** True once the client has sent `initialize`. */
  #isInitialized = false;
  /** Called once when no call is left. */
  #whenIdle: (() => void) | null = null;

  constructor(deps: McpServerDeps) {
    this.#deps = deps;
    this.#tools = new Map(TOOLS.filter(({ isLive }) => deps.allowLive || !isLive).map((tool) => [tool.name, tool]));
  }

  /** Handles one line of input. Null stands for a line that was too long. */
  handleLine(line: string | null): void {
    if (line === null) return this.#fail(null, ERRORS.invalid, 'the message is longer than 1 MiB');
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#fail(null, ERRORS.parse, 'expected a line of JSON');
    }
    if (!isFields(message) || message['jsonrpc'] !== '2.0')
      return this.#fail(null, ERRORS.invalid, 'expected one JSON-RPC 2.0 object a line; batches are not supported');
    const { id, method, params = {} } = message;
    // This server sends no requests, so a reply belongs to nothing.
    if (method === undefined && ('result' in message || 'error' in message)) return;
    const isRequest = 'id' in message;
    if (isRequest && typeof id !== 'string' && !Number.isSafeInteger(id))
      return this.#fail(null, ERRORS.invalid, 'id: expected a text or a whole number');
    if (typeof method !== 'string') return this.#fail(isRequest ? (id as RequestId) : null, ERRORS.invalid, 'method: expected a text');
    if (!isRequest) return this.#onNotification(method, params);
    if (!isFields(params)) return this.#fail(id as RequestId, ERRORS.params, 'params: expected an object');
    this.#answer(id as RequestId, method, params);
  }

  /** Cancels all calls. Calls `done` once their commands have ended. */
  stop(done: () => void): void {
    this.#whenIdle = done;
    for (const call of this.#calls.values()) this.#cancel(call);
    this.#startQueuedCalls();
  }

  /** Waits for all calls. Calls `done` once they have been answered. */
  finish(done: () => void): void {
    this.#whenIdle = done;
    this.#startQueuedCalls();
  }

  /** Handles a message that needs no answer. The only one with an effect cancels a call. */
  #onNotification(method: string, params: unknown): void {
    if (method !== 'notifications/cancelled' || !isFields(params)) return;
    const call = this.#calls.get(params['requestId'] as RequestId);
    if (call !== undefined) this.#cancel(call);
    this.#startQueuedCalls();
  }

  /** Answers a request of the client by its method. Only `ping` is answered before `initialize`. */
  #answer(id: RequestId, method: string, params: MessageFields): void {
    if (this.#calls.has(id)) return this.#fail(id, ERRORS.invalid, 'a call with this id is running');
    if (method === 'ping') return this.#succeed(id, {});
    if (method === 'initialize') return this.#initialize(id, params);
    if (!this.#isInitialized) return this.#fail(id, ERRORS.invalid, 'expected initialize first');
    if (method === 'tools/list') return this.#succeed(id, { tools: [...this.#tools.values()].map(toolSchema) });
    if (method === 'tools/call') return this.#call(id, params);
    this.#fail(id, ERRORS.noMethod, `${method.slice(0, MAX_NAME_LENGTH)}: no such method`);
  }

  /** Agrees on a version of the protocol, and says what the server can do. */
  #initialize(id: RequestId, { protocolVersion }: MessageFields): void {
    const chosenVersion = VERSIONS.find((version) => version === protocolVersion) ?? VERSIONS[0];
    this.#isInitialized = true;
    this.#succeed(id, {
      protocolVersion: chosenVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'isobar', version: this.#deps.version },
      instructions: 'Paths are relative to the folder in which the server was started. Every tool is the command of that name with --json.',
    });
  }

  /** Queues a call of a tool. Fails for an unknown tool, for invalid arguments, and beyond the maximum number of calls. */
  #call(id: RequestId, { name, arguments: args = {} }: MessageFields): void {
    const tool = typeof name === 'string' ? this.#tools.get(name) : undefined;
    if (tool === undefined) return this.#fail(id, ERRORS.params, this.#noToolText(name));
    if (!isFields(args)) return this.#fail(id, ERRORS.params, 'arguments: expected an object');
    if (this.#calls.size >= MAX_CALLS) return this.#fail(id, ERRORS.invalid, `${MAX_CALLS} calls are running: wait for one of them`);
    try {
      this.#calls.set(id, { id, words: commandWords(tool, args), end: null, isCancelled: false });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return this.#fail(id, ERRORS.params, `${error.message}; ${error.remedy}`);
    }
    this.#startQueuedCalls();
  }

  /** Returns the error for a tool that does not exist or needs `--allow-live`. */
  #noToolText(name: unknown): string {
    const shortName = typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : 'nothing';
    const isLive = TOOLS.some((tool) => tool.name === name);
    return isLive
      ? `${shortName}: acts on a running bot; start the server with --allow-live to use it`
      : `${shortName}: no such tool; tools/list names them`;
  }

  /** Starts waiting calls while fewer than MAX_RUNNING run. Calls `#whenIdle` when no call is left. */
  #startQueuedCalls(): void {
    for (const call of this.#calls.values()) {
      if (this.#runningCount >= MAX_RUNNING) break;
      if (call.end === null) this.#start(call);
    }
    if (this.#calls.size > 0 || this.#whenIdle === null) return;
    const done = this.#whenIdle;
    this.#whenIdle = null;
    done();
  }

  /** Runs the command of a call, and then starts the next one. */
  #start(call: Call): void {
    this.#runningCount++;
    call.end = this.#deps.run(call.words, (result) => {
      this.#runningCount--;
      this.#calls.delete(call.id);
      if (!call.isCancelled) this.#succeed(call.id, resultOf(result));
      this.#startQueuedCalls();
    });
  }

  /** Ends a call. The client gets no reply to it. */
  #cancel(call: Call): void {
    call.isCancelled = true;
    if (call.end === null) this.#calls.delete(call.id);
    else call.end();
  }

  /** Sends the result of a request. */
  #succeed(id: RequestId, result: object): void {
    this.#deps.send({ jsonrpc: '2.0', id, result });
  }

  /** Sends the error of a request; `id` is null when the request has none that can be read. */
  #fail(id: RequestId | null, code: number, message: string): void {
    this.#deps.send({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

/** Returns the result of a call: stdout of the command, then stderr. A command without output counts as failed. */
function resultOf({ code, stdout, stderr }: CommandResult): object {
  const texts = [stdout.trim(), ...(stderr === '' ? [] : [stderr])].filter((text) => text !== '');
  const content = (texts.length > 0 ? texts : ['']).map((text) => ({ type: 'text', text }));
  return { content, isError: !RESULT_CODES.includes(code) || stdout.trim() === '', _meta: { exitCode: code } };
}

/** True for a JSON object. */
const isFields = (value: unknown): value is MessageFields => typeof value === 'object' && value !== null && !Array.isArray(value);
