import { test } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { comparePlanted } from './planted.ts';
test('probe', async () => {
  const report = await comparePlanted({}, (folder) => {
    for (const f of readdirSync(`${folder}/journal`)) if (f.endsWith('jsonl')) for (const l of readFileSync(`${folder}/journal/${f}`, 'utf8').split('\n')) if (/"k":"(INTENT|FILL|STATE|CONFIG|STOP|VERDICT|KEPT|REFUSED)/.test(l)) console.log(l.slice(0, 230));
  });
  console.log(JSON.stringify(report, null, 1));
}, 120000);
