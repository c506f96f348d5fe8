import { Failure } from '@pressroom/common/failures/failure';
import { parse } from 'yaml';
import { z } from 'zod';
import { readTextFile } from './text-file.ts';

/**
 * Reads a YAML file by a schema. `name` says in faults what the file should be, such as "a lexicon".
 * Throws a {@link Failure}.
 */
export function readYamlFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  name: string,
): z.infer<Schema> {
  const text = readTextFile(file);
  try {
    return schema.parse(parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Failure('invalid', `${file} is not ${name}: ${reason}`);
  }
}
