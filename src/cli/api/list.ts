// Lists the endpoints as text and as JSON: names, parameters and purpose.

import { expected } from '../../protocol/arguments.ts';
import { SECURITY, type Endpoint, type Param } from '../../protocol/endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../../protocol/endpoints/endpoints.ts';
import { COLUMNS } from '../../report/terminal/lines.ts';
import { labelled, wrapped } from '../terminal/wrapped.ts';

const NAME_COLUMNS = Math.max(...OPS.map((op) => op.length)) + 3;

/** Returns the list of all endpoints: name, parameters and purpose of each. */
export function endpointListText(): string {
  const blocks = OPS.map((op) => {
    const { help, params, security } = endpointOf(op);
    const name = `${op}${SECURITY[security].key ? ' *' : ''}`.padEnd(NAME_COLUMNS);
    const text = [...wrapped(signature(params), COLUMNS - NAME_COLUMNS), help].filter((line) => line !== '');
    return text.map((line, at) => (at === 0 ? name : ' '.repeat(NAME_COLUMNS)) + line);
  });
  return [...blocks.flat(), '', '* requires a key.  [optional]  (one|of them).  isobar api NAME --list explains the parameters.'].join(
    '\n',
  );
}

/** Returns the parameters as text, such as `symbol interval [limit]`. */
function signature(params: Endpoint['params']): string {
  const shown = Object.entries(params).filter(([, { kind }]) => kind !== 'time');
  const either = shown.filter(([, { need }]) => need === 'either').map(([name]) => name);
  const words = shown.map(([name, { need }]) => {
    if (need === 'either') return name === either[0] ? `(${either.join('|')})` : '';
    return need === 'optional' ? `[${name}]` : name;
  });
  return words.filter((word) => word !== '').join(' ');
}

/** Returns the full description of one endpoint. */
export function endpointText(op: Op): string {
  const { help, method, path, security, params, limit, answer } = endpointOf(op);
  const facts = [
    ['call', `${method} ${path}`],
    ['key', SECURITY[security].key ? `required (${security})` : 'not required'],
    ['limit', `${limit.count} in ${limit.windowMs / 1000} s per ${limit.scope === 'ip' ? 'IP address' : 'key'}, ${SOURCES[limit.source]}`],
    ['answer', answer.shape],
  ];
  const names = Object.keys(params);
  const nameWidth = Math.max(0, ...names.map((name) => name.length)) + 4;
  const explained = names.flatMap((name) => {
    return labelled(`  ${name}`.padEnd(nameWidth), parameterText(params[name]!));
  });
  return [`${op}: ${help}`, ...factLines(facts), ...(names.length === 0 ? ['no parameters'] : ['parameters', ...explained])].join('\n');
}

const SOURCES = { spec: 'by the specification', dialect: 'seen on services', assumed: 'assumed, because none is published' } as const;

const factLines = (rows: readonly (readonly string[])[]): readonly string[] => {
  const nameWidth = Math.max(...rows.map(([name = '']) => name.length)) + 4;
  return rows.flatMap(([name = '', value = '']) => labelled(`  ${name}`.padEnd(nameWidth), value));
};

function parameterText(param: Param): string {
  // The help of a client order id already describes its format.
  const value = param.kind === 'text' && param.of === 'clientId' ? '' : expected(param);
  const inUnit = param.unit === undefined || param.unit === '' ? '' : `in: ${param.unit}`;
  const byDefault = 'default' in param && param.default !== undefined ? `default ${param.default}` : '';
  const need = param.onlyWith
    ? `only with ${param.onlyWith.name}=${param.onlyWith.is}`
    : param.need === 'optional'
      ? 'optional'
      : param.need === 'either'
        ? 'one of these'
        : '';
  return [param.help, value, inUnit, byDefault, need].filter((part) => part !== '').join('; ');
}

/** Returns an endpoint as JSON. */
export function endpointJson(op: Op): Readonly<Record<string, unknown>> {
  const { answer, params, ...row } = endpointOf(op);
  const list = Object.entries(params).map(([name, param]) => ({ name, ...param, expected: expected(param) }));
  return { name: op, ...row, params: list, answer: answer.shape };
}
