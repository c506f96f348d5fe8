-- They made triggers, which are in services/content/src/terms/terms.sql.
drop procedure if exists content.note_all, content.record_all;
