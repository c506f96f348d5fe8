import { readFileSync } from 'node:fs';
import { Failure } from '@pressroom/common/failures/failure';
import { fileFailure } from '@pressroom/common/files/file-failure';
import { parse } from 'yaml';
import { z } from 'zod';

/**
 * Reads a YAML file by a schema. `name` says in faults what the file should be, such as "a lexicon".
 * Throws a {@link Failure}.
 */
export function readYamlFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  name: string,
): z.infer<Schema> {
  const text = readText(file);
  try {
    return schema.parse(parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new Failure('invalid', `${file} is not ${name}: ${reason}`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw fileFailure(error, file);
  }
}
