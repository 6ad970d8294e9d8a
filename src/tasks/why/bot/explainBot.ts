// placeholder
import { ConfigError } from '../../../base/errors.ts';
import type { Explanation, Question } from '../model/explanation.ts';
export async function explainBot(folder: string, _q: Question, _o: object): Promise<Explanation> {
  throw new ConfigError(`${folder}: not yet`, '');
}
