// Tests the command `isobar sim`: the same seed gives the same day, it names the faults of a strategy, and it explains bad input.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFixture, STRATEGIES } from '../fixtures/cliFixture.ts';
import { commandIn } from '../fixtures/inProcess.ts';

const fixture = new CliFixture();
const isobarSim = (...words: readonly string[]) => commandIn(fixture.folder, ['sim', ...words]);

/** The longest audit periods that a bot may have, because most of a simulated day is audits. */
const AUDIT = 'audit: { fastMs: 60000, balanceMs: 600000, fullMs: 7200000 }';
const EXCHANGE = "exchange: { spotUrl: 'https://nowhere.invalid', keyFile: nosuch, secretFile: nosuch }";

/** Returns the definition of a bot. */
const botDefinition = (strategy: string): string => `strategy: ${strategy}
feeds: { bars: { symbol: TESTUSDT, interval: 15m } }
cash: { USDT: '10000' }
risk: { maxAuditAgeMs: 300000 }
${EXCHANGE}
${AUDIT}
`;

/** Buys and sells in turn, so that each day has orders. */
const TURNS = `import { Strategy } from 'isobar';
export default class Turns extends Strategy {
  seen = 0;
  onBar() {
    const at = this.seen++ % 8;
    if (at === 0) this.buy({ quote: '500' });
    if (at === 4) this.exit();
  }
}
`;
/** The same strategy with its own random numbers. A restart cannot repeat its decisions. */
const RANDOM = TURNS.replace("'500'", 'String(Math.floor(100 + Math.random() * 400))').replaceAll('Turns', 'Chance');
/** Places stops at the exchange, and forgets a stop that does not reach it. */
const FORGETFUL = `import { Strategy } from 'isobar';
export default class Forgetful extends Strategy {
  entry = null;
  onBar() {
    if (this.position().isFlat && this.entry === null) this.entry = this.buy({ equity: '0.2' });
  }
  onFill({ orderId, qty }) {
    if (orderId === this.entry) this.sell({ base: qty }, { trigger: this.bars.close.value * 0.5, tag: 'stop' });
  }
}
`;

/** The tested members of the JSON output. */
interface SimReport {
  readonly hash: string;
  readonly orders: number;
  readonly fills: number;
  readonly restarts: number;
  readonly violations: number;
  readonly notes: readonly string[];
  readonly worst: { readonly replay: string };
  readonly each: readonly {
    readonly seed: number;
    readonly cost: string;
    readonly withFaults: string;
    readonly withoutFaults: string;
    readonly violations: readonly { readonly rule: string; readonly withFaults: boolean }[];
  }[];
}
const reportOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as SimReport;

beforeAll(() => {
  fixture.bars('TESTUSDT', '15m', 700);
  fixture.write('turns.ts', TURNS);
  fixture.write('chance.ts', RANDOM);
  fixture.write('forgetful.ts', FORGETFUL);
  fixture.write('turns.yaml', botDefinition('turns.ts'));
  fixture.write('chance.yaml', botDefinition('chance.ts'));
});
afterAll(() => fixture.remove());

test('a seed that is repeated gives the same day, in which the bot loses nothing and its keys are not read', async () => {
  const firstRun = await isobarSim('turns.yaml', '--from', '2', '--days', '1', '--json');
  expect([firstRun.code, firstRun.stderr]).toEqual([0, '']);
  const report = reportOf(firstRun);
  expect(report.violations).toBe(0);
  expect(report.orders).toBeGreaterThan(10);
  expect(report.fills).toBeGreaterThan(8);
  expect(report.restarts).toBeGreaterThan(4);
  expect(report.worst.replay).toBe('isobar sim turns.yaml --seed 2 --loud');
  const loud = await isobarSim(...report.worst.replay.split(' ').slice(2));
  expect(loud.code).toBe(0);
  expect(loud.stdout).toContain(`hash ${report.hash}`);
  expect(loud.stdout).toContain(`to see all events of that day: ${report.worst.replay}`);
  for (const line of loud.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
  expect(loud.stderr).toMatch(/the bot starts, process 1\n/);
  expect(loud.stderr).toMatch(/order \d+ leaves: .* \((lose|delay|cut|replace|unknown|refuse|kill)/);
  expect(loud.stderr).toMatch(/the bot (is killed|is gone with its power)/);
}, 240_000);

test('a restart of a strategy that draws its own random numbers is reported as a violation', async () => {
  const { code, stdout } = await isobarSim('chance.yaml', '--seed', '1', '--json');
  expect(code).toBe(3);
  expect(reportOf({ stdout }).each[0]!.violations).toContainEqual(expect.objectContaining({ rule: 'RESTART', withFaults: true }));
}, 240_000);

test('a position whose stop was lost is found, and the day and the contract are named', async () => {
  await commandIn(fixture.folder, [
    'data', 'generate', '--market', 'futures', '--symbol', 'PERPUSDT', '--interval', '15m', '--from', '2024-01-01', '--bars', '1500', '--seed', '5',
  ]); // prettier-ignore
  const definition = botDefinition('forgetful.ts')
    .replace('symbol: TESTUSDT', 'market: futures, symbol: PERPUSDT')
    .replace('spotUrl', 'futuresUrl');
  fixture.write('forgetful.yaml', `${definition}futures: { leverage: 3 }\n`);
  const { code, stdout } = await isobarSim('forgetful.yaml', '--seed', '6');
  expect(code).toBe(3);
  expect(stdout).toMatch(/seed 6, \d{4}-\d\d-\d\d 00:0\d:\d\d: STOP: PERPUSDT: \d+ lots are held, and stops stand for 0/);
}, 240_000);

test('isobar sim generates bars if the definition has none, and says so', async () => {
  fixture.write('lacks.yaml', botDefinition(`${STRATEGIES}/smaCross.ts`).replace('TESTUSDT', 'OTHERUSDT').replace('15m', '1h'));
  const { code, stdout, stderr } = await isobarSim('lacks.yaml', '--seed', '1', '--json');
  expect([code, stderr]).toEqual([0, '']);
  expect(reportOf({ stdout }).notes[0]).toContain('the catalog has no bars of OTHERUSDT: the bars are generated');
}, 240_000);

test('bad input ends with exit code 2, its cause and a remedy', async () => {
  fixture.write('series.yaml', `${botDefinition('turns.ts')}series: { mood: { file: { path: oi.csv, time: t, knownAt: k } } }\n`);
  fixture.write('throws.ts', TURNS.replace('seen = 0;', "seen = 0; constructor(setup) { super(setup); throw new Error('no luck'); }"));
  fixture.write('throws.yaml', botDefinition('throws.ts'));
  for (const [words, message] of [
    [['nowhere.yaml'], /nowhere\.yaml: no such file/],
    [['turns.ts'], /turns\.ts: expected a run definition, got a file of code/],
    [['turns.yaml', '--days', '0'], /--days: expected a whole number from 1 to 100000, got '0'/],
    [['turns.yaml', '--loud'], /--loud: expected only with --seed/],
    [['turns.yaml', '--seed', '1', '--days', '2'], /--days: expected not to be given with --seed/],
    [['series.yaml'], /series\.yaml:\d+ series: external series cannot be simulated/],
    [[], /sim: expected <what>/],
  ] as const) {
    const { code, stdout, stderr } = await isobarSim(...words);
    expect([code, stdout], words.join(' ')).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toHaveLength(3);
  }
  const thrown = await isobarSim('throws.yaml', '--seed', '1');
  expect([thrown.code, thrown.stdout]).toEqual([1, '']);
  expect(thrown.stderr).toContain('no luck');
}, 120_000);
