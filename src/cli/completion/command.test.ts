// Completion in real shells: their own functions are called with a line that was begun.

import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFixture, COMMAND, STRATEGIES } from '../../../test/fixtures/cliFixture.ts';

const fixture = new CliFixture();
beforeAll(() => {
  chmodSync(COMMAND, 0o755);
  symlinkSync(COMMAND, join(fixture.folder, 'isobar'));
  const files = [
    'backtests/first.yaml',
    'strategies/a.ts',
    'strategies/a.test.ts',
    'strategies/b c$(touch x).ts',
    'node_modules/x.ts',
    'runs/one/manifest.json',
    'runs/half/log',
  ];
  // Where listings do not look.
  const definition = `strategy: ${STRATEGIES}/smaCross.ts\nfeeds: { bars: { symbol: ABCUSDT, interval: 1h } }\ncash: '1000'\n`;
  fixture.write('data/cross.yaml', definition);
  fixture.write('data/pair.yaml', definition.replace(/: (.*\.ts)/, ': [$1, $1]'));
  for (const file of [...files, 'other.yaml', 'BTCUSDT-1h.csv']) fixture.write(file, '');
});
afterAll(() => fixture.remove());

/** Called with the words of the line, once the shell has read its script. */
const SHELLS = {
  bash: 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _isobar isobar; [[ -n "${COMPREPLY[*]}" ]] && printf "%s\\n" "${COMPREPLY[@]}"; true',
  zsh: 'words=("$@"); CURRENT=$#; _isobar',
  fish: 'complete --do-complete "$argv[2..-1]"',
} as const;

/** How the script is read as the documentation has it, and from a file: it is the same each time. */
const READ = {
  bash: { documented: 'source <(isobar completion bash)', kept: 'source kept.bash' },
  // Outside of an interactive line zsh has no completion system, so two of its functions are replaced.
  zsh: { documented: 'source <(isobar completion zsh)', kept: 'source ./kept.zsh' },
  fish: { documented: 'isobar completion fish | source', kept: 'source kept.fish' },
} as const;
const STAND_IN = { bash: '', zsh: 'compdef() { :; }; _describe() { print -rl -- "${(@P)2}"; }; _default() { :; }; ', fish: '' } as const;

const run = promisify(execFile);

/** What the shell offers after `line`, whose last word is begun, or not if it ends with a space. */
async function offered(shell: keyof typeof SHELLS, line: string, from: 'documented' | 'kept' = 'kept'): Promise<readonly string[]> {
  const env = { ...process.env, PATH: `${fixture.folder}:${process.env['PATH']}`, SHELL: '/bin/other' };
  const script = `${STAND_IN[shell]}${READ[shell][from]}; ${SHELLS[shell]}`;
  const { stdout, stderr } = await run(shell, ['-c', script, ...(shell === 'fish' ? ['--', '-'] : [shell]), ...line.split(' ')], {
    cwd: fixture.folder,
    env,
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((each) => each !== '').toSorted(); // prettier-ignore
}

/** Tests of a shell, or none and a message where it is not installed. */
function describeShell(shell: keyof typeof SHELLS, tests: () => void): void {
  const isThere = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isThere) console.log(`skipped: ${shell} is not installed, so its completion is not tried`);
  describe.skipIf(!isThere)(shell, () => {
    beforeAll(async () => void fixture.write(`kept.${shell}`, (await fixture.run('completion', shell)).stdout));
    it('reads its script from the command', async () => expect(await offered(shell, 'isobar report ', 'documented')).not.toEqual([]));
    tests();
  });
}

describeShell('bash', () => {
  it.concurrent.each([
    ['isobar back', ['backtest']],
    ['isobar breakeven --demo b', ['backtests/first.yaml']],
    ['isobar backtest --break-even b', ['backtests/first.yaml']],
    ['isobar sweep --gr', ['--grid']],
    ['isobar completion z', ['zsh']],
    ['isobar data import --market ', ['futures', 'spot']],
    ['isobar sweep backtests/first.yaml --by s', ['sharpe', 'skew', 'sortino']],
    ['isobar sweep data/cross.yaml --grid ', ['fast=', 'slow=']],
    ['isobar sweep data/cross.yaml --grid fast=1..3 --grid s', ['slow=']],
    ['isobar sweep data/pair.yaml --grid ', ['SmaCross#2.fast=', 'SmaCross#2.slow=', 'SmaCross.fast=', 'SmaCross.slow=']],
    ['isobar sweep --grid ', []],
    ['isobar data resample --interval 1', ['15m', '1M', '1d', '1h', '1m', '1w']],
    ['isobar backtest ', ['backtests/first.yaml', 'other.yaml', 'strategies/a.ts', 'strategies/b\\ c\\$\\(touch\\ x\\).ts']],
    ['isobar sweep --json b', ['backtests/first.yaml']],
    ['isobar strategy show strategies/a', ['strategies/a.ts']],
    ['isobar report ', ['runs/one']],
    ['isobar verify runs/', ['runs/one']],
    ['isobar why runs/', ['runs/one']],
    // Files of any kind, which the shell itself knows.
    ['isobar data import ', []],
    ['isobar backtest --data ', []],
  ])('%s', async (line, answers) => expect(await offered('bash', line)).toEqual(answers));
});

describeShell('zsh', () => {
  it.concurrent.each([
    ['isobar sweep --gr', [/^--grid:Values of a parameter/]],
    ['isobar sweep --by tot', [/^totalReturn$/]],
    ['isobar sweep data/cross.yaml --grid ', [/^fast=$/, /^slow=$/]],
    ['isobar strategy show strategies/b', [/^strategies\/b c\$\(touch x\)\.ts$/]],
    ['isobar report ', [/^runs\/one$/]],
    ['isobar data import ', []],
  ])('%s', async (line, answers) => expect(await offered('zsh', line)).toEqual(answers.map((answer) => expect.stringMatching(answer))));
});

describeShell('fish', () => {
  it.concurrent.each([
    ['isobar sweep --gr', [/^--grid\tValues of a parameter/]],
    ['isobar backtest s.ts --interval 15', [/^15m$/]],
    ['isobar sweep data/cross.yaml --grid f', [/^fast=$/]],
    ['isobar strategy show strategies/b', [/^strategies\/b c\$\(touch x\)\.ts$/]],
    ['isobar report ', [/^runs\/one$/]],
    // Files of any kind.
    ['isobar data import BTC', [/^BTCUSDT-1h\.csv$/]],
  ])('%s', async (line, answers) => expect(await offered('fish', line)).toEqual(answers.map((answer) => expect.stringMatching(answer))));
});
