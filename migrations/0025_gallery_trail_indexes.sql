-- No question is asked by them: the trail is read from its end.
drop index gallery.trail_by_person, gallery.trail_by_action;
