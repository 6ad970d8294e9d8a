// Tests what an editor makes of a strategy: under TypeScript 5.9 and 7 the package type-checks, points at mistakes, and completes.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript59';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPackage, ROOT, type InstalledPackage } from '../fixtures/packed.ts';

const STRATEGY = `import { above, atr, bollinger, choice, crossedUp, custom, decimal, flag, float, int, macd, rsi, sma, Strategy } from 'isobar';
import { feeModel, riskRule, slippageModel, type FillInfo, type OrderInfo } from 'isobar';
import { backtest, generateBars } from 'isobar/run';

export class Everything extends Strategy.with({
  fast: int(10, { min: 1, unit: 'bars', help: 'length' }),
  share: float(0.5, { min: 0, max: 1 }),
  lot: decimal('0.01'),
  short: flag(false),
  mode: choice(['calm', 'wild'], 'calm'),
}) {
  trend = this.feed('trend', { interval: '4h' });
  average = this.use(sma(this.bars.close, this.params.fast), { depth: 3 });
  band = this.use(bollinger(this.bars.close, 20, 2));
  lines = this.use(macd(this.bars.close, 12, 26, 9));
  range = this.use(atr(this.bars, 14));
  own = this.use(custom(this.bars.close, () => (x) => x * 2));
  up = this.when(crossedUp(this.bars.close, this.average), () => { if (this.position().isFlat) this.buy({ base: this.params.lot }); });
  strong = this.use(above(rsi(this.trend.close, 14), 50));
  seen = 0;

  override onStart() { this.log('begins', { mode: this.params.mode }); }
  override onBar() {
    const stop: number = this.bars.close.value - 2 * this.range.value;
    if (this.strong.value && this.average.ago(2) < this.band.upper.value) this.buy({ equity: this.params.share }, { stopLoss: stop, tag: 'dip' });
    if (this.lines.histogram.value < 0) this.exit();
  }
  override onFill(fill: FillInfo) { this.seen += fill.qty.toNumber(); }
  override onOrder(order: OrderInfo) { if (order.code !== null) this.log(order.code); }
}
export const slip = slippageModel(({ price, side }) => (side === 'buy' ? price * 0.0001 : 0));
export const fees = feeModel(({ isMaker, turnover }) => (isMaker || turnover > 1e6 ? 0.0005 : 0.001));
export const rule = riskRule({ code: 'NEVER', check: (order, account) => (order.qty > account.position ? 'no' : null) });
const { metrics, fills, equity } = await backtest({ strategy: Everything, data: generateBars({ bars: 100 }), cash: '10000' });
export const sharpe: number | null = metrics.sharpe;
export const last: number | undefined = equity.equity.at(-1) ?? fills.price[0];
`;

/** Correct code, a mistake that replaces it, and the message that the compiler gives for its line. */
const MISTAKES: readonly { readonly correct: string; readonly mistake: string; readonly message: RegExp }[] = [
  { correct: 'this.params.fast', mistake: 'this.params.fats', message: /Property 'fats' does not exist/ },
  { correct: '{ base: this.params.lot }', mistake: "{ base: this.params.lot, quote: '5' }", message: /not assignable/ },
  { correct: "interval: '4h'", mistake: "interval: '4hours'", message: /Type '"4hours"' is not assignable/ },
  {
    correct: "code: 'NEVER', ",
    mistake: '',
    message: /not assignable to parameter of type 'RiskRuleOptions'|Property 'code' is missing/,
  },
];

