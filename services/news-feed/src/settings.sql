-- What changing the settings of the news sets off: days in answers go by them.
create or replace trigger announce_change after insert or update or delete or truncate on news.settings
  for each statement execute function news.announce_change();
