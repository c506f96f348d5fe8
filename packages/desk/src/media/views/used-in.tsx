import { useEffect, useState } from 'preact/hooks';
import { Names } from '../../shared/views/names.tsx';
import type { Uses } from '../api/types.ts';
import { useApp } from '../app-context.ts';

/** Names the articles that show files, once they are known; nothing while there are none. */
export function UsedIn({ paths }: { paths: readonly string[] }) {
  const { api } = useApp();
  const [uses, setUses] = useState<Uses>();
  const asked = paths.join('\n');
  useEffect(() => {
    let isCurrent = true;
    void api.uses(asked.split('\n')).then((found) => isCurrent && setUses(found));
    return () => {
      isCurrent = false;
    };
  }, [api, asked]);
  if (uses === undefined || uses.articles.length === 0) return null;
  return (
    <div class="used-in" role="status">
      <UsedCount uses={uses} />
      <Names names={[...new Set(uses.articles.map(({ title }) => title))]} />
    </div>
  );
}

/** In how many articles files are used. */
export function UsedCount({ uses: { articles, hasMore } }: { uses: Uses }) {
  const { say } = useApp().texts;
  return <strong>{say(hasMore ? 'usedInMore' : 'usedIn', { count: articles.length })}</strong>;
}
