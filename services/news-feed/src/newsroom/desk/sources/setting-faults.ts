import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import type { Vocabulary } from '../../../vocabulary.ts';
import type { Reader } from '../../reading/reader.ts';
import { checkSettings, type SourceSettings } from '../../sources/source-settings.ts';
import { sourceUrl } from '../../sources/source-url.ts';
import { faultsOfPatterns } from '../../work/apply-rules.ts';

/**
 * Checks what an editor says about a source.
 *
 * @throws Failure `invalid` with every error and the member that it is in
 */
export async function checkMembers(
  { url, rules = [], ...settings }: SourceSettings & { url?: string | undefined },
  vocabulary: Vocabulary,
  reader: Reader,
): Promise<void> {
  const check = (given: SourceSettings) => checkSettings(given, vocabulary);
  const faults = [
    ...(url === undefined ? [] : faultsOf('url', () => sourceUrl(url))),
    ...rules.flatMap((rule, index) => faultsOf(`rules.${index}`, () => check({ rules: [rule] }))),
    ...Object.entries(settings).flatMap(([name, value]) => faultsOf(name, () => check({ [name]: value }))),
  ];
  if (faults.length === 0) faults.push(...faultsOf('rules', () => check({ rules })));
  if (faults.length === 0) {
    const wrong = await faultsOfPatterns(reader, rules);
    faults.push(
      ...wrong.map(({ index, message }) => ({ field: `rules.${index}`, code: 'invalid', message })),
    );
  }
  if (faults.length > 0) throw invalid(faults);
}

function faultsOf(field: string, check: () => unknown): FieldFault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ field, code: 'invalid', message: error.message }];
  }
}
