-- The app's own database, as an example: whose devices may get pushes, and a role that may only read them. The server runs
-- this once, when it makes its volume.
CREATE DATABASE app;
\connect app
CREATE TABLE devices (fid text PRIMARY KEY, last_seen timestamptz NOT NULL DEFAULT now());
INSERT INTO devices (fid) SELECT 'cTideDemoAngler' || lpad(n::text, 7, '0') FROM generate_series(1, 600) AS n;
CREATE ROLE lists LOGIN;
GRANT SELECT ON devices TO lists;
