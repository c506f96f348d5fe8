import { expect, test } from 'vitest';
import { commandsOf } from './printed-commands.ts';

test('a command may have several lines', () => {
  const block = `# a comment
one --with \\
  another
echo 'two
lines' | cat &
for x in 1 2; do
  echo $x
done
cat > file <<'END'
text
END

last   # and why
`;
  expect(commandsOf(block)).toEqual([
    'one --with \\\n  another',
    "echo 'two\nlines' | cat &",
    'for x in 1 2; do\n  echo $x\ndone',
    "cat > file <<'END'\ntext\nEND",
    'last   # and why',
  ]);
});
