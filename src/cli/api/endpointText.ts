// Lists the endpoints as text and as JSON: names, parameters and purpose.

import { largestOf } from '../../base/number/extremes.ts';
import { expected } from '../../protocol/arguments.ts';
import { SECURITY, type Endpoint, type Param } from '../../protocol/endpoints/endpoint.ts';
import { endpointOf, OPS, type Op } from '../../protocol/endpoints/endpoints.ts';
import { COLUMNS } from '../../report/terminal/lines.ts';
import { labelText, wrapText } from '../terminal/wrapText.ts';

const NAME_COLUMNS = largestOf(OPS.map((op) => op.length)) + 3;

/** Returns the list of all endpoints: name, parameters and purpose of each. */
export function endpointListText(): string {
  const blocks = OPS.map((op) => {
    const { help, params, security } = endpointOf(op);
    const name = `${op}${SECURITY[security].key ? ' *' : ''}`.padEnd(NAME_COLUMNS);
    const lines = [...wrapText(parameterNames(params), COLUMNS - NAME_COLUMNS), help].filter((line) => line !== '');
    return lines.map((line, index) => (index === 0 ? name : ' '.repeat(NAME_COLUMNS)) + line);
  });
  return [...blocks.flat(), '', '* requires a key.  [optional]  (one|of them).  isobar api NAME --list explains the parameters.'].join(
    '\n',
  );
}

/** Returns the names of the parameters, such as `symbol interval [limit]`. The client adds the times by itself. */
function parameterNames(params: Endpoint['params']): string {
  const listed = Object.entries(params).filter(([, { kind }]) => kind !== 'time');
  const alternatives = listed.filter(([, { need }]) => need === 'either').map(([name]) => name);
  const words = listed.map(([name, { need }]) => {
    if (need === 'either') return name === alternatives[0] ? `(${alternatives.join('|')})` : '';
    return need === 'optional' ? `[${name}]` : name;
  });
  return words.filter((word) => word !== '').join(' ');
}

/** How isobar knows a rate limit. */
const LIMIT_SOURCES = { spec: 'by the specification', dialect: 'seen on services', assumed: 'assumed, because none is published' } as const;

/** Returns the full description of one endpoint. */
export function endpointText(op: Op): string {
  const { help, method, path, security, params, limit, answer } = endpointOf(op);
  const facts = [
    ['call', `${method} ${path}`],
    ['key', SECURITY[security].key ? `required (${security})` : 'not required'],
    [
      'limit',
      `${limit.count} in ${limit.windowMs / 1000} s per ${limit.scope === 'ip' ? 'IP address' : 'key'}, ${LIMIT_SOURCES[limit.source]}`,
    ],
    ['answer', answer.shape],
  ];
  const names = Object.keys(params);
  const nameWidth = Math.max(0, largestOf(names.map((name) => name.length))) + 4;
  const explanations = names.flatMap((name) => labelText(`  ${name}`.padEnd(nameWidth), parameterText(params[name]!)));
  const parameters = names.length === 0 ? ['no parameters'] : ['parameters', ...explanations];
  return [`${op}: ${help}`, ...factLines(facts), ...parameters].join('\n');
}

/** Returns the lines of name and value pairs, with the values aligned. */
const factLines = (rows: readonly (readonly string[])[]): readonly string[] => {
  const nameWidth = largestOf(rows.map(([name = '']) => name.length)) + 4;
  return rows.flatMap(([name = '', value = '']) => labelText(`  ${name}`.padEnd(nameWidth), value));
};

/** Returns the help of a parameter: its purpose, its format, its unit, its default and when it is needed. */
function parameterText(param: Param): string {
  // The help of a client order id already describes its format.
  const format = param.kind === 'text' && param.of === 'clientId' ? '' : expected(param);
  const unit = param.unit === undefined || param.unit === '' ? '' : `in: ${param.unit}`;
  const defaultText = 'default' in param && param.default !== undefined ? `default ${param.default}` : '';
  return [param.help, format, unit, defaultText, needText(param)].filter((part) => part !== '').join('; ');
}

/** Returns when a parameter is needed. Empty for a parameter that is always required. */
function needText({ onlyWith, need }: Param): string {
  if (onlyWith) return `only with ${onlyWith.name}=${onlyWith.is}`;
  if (need === 'optional') return 'optional';
  return need === 'either' ? 'one of these' : '';
}

/** Returns an endpoint as `--json` prints it. */
export function endpointJson(op: Op): Readonly<Record<string, unknown>> {
  const { answer, params, ...otherFields } = endpointOf(op);
  const paramList = Object.entries(params).map(([name, param]) => ({ name, ...param, expected: expected(param) }));
  return { name: op, ...otherFields, params: paramList, answer: answer.shape };
}
