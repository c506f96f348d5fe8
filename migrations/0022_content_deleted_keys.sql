-- A deleted article can be restored: its keys stay with it, so that a repeated request finds what it created.
-- `content.forget_deleted_articles` removes them.
alter table content.idempotency_key drop constraint idempotency_key_article_id_fkey;
