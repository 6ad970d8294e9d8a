// Implements `isobar api`: checks the command line, then lists, shows or calls an endpoint.

import { nowMs } from '../../adapters/clock/wallClock.ts';
import { accessSettings, type AccessOptions } from '../../access/settings.ts';
import { withoutKeys } from '../../access/keyLike.ts';
import { timeMs } from '../../base/brand.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { CallArguments } from '../../protocol/arguments.ts';
import { endpointOf, isOp, OPS, type Op } from '../../protocol/endpoints/endpoints.ts';
import { buildUntypedRequest } from '../../protocol/request.ts';
import { argsFromText } from '../../protocol/textArguments.ts';
import { answerTimeoutMs } from '../options/timeout.ts';
import { jsonText, print } from '../terminal/print.ts';
import { noteProxies } from '../terminal/proxyNote.ts';
import { endpointJson, endpointText, endpointListText } from './endpointText.ts';
import { dryRun, dryRunText } from './dryRun.ts';

/** The options of `isobar api`. */
export interface ApiArgs extends AccessOptions {
  readonly endpoint?: string | undefined;
  readonly parameters: readonly string[];
  readonly list: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly timeout: string;
  readonly verbose: boolean;
}

/** Runs `isobar api`: prints the list of endpoints, shows the request of one call, or makes the call. */
export async function api(args: ApiArgs): Promise<void> {
  const op = args.endpoint === undefined ? null : opOf(args.endpoint);
  if (args.list) return print(listText(op, args.json));
  if (op === null) throw new ConfigError('isobar api: expected the name of an endpoint, got none', 'isobar api --list prints all names');
  const timeoutMs = answerTimeoutMs(args.timeout);
  const settings = accessSettings(args);
  // The user can have typed the key into an argument, and a response can repeat it.
  const hide = (text: string): string => settings.credentials?.maskText(text) ?? text;
  try {
    const apiArgs = argumentsOf(op, args.parameters);
    const request = buildUntypedRequest(op, apiArgs, settings.dialect);
    if (args.dryRun) {
      const preview = dryRun(request, settings, timeMs(nowMs()));
      print(hide(args.json ? jsonText(preview) : dryRunText(preview)));
    } else {
      noteProxies();
      const { callEndpoint } = await import('./callEndpoint.ts');
      await callEndpoint({ op, args: apiArgs, settings, timeoutMs, isJson: args.json, isVerbose: args.verbose, hide });
    }
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(hide(error.message), hide(error.remedy)) : error;
  }
}

/** Returns the description of an endpoint, or of all endpoints. */
function listText(op: Op | null, isJson: boolean): string {
  if (isJson) return jsonText(op === null ? OPS.map(endpointJson) : endpointJson(op));
  return op === null ? endpointListText() : endpointText(op);
}

/**
 * Returns the endpoint with this name. Throws ConfigError for any other name. The market is part of the name: for `klines` the error
 * suggests `spot.klines`.
 */
function opOf(name: string): Op {
  if (isOp(name)) return name;
  const nearest = nearestName(name, OPS) ?? opWithoutMarket(name);
  const hint = nearest === undefined ? '' : `, the nearest valid one is ${nearest}`;
  throw new ConfigError(`${withoutKeys(name)}: no such endpoint${hint}`, 'isobar api --list prints all of them');
}

/** Returns the endpoint whose name without its market is nearest to `name`. Undefined when no name is near. */
function opWithoutMarket(name: string): Op | undefined {
  const shortNames = OPS.map((op) => op.split('.')[1] ?? '');
  const nearest = nearestName(name, shortNames);
  return nearest === null ? undefined : OPS.find((op) => op.endsWith(`.${nearest}`));
}

/** Parses `name=value` words as arguments. Errors never show a value, because it can be a secret. */
function argumentsOf(op: Op, words: readonly string[]): CallArguments {
  const names = Object.keys(endpointOf(op).params);
  const texts = new Map<string, string>();
  for (const word of words) {
    const separator = word.indexOf('=');
    if (separator <= 0) throw new ConfigError(`${op}: expected name=value, got ${withoutKeys(word)}`, parametersHint(op, names));
    const name = word.slice(0, separator);
    if (!names.includes(name)) {
      const nearest = nearestName(name, names);
      const hint = nearest === null ? '' : `, the nearest valid one is ${nearest}`;
      throw new ConfigError(`${op} ${withoutKeys(name)}: no such parameter${hint}`, parametersHint(op, names));
    }
    if (texts.has(name)) throw new ConfigError(`${op} ${name}: expected one value, got two`, `give ${name} once`);
    texts.set(name, word.slice(separator + 1));
  }
  return argsFromText(op, Object.fromEntries(texts));
}

/** Returns the remedy that names the parameters of an endpoint. */
const parametersHint = (op: Op, names: readonly string[]): string =>
  names.length === 0 ? `${op} has no parameters` : `${op} has ${names.join(', ')}; isobar api ${op} --list explains them`;
