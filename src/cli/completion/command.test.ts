// Tests shell completion in real shells. Each test calls the completion function of the shell with an incomplete line.

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
  // Suggestions of files leave out the folder `data`.
  const definition = `strategy: ${STRATEGIES}/smaCross.ts\nfeeds: { bars: { symbol: ABCUSDT, interval: 1h } }\ncash: '1000'\n`;
  fixture.write('data/cross.yaml', definition);
  fixture.write('data/pair.yaml', definition.replace(/: (.*\.ts)/, ': [$1, $1]'));
  for (const file of [...files, 'other.yaml', 'BTCUSDT-1h.csv']) fixture.write(file, '');
});
afterAll(() => fixture.remove());

/** The call of the completion function for each shell. Its arguments are the words of the line. */
const SHELLS = {
  bash: 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _isobar isobar; [[ -n "${COMPREPLY[*]}" ]] && printf "%s\\n" "${COMPREPLY[@]}"; true',
  zsh: 'words=("$@"); CURRENT=$#; _isobar',
  fish: 'complete --do-complete "$argv[2..-1]"',
} as const;

/** The two ways to load the script: as the documentation shows it, and from a file that the test has written before. */
const LOAD_SCRIPT = {
  bash: { documented: 'source <(isobar completion bash)', file: 'source written.bash' },
  zsh: { documented: 'source <(isobar completion zsh)', file: 'source ./written.zsh' },
  fish: { documented: 'isobar completion fish | source', file: 'source written.fish' },
} as const;
/** zsh has a completion system only in an interactive session. These definitions replace its functions. */
const ZSH_STAND_INS = {
  bash: '',
  zsh: 'compdef() { :; }; _describe() { print -rl -- "${(@P)2}"; }; _default() { :; }; ',
  fish: '',
} as const;

const runProgram = promisify(execFile);

/** Returns the suggestions of the shell for the last word of `line`, sorted. The last word is empty when the line ends with a space. */
async function suggestionsOf(shell: keyof typeof SHELLS, line: string, from: 'documented' | 'file' = 'file'): Promise<readonly string[]> {
  const env = { ...process.env, PATH: `${fixture.folder}:${process.env['PATH']}`, SHELL: '/bin/other' };
  const script = `${ZSH_STAND_INS[shell]}${LOAD_SCRIPT[shell][from]}; ${SHELLS[shell]}`;
  const { stdout, stderr } = await runProgram(shell, ['-c', script, ...(shell === 'fish' ? ['--', '-'] : [shell]), ...line.split(' ')], {
    cwd: fixture.folder,
    env,
  });
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .filter((suggestion) => suggestion !== '')
    .toSorted();
}

/** Runs the tests of a shell. If the shell is not installed, the tests are skipped with a message. */
function describeShell(shell: keyof typeof SHELLS, tests: () => void): void {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!isInstalled) console.log(`skipped: ${shell} is not installed, so its completion is not tried`);
  describe.skipIf(!isInstalled)(shell, () => {
    beforeAll(async () => void fixture.write(`written.${shell}`, (await fixture.run('completion', shell)).stdout));
    it(`the completion of ${shell} reads its script from the command`, async () =>
      expect(await suggestionsOf(shell, 'isobar report ', 'documented')).not.toEqual([]));
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
    // isobar suggests nothing for files of any kind, so the shell suggests its own files.
    ['isobar data import ', []],
    ['isobar backtest --data ', []],
  ])('bash completes %s', async (line, answers) => expect(await suggestionsOf('bash', line)).toEqual(answers));
});

describeShell('zsh', () => {
  it.concurrent.each([
    ['isobar sweep --gr', [/^--grid:Values of a parameter/]],
    ['isobar sweep --by tot', [/^totalReturn$/]],
    ['isobar sweep data/cross.yaml --grid ', [/^fast=$/, /^slow=$/]],
    ['isobar strategy show strategies/b', [/^strategies\/b c\$\(touch x\)\.ts$/]],
    ['isobar report ', [/^runs\/one$/]],
    ['isobar data import ', []],
  ])('zsh completes %s', async (line, answers) =>
    expect(await suggestionsOf('zsh', line)).toEqual(answers.map((answer) => expect.stringMatching(answer))),
  );
});

describeShell('fish', () => {
  it.concurrent.each([
    ['isobar sweep --gr', [/^--grid\tValues of a parameter/]],
    ['isobar backtest s.ts --interval 15', [/^15m$/]],
    ['isobar sweep data/cross.yaml --grid f', [/^fast=$/]],
    ['isobar strategy show strategies/b', [/^strategies\/b c\$\(touch x\)\.ts$/]],
    ['isobar report ', [/^runs\/one$/]],
    // For files of any kind, the script asks fish.
    ['isobar data import BTC', [/^BTCUSDT-1h\.csv$/]],
  ])('fish completes %s', async (line, answers) =>
    expect(await suggestionsOf('fish', line)).toEqual(answers.map((answer) => expect.stringMatching(answer))),
  );
});
