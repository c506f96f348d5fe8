-- Lists of articles by title, without accents: these came after z. The collation stays PostgreSQL's own,
-- whose order no version of a system's libraries changes. A title is cut, since letters may grow when they
-- are taken apart, and an index takes no row of more than 2,704 bytes.
create index article_by_plain_title on content.article (
  is_published,
  lower(left(normalize(regexp_replace(normalize(title, nfd), '[\u0300-\u036f]+', '', 'g'), nfc), 120)
    collate "pg_unicode_fast") collate "C" desc,
  id desc
);
drop index content.article_by_title;