describe('an editor', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'isobar-editor-')));
  let installed: InstalledPackage;
  beforeAll(() => {
    installed = installPackage();
    symlinkSync(installed.modules, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => {
    installed.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = join(folder, 'everything.ts');
  type Check = (kind: 'nodenext' | 'bundler', text: string, skipLibCheck: boolean) => string;

  /** Checks with TypeScript 7, as a command. */
  const checkBy7: Check = (kind, text, skipLibCheck) => {
    writeFileSync(file, text);
    const module = kind === 'nodenext' ? ['--module', 'nodenext'] : ['--module', 'preserve', '--moduleResolution', 'bundler'];
    const flags = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noImplicitOverride',
      '--target',
      'es2022',
      '--types',
      'node',
      '--pretty',
      'false',
    ];
    const args = [
      join(ROOT, 'node_modules/@typescript/native/bin/tsc'),
      ...flags,
      ...module,
      ...(skipLibCheck ? ['--skipLibCheck'] : []),
      'everything.ts',
    ];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
  };

  /** Source files of the package and of the compiler's own declarations, kept for the next check with the same options. */
  const keptSources = { nodenext: new Map<string, ts.SourceFile | undefined>(), bundler: new Map<string, ts.SourceFile | undefined>() };

  /** Checks with TypeScript 5.9 in this process, which reads declarations once. TypeScript 7 checks the declarations of other packages. */
  const checkBy59: Check = (kind, text, skipLibCheck) => {
    writeFileSync(file, text);
    const { NodeNext, Preserve } = ts.ModuleKind;
    const resolution = kind === 'nodenext' ? { module: NodeNext } : { module: Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler };
    const strictness = { strict: true, exactOptionalPropertyTypes: true, noImplicitOverride: true, skipLibCheck };
    const options = { ...resolution, ...strictness, noEmit: true, target: ts.ScriptTarget.ES2022, types: ['node'] };
    const systemHost = ts.createCompilerHost(options);
    const sources = keptSources[kind];
    const host: ts.CompilerHost = {
      ...systemHost,
      getCurrentDirectory: () => folder,
      getSourceFile: (name, ...sourceOptions) => {
        if (name === file) return systemHost.getSourceFile(name, ...sourceOptions);
        if (!sources.has(name)) sources.set(name, systemHost.getSourceFile(name, ...sourceOptions));
        return sources.get(name);
      },
    };
    const program = ts.createProgram([file], options, host);
    const ownFiles = program.getSourceFiles().filter(({ fileName }) => fileName === file || fileName.includes('/node_modules/isobar/'));
    expect(ownFiles.length).toBeGreaterThan(20);
    const diagnostics = [
      ...program.getConfigFileParsingDiagnostics(),
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
    ];
    for (const source of ownFiles) diagnostics.push(...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source));
    return ts.formatDiagnostics(diagnostics, { ...host, getNewLine: () => '\n' });
  };

  describe.each([['5.9', checkBy59], ['7', checkBy7]] as const)('with TypeScript %s', (_version, check) => {
    test('TypeScript accepts a strategy that uses every feature, and checks the declarations of the package', () => {
      expect(check('nodenext', STRATEGY, false)).toBe('');
      expect(check('bundler', STRATEGY, true)).toBe('');
    });

    test('TypeScript points at the line of each mistake', () => {
      const wrong = MISTAKES.reduce((text, { correct, mistake }) => text.replace(correct, mistake), STRATEGY);
      const reply = check('nodenext', wrong, true).split('\n').filter((messageLine) => messageLine.startsWith('everything.ts'));
      expect(reply).toHaveLength(MISTAKES.length);
      for (const { correct, message } of MISTAKES) {
        const lineNumber = STRATEGY.slice(0, STRATEGY.indexOf(correct)).split('\n').length;
        expect(reply.find((messageLine) => messageLine.startsWith(`everything.ts(${lineNumber},`)), correct).toMatch(message);
      }
    });
  }); // prettier-ignore

  test('an editor completes parameters, series and order options', () => {
    const completed = join(folder, 'completed.ts');
    const typed = { version: 0, text: '' };
    // One language service, as in an editor: only the file that is being typed changes.
    const service = ts.createLanguageService({
      getScriptFileNames: () => [completed],
      getScriptVersion: (name) => (name === completed ? String(typed.version) : '1'),
      getScriptSnapshot: (name) => {
        const contentOnDisk = () => (ts.sys.fileExists(name) ? readFileSync(name, 'utf8') : undefined);
        const content = name === completed ? typed.text : contentOnDisk();
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
      },
      getCurrentDirectory: () => folder,
      getCompilationSettings: () => ({ strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [] }),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
      realpath: (path) => ts.sys.realpath?.(path) ?? path,
    });
    /** Returns the completions at the character `|` of `marked`, which replaces a line of the strategy. */
    const completionsAt = (marked: string): readonly string[] => {
      const text = STRATEGY.replace('const stop: number = this.bars.close.value', marked);
      typed.version++;
      typed.text = text.replace('|', '');
      return service.getCompletionsAtPosition(completed, text.indexOf('|'), {})?.entries.map(({ name }) => name) ?? [];
    };
    expect(completionsAt('this.params.|; const stop: number = 1')).toEqual(
      expect.arrayContaining(['fast', 'share', 'lot', 'short', 'mode']),
    );
    expect(completionsAt('this.bars.|; const stop: number = 1')).toEqual(
      expect.arrayContaining(['open', 'close', 'volume', 'fresh', 'interval']),
    );
    expect(completionsAt('this.buy(undefined, { | }); const stop: number = 1')).toEqual(
      expect.arrayContaining(['limit', 'stopLoss', 'takeProfit', 'trailing', 'tag']),
    );
  });
});
