// What `isobar init` and `isobar strategy new` say of the files that they write.

import { relative } from 'node:path';
import { createProject, createStrategy } from '../app/scaffold/project.ts';

export function init(dir: string): void {
  const { folder, files } = createProject(dir);
  const where = relative(process.cwd(), folder);
  const steps = [...(where === '' ? [] : [`cd ${where}`]), 'npm i', 'npx isobar backtest backtests/first.yaml', 'npm test'];
  say([
    `Made ${where === '' ? 'a project' : where}:`,
    ...files.map((file) => `  ${file}`),
    '  data/                            a year of synthetic bars to begin with',
    '',
    'Next:',
    ...steps.map((step) => `  ${step}`),
  ]);
}

export function newStrategy(name: string): void {
  const { files } = createStrategy(name);
  const [file = ''] = files;
  say(['Made', ...files.map((each) => `  ${each}`), '', 'Next:', `  npx isobar strategy show ${file}`, `  npx isobar backtest ${file} --data FILE --cash 10000`]);
}

function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
