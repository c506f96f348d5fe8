import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import type { ItemsQuery } from '../api/types.ts';
import { useNews } from '../news-context.ts';

/** The interval between looks for new items, in ms. */
const LOOK_MS = 60_000;

/** Says how many items have come in since the list was loaded; it stays as it is until they are wanted. */
export function NewItems({ query }: { query: ItemsQuery }) {
  const { api, items, texts } = useNews();
  const [count, setCount] = useState(0);
  const entries = items.list.entries.value;
  useEffect(() => {
    const look = async () => {
      if (document.hidden) return;
      const known = new Set(items.list.entries.peek().map(({ id }) => id));
      const found = await api.items(query).catch(() => undefined);
      // Beyond the first one that is known, an item is not new but was pushed out of the page.
      const at = found?.entries.findIndex(({ id }) => known.has(id)) ?? 0;
      setCount(at === -1 ? (found?.entries.length ?? 0) : at);
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [query]);
  useEffect(() => setCount(0), [entries.length]);
  if (count === 0) return null;
  return (
    <div class="new-items" role="status">
      <Button kind="quiet" icon="up" onClick={() => void items.list.refresh()}>
        {texts.say('newItems', { count })}
      </Button>
    </div>
  );
}
