// Makes docs/openapi.json, the interface of the paper exchange: `npm run docs:openapi` writes it, from what was built.

import { writeFileSync } from 'node:fs';
import { openApi } from '../../dist/protocol/openapi/openApi.js';

writeFileSync(new URL('../openapi.json', import.meta.url), `${JSON.stringify(openApi(), null, 2)}\n`);
process.stdout.write('docs/openapi.json is written\n');
