-- What an article brings along when it is created: services/content/src/articles/articles.sql.

-- The file had functions and triggers, which functions.json lists now; databases may have applied that one.
-- Former checksum: 66354af68fcfb03f5ede499db682735140244b7ebce390ca10e3e2d8e61f1c28
