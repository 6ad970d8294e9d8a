// The kernels against the shared golden values (skipped with a message where the folder is absent), and hand-worked cases.

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { benchmarkFigures } from './benchmark.ts';
import { probabilisticSharpe } from './belief.ts';
import { settle, type Figure } from './figure.ts';
import { portfolioFigures } from './portfolio.ts';
import { seriesOf, type Series } from './returns.ts';
import { tradeFigures, type TradeSet } from './tradeFigures.ts';
