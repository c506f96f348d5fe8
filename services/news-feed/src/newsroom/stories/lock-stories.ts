import { sql, type Transaction } from 'kysely';
import { survivorsOf } from '../../survivors.ts';
import type { NewsTables } from '../../tables.ts';

/**
 * The survivors of the stories that items will belong to, by the requested ids; unknown ones are left out.
 * The stories are locked until the transaction ends: a merge waits, and then moves these items too.
 */
export async function lockStories(
  tx: Transaction<NewsTables>,
  publicIds: readonly string[],
): Promise<Map<string, string>> {
  const locked = new Set<string>();
  for (;;) {
    const survivors = await survivorsOf(tx, publicIds);
    const concerned = [...publicIds, ...[...survivors.values()].map(({ publicId }) => publicId)];
    const unlocked = [...new Set(concerned)].filter((id) => !locked.has(id));
    if (unlocked.length === 0) {
      return new Map([...survivors].map(([origin, { publicId }]) => [origin, publicId]));
    }
    await tx
      .selectFrom('news.story')
      .select('public_id')
      .where('public_id', '=', sql<string>`any(${unlocked})`)
      .orderBy('public_id')
      .forShare()
      .execute();
    for (const id of unlocked) locked.add(id);
  }
}
