-- A database as Directus makes it: directus_* tables beside the collections, which have its usual columns
-- (status, sort, user_created, date_created), a translation, a junction and a file. The directus_* tables
-- have the columns that matter here.
CREATE TABLE directus_roles (id uuid PRIMARY KEY, name varchar(100) NOT NULL, icon varchar(64) NOT NULL DEFAULT 'supervised_user_circle', description text, parent uuid REFERENCES directus_roles);
CREATE TABLE directus_policies (id uuid PRIMARY KEY, name varchar(100) NOT NULL, admin_access boolean NOT NULL DEFAULT false, app_access boolean NOT NULL DEFAULT false, ip_access text);
CREATE TABLE directus_users (
  id uuid PRIMARY KEY, first_name varchar(50), last_name varchar(50), email varchar(128) UNIQUE, password varchar(255), tags json, avatar uuid,
  language varchar(255), tfa_secret varchar(255), status varchar(16) NOT NULL DEFAULT 'active', role uuid REFERENCES directus_roles ON DELETE SET NULL,
  token varchar(255) UNIQUE, last_access timestamptz, provider varchar(128) NOT NULL DEFAULT 'default', external_identifier varchar(255) UNIQUE, auth_data json
);
CREATE TABLE directus_access (
  id uuid PRIMARY KEY, role uuid REFERENCES directus_roles ON DELETE CASCADE, "user" uuid REFERENCES directus_users ON DELETE CASCADE,
  policy uuid NOT NULL REFERENCES directus_policies ON DELETE CASCADE, sort integer
);
CREATE TABLE directus_permissions (
  id serial PRIMARY KEY, collection varchar(64) NOT NULL, action varchar(10) NOT NULL, permissions json, validation json, presets json, fields text,
  policy uuid NOT NULL REFERENCES directus_policies ON DELETE CASCADE
);
CREATE TABLE directus_collections (collection varchar(64) PRIMARY KEY, icon varchar(64), note text, hidden boolean NOT NULL DEFAULT false, singleton boolean NOT NULL DEFAULT false, "group" varchar(64) REFERENCES directus_collections);
CREATE TABLE directus_fields (id serial PRIMARY KEY, collection varchar(64) NOT NULL, field varchar(64) NOT NULL, special varchar(64), interface varchar(64), options json, "group" varchar(64), required boolean DEFAULT false);
CREATE TABLE directus_relations (id serial PRIMARY KEY, many_collection varchar(64) NOT NULL, many_field varchar(64) NOT NULL, one_collection varchar(64), one_field varchar(64), junction_field varchar(64));
CREATE TABLE directus_folders (id uuid PRIMARY KEY, name varchar(255) NOT NULL, parent uuid REFERENCES directus_folders);
CREATE TABLE directus_files (
  id uuid PRIMARY KEY, storage varchar(255) NOT NULL, filename_disk varchar(255), filename_download varchar(255) NOT NULL, title varchar(255), type varchar(255),
  folder uuid REFERENCES directus_folders ON DELETE SET NULL, uploaded_by uuid REFERENCES directus_users, filesize bigint, width integer, height integer, metadata json
);
CREATE TABLE directus_activity (id serial PRIMARY KEY, action varchar(45) NOT NULL, "user" uuid, timestamp timestamptz NOT NULL DEFAULT now(), ip varchar(50), collection varchar(64) NOT NULL, item varchar(255) NOT NULL);
CREATE TABLE directus_revisions (id serial PRIMARY KEY, activity integer NOT NULL REFERENCES directus_activity ON DELETE CASCADE, collection varchar(64) NOT NULL, item varchar(255) NOT NULL, data json, delta json, parent integer REFERENCES directus_revisions);
CREATE TABLE directus_sessions (token varchar(64) PRIMARY KEY, "user" uuid REFERENCES directus_users ON DELETE CASCADE, expires timestamptz NOT NULL, ip varchar(255));
CREATE TABLE directus_settings (id serial PRIMARY KEY, project_name varchar(100) NOT NULL DEFAULT 'Directus', project_logo uuid REFERENCES directus_files);
CREATE TABLE directus_migrations (version varchar(255) PRIMARY KEY, name varchar(255) NOT NULL, timestamp timestamptz DEFAULT now());
CREATE TABLE directus_flows (id uuid PRIMARY KEY, name varchar(255) NOT NULL, status varchar(255) NOT NULL DEFAULT 'active', trigger varchar(255), options json, operation uuid UNIQUE);
CREATE TABLE directus_operations (id uuid PRIMARY KEY, name varchar(255), key varchar(255) NOT NULL, type varchar(255) NOT NULL, resolve uuid UNIQUE REFERENCES directus_operations, flow uuid NOT NULL REFERENCES directus_flows ON DELETE CASCADE);

