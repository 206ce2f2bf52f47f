-- A database as PostGraphile is served from: app_public is the schema of the API, app_private holds the
-- secrets, roles and policies judge the callers, and functions are queries and mutations.
DO $$ BEGIN
  CREATE ROLE forum_visitor NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
CREATE EXTENSION IF NOT EXISTS citext;
CREATE SCHEMA app_public;
CREATE SCHEMA app_hidden;
CREATE SCHEMA app_private;
CREATE SCHEMA graphile_worker;
CREATE TABLE graphile_worker._private_jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, queue_name text, payload json NOT NULL DEFAULT '{}', run_at timestamptz NOT NULL DEFAULT now(), attempts smallint NOT NULL DEFAULT 0
);
CREATE SCHEMA graphile_migrate;
CREATE TABLE graphile_migrate.migrations (hash text PRIMARY KEY, previous_hash text REFERENCES graphile_migrate.migrations, filename text NOT NULL, date timestamptz NOT NULL DEFAULT now());

CREATE FUNCTION app_public.current_user_id() RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT nullif(current_setting('jwt.claims.user_id', true), '')::integer
$$;
CREATE TYPE app_public.forum_topic AS ENUM ('discussion', 'inspiration', 'help');
CREATE DOMAIN app_public.slug AS text CHECK (VALUE ~ '^[a-z0-9-]+$');

CREATE TABLE app_public.users (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, username citext NOT NULL UNIQUE, name text,
  is_admin boolean NOT NULL DEFAULT false, created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE app_public.users IS E'@omit create,delete\nA person who can log in.';
COMMENT ON COLUMN app_public.users.is_admin IS E'@omit create,update';
CREATE TABLE app_private.user_secrets (
  user_id integer PRIMARY KEY REFERENCES app_public.users ON DELETE CASCADE, password_hash text NOT NULL, last_login_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE app_public.forums (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, slug app_public.slug NOT NULL UNIQUE, name text NOT NULL, description text NOT NULL DEFAULT ''
);
CREATE TABLE app_public.posts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, forum_id integer NOT NULL REFERENCES app_public.forums ON DELETE CASCADE,
  author_id integer DEFAULT app_public.current_user_id() REFERENCES app_public.users ON DELETE SET NULL,
  headline text NOT NULL, body text NOT NULL DEFAULT '', topic app_public.forum_topic, created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN app_public.posts.author_id IS E'The writer.';
COMMENT ON CONSTRAINT posts_author_id_fkey ON app_public.posts IS E'@foreignFieldName articles';
CREATE INDEX ON app_public.posts (forum_id);
CREATE INDEX ON app_public.posts (author_id);

CREATE FUNCTION app_public.posts_excerpt(post app_public.posts) RETURNS text LANGUAGE sql STABLE AS $$ SELECT left(post.body, 60) $$;
CREATE FUNCTION app_public.search_posts(words text) RETURNS SETOF app_public.posts LANGUAGE sql STABLE AS $$
  SELECT * FROM app_public.posts WHERE headline ILIKE '%' || words || '%' OR body ILIKE '%' || words || '%'
$$;
CREATE FUNCTION app_public.register(username text, password text) RETURNS app_public.users LANGUAGE sql VOLATILE SECURITY DEFINER AS $$
  INSERT INTO app_public.users (username) VALUES (username) RETURNING *
$$;

ALTER TABLE app_public.users ENABLE ROW LEVEL SECURITY;
ALTER TABLE app_public.forums ENABLE ROW LEVEL SECURITY;
ALTER TABLE app_public.posts ENABLE ROW LEVEL SECURITY;
CREATE POLICY select_all ON app_public.users FOR SELECT USING (true);
CREATE POLICY update_self ON app_public.users FOR UPDATE USING (id = app_public.current_user_id());
CREATE POLICY select_all ON app_public.forums FOR SELECT USING (true);
CREATE POLICY select_all ON app_public.posts FOR SELECT USING (true);
CREATE POLICY insert_own ON app_public.posts FOR INSERT WITH CHECK (author_id = app_public.current_user_id());
CREATE POLICY update_own ON app_public.posts FOR UPDATE USING (author_id = app_public.current_user_id());
CREATE POLICY delete_own ON app_public.posts FOR DELETE USING (author_id = app_public.current_user_id());
GRANT USAGE ON SCHEMA app_public TO forum_visitor;
GRANT SELECT ON ALL TABLES IN SCHEMA app_public TO forum_visitor;
GRANT INSERT (forum_id, headline, body, topic), UPDATE (headline, body, topic), DELETE ON app_public.posts TO forum_visitor;
GRANT UPDATE (username, name) ON app_public.users TO forum_visitor;

INSERT INTO app_public.users (username, name, is_admin) VALUES ('ada', 'Ada', true), ('bob', 'Bob', false);
INSERT INTO app_private.user_secrets (user_id, password_hash) VALUES (1, 'x'), (2, 'x');
INSERT INTO app_public.forums (slug, name) VALUES ('tools', 'Tools'), ('cooking', 'Cooking');
INSERT INTO app_public.posts (forum_id, author_id, headline, body, topic) VALUES
  (1, 1, 'Which plane?', 'A block plane or a jack plane?', 'help'), (1, 2, 'My bench', 'Four legs.', 'inspiration'), (2, 2, 'Rye bread', 'A day of patience.', 'discussion');
