-- The pages of a category were looked for among the newest items, and then, if few of these had it, by its
-- terms: two reads, and the second one read and sorted every item of the window with the category, more with
-- each item that a site takes in. In these indexes a page stands in one place, in its order. Writers of items
-- wait while they are made: 16 s for a million items on a machine that did other work.

create index item_by_category on news.item (category, timeline_at desc, id desc) where withdrawn_at is null;
create index item_by_category_publication on news.item (category, published_at desc, id desc)
  where withdrawn_at is null;
create index item_selected_by_category on news.item (category, timeline_at desc, id desc) where in_selected_set;
create index item_selected_by_category_publication on news.item (category, published_at desc, id desc)
  where in_selected_set;
