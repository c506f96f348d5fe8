import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { newsroom } from '../../support/newsroom.ts';

/** Replays a day of ten sources in its own database; the command's default is a whole week. */
async function replayed(): Promise<string> {
  const database = await createTestDatabase();
  try {
    const { code, stdout, stderr } = await newsroom(database.url, [
      'replay',
      '--sources',
      '10',
      '--days',
      '1',
    ]);
    expect(code, stderr).toBe(0);
    const again = await newsroom(database.url, ['replay']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('without sources and items') });
    return stdout;
  } finally {
    await database.drop();
  }
}

test('the same feeds end in the same news, sources and reports', async () => {
  const [first, second] = [await replayed(), await replayed()];
  expect(first).toMatch(
    /^polls +\d{2,}\nrankings +288\nitems +\d{2}\nstories +\d{2}\ndailies +1\ndigest +[0-9a-f]{64}\n$/,
  );
  expect(second).toBe(first);
});
