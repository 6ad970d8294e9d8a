// Runs Python blocks one after the other in a process that has loaded our readers. Each block has its own names and folder.

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The program of the process: it reads one line of JSON per block, and replies with one. */
const SERVER = `
import contextlib, io, json, os, sys, traceback
replies = os.fdopen(os.dup(1), 'w')
for line in sys.stdin:
    block, output, code = json.loads(line), io.StringIO(), 0
    os.chdir(block['cwd'])
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            exec(compile(block['text'], 'the block', 'exec'), {'__name__': '__main__'})
        except BaseException:
            traceback.print_exc()
            code = 1
    print(json.dumps({'code': code, 'output': output.getvalue()}), file=replies, flush=True)
`;

/** The result of a block. */
interface BlockResult {
  /** The exit code; 0 if the block succeeded. */
  readonly code: number | null;
  readonly output: string;
}

/** The Python process of all pages, started by the first block. */
export class PythonBlocks {
  #process: ChildProcess | null = null;
  /** The result of the block that was given last. */
  #lastResult: Promise<unknown> = Promise.resolve();

  /** Runs a block in the folder, after the blocks that were given before. */
  run(cwd: string, text: string): Promise<BlockResult> {
    const result = this.#lastResult.then(() => this.#send(JSON.stringify({ cwd, text })));
    this.#lastResult = result;
    return result;
  }

  close(): void {
    this.#process?.kill();
  }

  /** Sends a block to the Python process, which is started at the first one, and resolves with its result. */
  #send(request: string): Promise<BlockResult> {
    this.#process ??= spawn('python3', ['-c', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const { stdin, stdout } = this.#process;
    if (stdin === null || stdout === null) throw new Error('python3 has no streams');
    return new Promise((resolve, reject) => {
      const lines = createInterface({ input: stdout });
      lines.once('line', (line) => {
        lines.close();
        resolve(JSON.parse(line) as BlockResult);
      });
      this.#process?.once('exit', (code) => resolve({ code, output: 'python3 ended' }));
      this.#process?.once('error', reject);
      stdin.write(`${request}\n`);
    });
  }
}
