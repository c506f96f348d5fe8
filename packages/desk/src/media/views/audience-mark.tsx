import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { isInTrash } from '../trash.ts';

/** Says whether readers see a file or folder, where there are public folders at all. */
export function AudienceMark({ entry }: { entry: Entry }) {
  const { texts, visibility } = useApp();
  const audience = visibility.of(entry);
  if (audience === 'mixed' || isInTrash(entry.path) || visibility.prefixes.value.length === 0) return null;
  return <span class={`audience ${audience}`}>{texts.say(audience)}</span>;
}
