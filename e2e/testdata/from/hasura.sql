-- A database as Hasura leaves it: the tables of an application, the event trigger of one of them,
-- and hdb_catalog beside them.
CREATE EXTENSION IF NOT EXISTS pgcrypto;
CREATE SCHEMA hdb_catalog;
CREATE FUNCTION hdb_catalog.gen_hasura_uuid() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE TABLE hdb_catalog.hdb_version (
  hasura_uuid uuid PRIMARY KEY DEFAULT hdb_catalog.gen_hasura_uuid(), version text NOT NULL, upgraded_on timestamptz NOT NULL,
  cli_state jsonb NOT NULL DEFAULT '{}', console_state jsonb NOT NULL DEFAULT '{}', ee_client_id text, ee_client_secret text
);
CREATE TABLE hdb_catalog.hdb_metadata (id integer PRIMARY KEY, metadata json NOT NULL, resource_version integer NOT NULL DEFAULT 1 UNIQUE);
CREATE TABLE hdb_catalog.event_log (
  id text PRIMARY KEY DEFAULT hdb_catalog.gen_hasura_uuid(), schema_name text NOT NULL, table_name text NOT NULL, trigger_name text NOT NULL,
  payload jsonb NOT NULL, delivered boolean NOT NULL DEFAULT false, error boolean NOT NULL DEFAULT false, tries integer NOT NULL DEFAULT 0,
  created_at timestamp DEFAULT now(), locked timestamptz, next_retry_at timestamp, archived boolean NOT NULL DEFAULT false
);
CREATE TABLE hdb_catalog.event_invocation_logs (
  id text PRIMARY KEY DEFAULT hdb_catalog.gen_hasura_uuid(), trigger_name text, event_id text REFERENCES hdb_catalog.event_log,
  status integer, request json, response json, created_at timestamp DEFAULT now()
);

CREATE TABLE users (
  id text PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE article_status (value text PRIMARY KEY, comment text NOT NULL);
COMMENT ON TABLE article_status IS 'An enum table';
CREATE TABLE articles (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  author_id text NOT NULL REFERENCES users ON UPDATE CASCADE ON DELETE CASCADE,
  title text NOT NULL CHECK (title <> ''),
  body text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'draft' REFERENCES article_status,
  labels text[] NOT NULL DEFAULT '{}',
  extra jsonb NOT NULL DEFAULT '{}',
  internal_note text,
  words integer GENERATED ALWAYS AS (length(body)) STORED,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON articles (author_id);
CREATE TABLE tags (id serial PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE article_tags (
  article_id uuid REFERENCES articles ON DELETE CASCADE, tag_id integer REFERENCES tags ON DELETE CASCADE, PRIMARY KEY (article_id, tag_id)
);
CREATE VIEW article_counts AS SELECT author_id, count(*) AS articles FROM articles GROUP BY author_id;

CREATE FUNCTION set_current_timestamp_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at = now();
  RETURN NEW;
END $$;
CREATE TRIGGER set_public_articles_updated_at BEFORE UPDATE ON articles FOR EACH ROW EXECUTE FUNCTION set_current_timestamp_updated_at();
CREATE FUNCTION hdb_catalog."notify_hasura_article_published_UPDATE"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hdb_catalog.event_log (schema_name, table_name, trigger_name, payload)
    VALUES (TG_TABLE_SCHEMA, TG_TABLE_NAME, 'article_published', jsonb_build_object('op', TG_OP, 'data', jsonb_build_object('old', OLD, 'new', NEW)));
  RETURN NULL;
END $$;
CREATE TRIGGER "notify_hasura_article_published_UPDATE" AFTER UPDATE ON articles FOR EACH ROW EXECUTE FUNCTION hdb_catalog."notify_hasura_article_published_UPDATE"();

INSERT INTO users VALUES ('u-ada', 'ada@example.com', 'Ada', '2026-01-02T08:00:00Z'), ('u-bob', 'bob@example.com', 'Bob', '2026-01-03T08:00:00Z');
INSERT INTO article_status VALUES ('draft', 'Seen by its author'), ('published', 'Seen by everybody');
INSERT INTO articles (id, author_id, title, body, status, labels, internal_note) VALUES
  ('00000000-0000-0000-0000-000000000001', 'u-ada', 'On engines', 'Steam.', 'published', '{essay}', 'checked'),
  ('00000000-0000-0000-0000-000000000002', 'u-ada', 'On looms', 'Threads.', 'draft', '{}', NULL),
  ('00000000-0000-0000-0000-000000000003', 'u-bob', 'On bread', 'Flour.', 'draft', '{}', NULL);
INSERT INTO tags (name) VALUES ('history'), ('craft');
INSERT INTO article_tags VALUES ('00000000-0000-0000-0000-000000000001', 1), ('00000000-0000-0000-0000-000000000002', 2);