CREATE TABLE languages (code varchar(255) PRIMARY KEY, name varchar(255), direction varchar(255) DEFAULT 'ltr');
CREATE TABLE tags (id serial PRIMARY KEY, name varchar(255) NOT NULL);
CREATE TABLE articles (
  id serial PRIMARY KEY, status varchar(255) NOT NULL DEFAULT 'draft', sort integer,
  user_created uuid REFERENCES directus_users, date_created timestamptz, user_updated uuid REFERENCES directus_users, date_updated timestamptz,
  title varchar(255), slug varchar(255) UNIQUE, content text, keywords json, cover uuid REFERENCES directus_files ON DELETE SET NULL, price numeric(10,2), publish_on timestamp
);
CREATE TABLE articles_translations (
  id serial PRIMARY KEY, articles_id integer REFERENCES articles ON DELETE SET NULL, languages_code varchar(255) REFERENCES languages ON DELETE SET NULL, title varchar(255), content text
);
CREATE TABLE articles_tags (id serial PRIMARY KEY, articles_id integer REFERENCES articles ON DELETE SET NULL, tags_id integer REFERENCES tags ON DELETE SET NULL);
CREATE TABLE pages (id uuid PRIMARY KEY, title varchar(255) NOT NULL);
CREATE TABLE pages_blocks (id serial PRIMARY KEY, pages_id uuid REFERENCES pages ON DELETE SET NULL, item varchar(255), collection varchar(255), sort integer);

INSERT INTO directus_roles (id, name) VALUES ('00000000-0000-0000-0000-0000000000e1', 'Editor');
INSERT INTO directus_users (id, first_name, email, password, role) VALUES
  ('00000000-0000-0000-0000-00000000000a', 'Ada', 'ada@example.com', 'x', '00000000-0000-0000-0000-0000000000e1'), ('00000000-0000-0000-0000-00000000000b', 'Bob', 'bob@example.com', 'x', '00000000-0000-0000-0000-0000000000e1');
INSERT INTO languages (code, name) VALUES ('en-US', 'English'), ('fr-FR', 'French');
INSERT INTO tags (name) VALUES ('history'), ('craft');
INSERT INTO articles (status, user_created, date_created, title, slug, content, keywords, price) VALUES
  ('published', '00000000-0000-0000-0000-00000000000a', '2026-01-02T08:00:00Z', 'On engines', 'engines', 'Steam.', '["steam"]', 3.50),
  ('draft', '00000000-0000-0000-0000-00000000000a', '2026-01-03T08:00:00Z', 'On looms', 'looms', 'Threads.', NULL, NULL),
  ('draft', '00000000-0000-0000-0000-00000000000b', '2026-01-04T08:00:00Z', 'On bread', 'bread', 'Flour.', NULL, NULL);
INSERT INTO articles_translations (articles_id, languages_code, title) VALUES (1, 'en-US', 'On engines'), (1, 'fr-FR', 'Des machines');
INSERT INTO articles_tags (articles_id, tags_id) VALUES (1, 1), (2, 2);
