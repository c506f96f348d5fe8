-- Triggers of settings.

-- Replicas cache the active bucket and reload it on this notification, which is sent when the change commits.
create or replace function gallery.announce_setting() returns trigger language plpgsql as $$
begin
  perform pg_notify('gallery_setting_changed', '');
  return null;
end
$$;

create or replace trigger announce_setting after insert or update or delete or truncate on gallery.setting
  for each statement execute function gallery.announce_setting();
