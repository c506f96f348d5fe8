import { type LineText, parseJsonLine } from '@pressroom/common/files/json-lines';
import { z } from 'zod';
import type { Vocabulary } from '../../vocabulary.ts';
import { itemId, storyId, time } from '../editing/fields.ts';
import { checked } from '../editing/input-fault.ts';
import { itemInput } from '../editing/item-input.ts';
import { resetActivityInput, resetEventInput, resetStateInput } from '../editing/reset-input.ts';
import { storyInput } from '../editing/story-input.ts';

function itemLine(vocabulary: Vocabulary) {
  return z.strictObject({ type: z.literal('item'), ...itemInput(vocabulary, time).shape });
}

const storyLine = z.strictObject({ type: z.literal('story'), ...storyInput.shape });

const mergeLine = z.strictObject({ type: z.literal('merge'), from: storyId, into: storyId });

const withdrawLine = z.strictObject({ type: z.literal('withdraw'), id: itemId });

/** The event is nested in a separate member, because it has its own `type`. */
const resetEventLine = z.strictObject({ type: z.literal('reset-event'), event: resetEventInput });

const resetActivityLine = z.strictObject({ type: z.literal('reset-activity'), activity: resetActivityInput });

const resetStateLine = z.strictObject({ type: z.literal('reset-state'), ...resetStateInput.shape });

/** The schema of an import line, discriminated by `type`. */
function importLine(vocabulary: Vocabulary) {
  return z.discriminatedUnion(
    'type',
    [
      itemLine(vocabulary),
      storyLine,
      mergeLine,
      withdrawLine,
      resetEventLine,
      resetActivityLine,
      resetStateLine,
    ],
    'must be item, story, merge, withdraw, reset-event, reset-activity or reset-state',
  );
}

/** A parsed line. */
export type ImportLine = z.infer<ReturnType<typeof importLine>>;

/** A line of one type. */
export type LineOf<Type extends ImportLine['type']> = Extract<ImportLine, { type: Type }>;

/**
 * A parser for import lines; it throws a `Failure` whose message says everything that is wrong with a line.
 */
export function importLineReader(vocabulary: Vocabulary): (text: LineText) => ImportLine {
  const schema = importLine(vocabulary);
  return (text) => checked(schema, parseJsonLine(text));
}

/** The JSON Schema (2020-12) of a line, for `import --schema`. */
export function importLineJsonSchema(vocabulary: Vocabulary): object {
  return z.toJSONSchema(importLine(vocabulary), { io: 'input', unrepresentable: 'any' });
}
