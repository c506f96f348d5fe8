import { integer, secret, setting } from '@pressroom/common/start/config';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withTables } from './configuration.ts';

const PAGE = 'Before.\n\n<!-- settings: tests -->\nold\n<!-- end -->\n\nAfter.\n';

test('shows what each setting accepts, its default and what it is for', () => {
  const page = withTables(PAGE, {
    tests: {
      PORT: setting(integer(1, 9).default(5), 'A port.'),
      KEY: setting(secret(z.string()), 'A key.'),
      LIST: setting(
        z
          .string()
          .regex(/^a/, 'names')
          .transform((text) => [text])
          .default(['a', 'b']),
        'A list.',
      ),
      URL: setting(z.string().optional(), 'An address.', '`OTHER_URL`'),
    },
  });
  expect(page).toBe(`Before.

<!-- settings: tests -->

| Variable | Value | If absent | Description |
|---|---|---|---|
| \`PORT\` | a whole number from 1 to 9 | \`5\` | A port. |
| \`KEY\` | any text | required | A key. |
| \`LIST\` | names | \`a,b\` | A list. |
| \`URL\` | any text | \`OTHER_URL\` | An address. |

<!-- end -->

After.
`);
});

test('refuses a page that has no place for a table', () => {
  expect(() => withTables('Nothing.', { tests: {} })).toThrow('no place for the settings of tests');
});
