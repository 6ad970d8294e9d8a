// Tests `isobar mcp` with a plain client: valid lines of JSON get replies, invalid lines get errors, and no line ends the server.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, expect, test } from 'vitest';
import { COMMAND, STRATEGIES } from '../fixtures/cliFixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-mcp-'));
mkdirSync(join(folder, 'strategies'));
const ENDLESS = `import { Strategy } from 'isobar';
export default class Endless extends Strategy {
  override onBar() {
    for (;;);
  }
}
`;
writeFileSync(join(folder, 'strategies/endless.ts'), ENDLESS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One line of the server. */
interface Message {
  readonly id?: unknown;
  readonly result?: {
    readonly [key: string]: unknown;
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client that writes lines to its own server process and waits for the replies. */
class McpClient {
  readonly #child: ChildProcess;
  /** Messages for which nothing has waited yet. */
  readonly #received: Message[] = [];
  readonly #waiting: { readonly is: (message: Message) => boolean; readonly resolve: (message: Message) => void }[] = [];
  readonly closed: Promise<number | null>;

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, [COMMAND, 'mcp', ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    this.closed = new Promise((resolve) => this.#child.once('close', resolve));
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      const waitingIndex = this.#waiting.findIndex(({ is }) => is(message));
      if (waitingIndex < 0) this.#received.push(message);
      else this.#waiting.splice(waitingIndex, 1)[0]!.resolve(message);
    });
  }

  write(text: string | Buffer): void {
    this.#child.stdin!.write(text);
  }
  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  /** Returns the first message for which `is` is true, and waits for it if necessary. */
  nextMessage(is: (message: Message) => boolean): Promise<Message> {
    const messageIndex = this.#received.findIndex(is);
    if (messageIndex >= 0) return Promise.resolve(this.#received.splice(messageIndex, 1)[0]!);
    return new Promise((resolve) => this.#waiting.push({ is, resolve }));
  }
  /** Sends a request and returns its reply. */
  request(id: string | number, method: string, params: object = {}): Promise<Message> {
    this.send({ id, method, params });
    return this.nextMessage((message) => message.id === id);
  }
  /** Calls a tool and returns its reply. */
  callTool(id: string | number, name: string, args: object = {}): Promise<Message> {
    return this.request(id, 'tools/call', { name, arguments: args });
  }
  /** Performs the handshake of the protocol. */
  async initialize(): Promise<this> {
    await this.request('open', 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'naive', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
    return this;
  }
  /** Closes the input of the server, and returns its exit code. */
  closeInput(): Promise<number | null> {
    this.#child.stdin!.end();
    return this.closed;
  }
  kill(): void {
    this.#child.kill('SIGTERM');
  }
}

let clients: McpClient[] = [];
afterEach(async () => {
  for (const client of clients) client.kill();
  await Promise.all(clients.map(({ closed }) => closed));
  clients = [];
});

/** Starts a server, which ends with the test. */
function startClient(...args: readonly string[]): McpClient {
  const newClient = new McpClient(...args);
  clients.push(newClient);
  return newClient;
}

const THREE_MINUTES = { timeout: 180_000 };

test('the first request has to be initialize, which names the protocol, the server and its tools', THREE_MINUTES, async () => {
  const client = startClient();
  expect((await client.request(0, 'tools/list')).error).toMatchObject({ code: -32_600, message: 'expected initialize first' });
  expect((await client.request(1, 'initialize', { protocolVersion: '1999-01-01' })).result).toMatchObject({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'isobar' },
  });
  expect((await client.request(2, 'ping')).result).toEqual({});
  const { tools } = (await client.request(3, 'tools/list')).result as { readonly tools: readonly { readonly name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual([
    'strategy_list', 'strategy_describe', 'data_list', 'data_check', 'data_import', 'data_generate', 'backtest', 'sweep', 'prove', 'why',
    'breakeven', 'report', 'verify', 'parity', 'status', 'positions',
  ]); // prettier-ignore
  expect(await client.closeInput()).toBe(0);
});

test('a client generates bars, runs a backtest, reads its report and proves its strategy', THREE_MINUTES, async () => {
  const client = await startClient().initialize();
  const generated = await client.callTool('made', 'data_generate', {
    symbol: 'DEMOUSDT',
    interval: '15m',
    from: '2024-01-01',
    bars: 1500,
    seed: 7,
  });
  expect(generated.result).toMatchObject({ isError: false, _meta: { exitCode: 0 } });
  writeFileSync(
    join(folder, 'run.yaml'),
    JSON.stringify({
      strategy: `${STRATEGIES}/smaCross.ts`,
      feeds: { bars: { symbol: 'DEMOUSDT', interval: '15m' } },
      cash: '10000',
      catalog: 'data',
    }),
  );
  const run = (await client.callTool(5, 'backtest', { what: 'run.yaml', report: false, set: ['params.fast=5'] })).result!;
  expect(run.isError).toBe(false);
  expect(JSON.parse(run.content![0]!.text)).toMatchObject({ orders: { fills: expect.any(Number) as number } });
  const [name] = readdirSync(join(folder, 'runs'));
  expect((await client.callTool(6, 'report', { run: `runs/${name}` })).result).toMatchObject({ isError: false });
  const proof = (await client.callTool(7, 'prove', { what: 'run.yaml', quick: true })).result!;
  expect(JSON.parse(proof.content![0]!.text)).toMatchObject({ verdict: 'proved' });
  // The error text of the command comes with its remedy.
  const refused = (await client.callTool(8, 'backtest', { what: 'no.yaml' })).result!;
  expect(refused).toMatchObject({ isError: true, _meta: { exitCode: 2 } });
  expect(refused.content![0]!.text).toContain('no.yaml: no such file');
  expect(await client.closeInput()).toBe(0);
});

test('an invalid line gets an error without an id, and a notification gets no reply', THREE_MINUTES, async () => {
  const client = await startClient().initialize();
  const isWithoutId = (message: Message): boolean => message.id === null;
  for (const [line, code] of [
    ['{', -32_700],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
    ['"ping"', -32_600],
    ['{"id":1,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32_600],
    [`{"jsonrpc":"2.0","method":"ping","x":"${'x'.repeat(2 ** 21)}"}`, -32_600],
    ['['.repeat(500_000), -32_700],
  ] as const) {
    client.write(`${line}\n`);
    expect((await client.nextMessage(isWithoutId)).error!.code).toBe(code);
  }
  client.write(Buffer.from([0xff, 0xfe, 0x0a]));
  expect((await client.nextMessage(isWithoutId)).error!.code).toBe(-32_700);
  // These messages get no reply.
  client.write('\n\r\n{"jsonrpc":"2.0","id":9,"result":{}}\n{"jsonrpc":"2.0","method":"notifications/nothing"}\n');
  expect((await client.request(10, 'ping')).result).toEqual({});
});

test('an unknown method, an unknown tool and invalid arguments get an error that names them', THREE_MINUTES, async () => {
  const client = await startClient().initialize();
  expect((await client.request(10, 'resources/list')).error).toMatchObject({ code: -32_601 });
  expect((await client.request(11, '__proto__')).error).toMatchObject({ code: -32_601 });
  for (const [id, name, args, message] of [
    [20, 'nothing', {}, 'nothing: no such tool'],
    [21, 'toString', {}, 'no such tool'],
    [22, 'kill', { why: 'test' }, 'start the server with --allow-live'],
    [23, 'backtest', {}, 'backtest: expected what, got nothing'],
    [24, 'backtest', { wat: 'run.yaml' }, 'unknown argument wat; did you mean what?'],
    [25, 'backtest', { what: 7 }, 'backtest: what: expected a text, got 7'],
    [26, 'backtest', { what: 'a.yaml', set: 'x=1' }, 'set: expected a list of texts'],
    [27, 'data_generate', { symbol: 'A', interval: '1h', from: '2024-01-01', bars: -1 }, 'bars: expected a whole number from 0'],
    [28, 'backtest', { what: 'a\0b' }, 'what: expected a text'],
    [29, 'backtest', JSON.parse('{"__proto__":1}') as object, 'unknown argument __proto__'],
  ] as const)
    expect((await client.callTool(id, name, args)).error, String(id)).toMatchObject({
      code: -32_602,
      message: expect.stringContaining(message) as string,
    });
  expect((await client.request(30, 'tools/call', { name: 'backtest', arguments: [] })).error).toMatchObject({ code: -32_602 });
  // A name that looks like an option is treated as a file.
  const refused = (await client.callTool(31, 'backtest', { what: '--demo' })).result!;
  expect(refused.content![0]!.text).toContain('--demo');
  expect(refused.isError).toBe(true);
});

test('requests are read by lines, whether they arrive in pieces or together', THREE_MINUTES, async () => {
  const client = await startClient().initialize();
  client.write('{"jsonrpc":"2.0","id":40,"me');
  client.write('thod":"ping"}\n{"jsonrpc":"2.0","id":41,"method":"ping"}\n');
  expect((await client.nextMessage(({ id }) => id === 40)).result).toEqual({});
  expect((await client.nextMessage(({ id }) => id === 41)).result).toEqual({});
});

test(
  'an argument that is too long for a command of the system is an answer with isError, and the server continues',
  THREE_MINUTES,
  async () => {
    const client = await startClient().initialize();
    const { result } = await client.callTool(45, 'backtest', { what: 'x'.repeat(300_000) });
    expect(result?.isError).toBe(true);
    expect(result?.content?.[0]?.text).toMatch(/^the arguments are longer than the system allows/);
    expect((await client.request(46, 'ping')).result).toEqual({});
  },
);

test('a cancelled call gets no reply, and its command ends so that the next call gets one', THREE_MINUTES, async () => {
  const client = await startClient().initialize();
  await client.callTool(1, 'data_generate', { symbol: 'LOOPUSDT', interval: '1h', from: '2024-01-01', bars: 500 });
  const run = { strategy: 'strategies/endless.ts', feeds: { bars: { symbol: 'LOOPUSDT', interval: '1h' } }, cash: '1000', catalog: 'data' };
  writeFileSync(join(folder, 'endless.yaml'), JSON.stringify(run));
  for (const id of [2, 3, 4, 5])
    client.send({ id, method: 'tools/call', params: { name: 'sweep', arguments: { definition: 'endless.yaml', grid: ['a=1..2'] } } });
  for (const id of [12, 13, 14])
    client.send({ id, method: 'tools/call', params: { name: 'backtest', arguments: { what: 'endless.yaml' } } });
  expect((await client.request(12, 'ping')).error).toMatchObject({ code: -32_600, message: 'a call with this id is running' });
  for (const requestId of [2, 3, 4, 5, 12, 13, 14]) client.send({ method: 'notifications/cancelled', params: { requestId } });
  client.send({ method: 'notifications/cancelled', params: { requestId: 'unknown' } });
  expect((await client.callTool(50, 'strategy_list')).result).toMatchObject({ isError: false });
  // The end of stdin waits for calls in progress; a signal does not.
  client.send({ id: 60, method: 'tools/call', params: { name: 'backtest', arguments: { what: 'endless.yaml' } } });
  expect((await client.request(61, 'ping')).result).toEqual({});
  client.kill();
  expect(await client.closed).toBe(0);
});

test('with --allow-live the server offers actions on a running bot', THREE_MINUTES, async () => {
  const client = await startClient('--allow-live').initialize();
  const { tools } = (await client.request(3, 'tools/list')).result as { readonly tools: readonly { readonly name: string }[] };
  expect(tools.map(({ name }) => name).slice(-5)).toEqual(['halt', 'resume', 'acknowledge', 'tighten', 'kill']);
  const { result } = await client.callTool(4, 'tighten', { limit: 'maxOrderNotional', value: '5', why: 'a test', data: 'nowhere' });
  expect(result).toMatchObject({ isError: true });
  expect(result!.content![0]!.text).toContain('nowhere');
});
