import { SELECTED } from '../../support/mirror.ts';
import { testMirrorOf } from '../../support/mirror-histories.ts';
import { newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { selectedSet } from '../../support/selected-set.ts';

const ID = `'item-' || lpad($1::text, 2, '0')`;

testMirrorOf({
  name: 'the selected set',
  start: async () => {
    const { database, url, close } = await newsFeedFixture();
    const replica = await startNewsFeed(database.url);
    const closeBoth = async () => {
      await replica.close();
      await close();
    };
    return { urls: [url, replica.url], database, close: closeBoth };
  },
  set: SELECTED,
  fields: ['default', 'minimal'],
  statements: {
    put: `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
      values (${ID}, $2, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)
      on conflict (id) do update set title = excluded.title, selected = true, withdrawn_at = null`,
    edit: `update news.item set title = $2 where id = ${ID}`,
    editSummary: `update news.item set summary = $2 where id = ${ID}`,
    editReason: `update news.item set reason = $2 where id = ${ID}`,
    select: `update news.item set selected = true where id = ${ID} and $2::text is not null`,
    deselect: `update news.item set selected = false where id = ${ID} and $2::text is not null`,
    withdraw: `update news.item set withdrawn_at = now() where id = ${ID} and $2::text is not null`,
    restore: `update news.item set withdrawn_at = null where id = ${ID} and $2::text is not null`,
    remove: `delete from news.item where id = ${ID} and $2::text is not null`,
  },
  clear: 'delete from news.item',
  truth: selectedSet,
});
