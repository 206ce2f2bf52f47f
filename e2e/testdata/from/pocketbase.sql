-- A file as PocketBase makes it, pb_data/data.db: tables that begin with an underscore beside the
-- collections, ids of 15 letters, texts that are never null, and relations that only _collections knows.
CREATE TABLE `_params` (`id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `value` JSON DEFAULT NULL, `created` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL);
CREATE TABLE `_migrations` (file VARCHAR(255) PRIMARY KEY NOT NULL, applied INTEGER NOT NULL);
CREATE TABLE `_collections` (
  `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `system` BOOLEAN DEFAULT FALSE NOT NULL, `type` TEXT DEFAULT "base" NOT NULL,
  `name` TEXT UNIQUE NOT NULL, `fields` JSON DEFAULT "[]" NOT NULL, `indexes` JSON DEFAULT "[]" NOT NULL,
  `listRule` TEXT DEFAULT NULL, `viewRule` TEXT DEFAULT NULL, `createRule` TEXT DEFAULT NULL, `updateRule` TEXT DEFAULT NULL, `deleteRule` TEXT DEFAULT NULL,
  `options` JSON DEFAULT "{}" NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL
);
CREATE TABLE `_superusers` (`created` TEXT DEFAULT '' NOT NULL, `email` TEXT DEFAULT '' NOT NULL, `emailVisibility` BOOLEAN DEFAULT FALSE NOT NULL, `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `password` TEXT DEFAULT '' NOT NULL, `tokenKey` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL, `verified` BOOLEAN DEFAULT FALSE NOT NULL);
CREATE TABLE `_externalAuths` (`collectionRef` TEXT DEFAULT '' NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `provider` TEXT DEFAULT '' NOT NULL, `providerId` TEXT DEFAULT '' NOT NULL, `recordRef` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL);
CREATE TABLE `_mfas` (`collectionRef` TEXT DEFAULT '' NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `method` TEXT DEFAULT '' NOT NULL, `recordRef` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL);
CREATE TABLE `_otps` (`collectionRef` TEXT DEFAULT '' NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `password` TEXT DEFAULT '' NOT NULL, `recordRef` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL);
CREATE TABLE `_authOrigins` (`collectionRef` TEXT DEFAULT '' NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `fingerprint` TEXT DEFAULT '' NOT NULL, `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `recordRef` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL);

CREATE TABLE `users` (
  `avatar` TEXT DEFAULT '' NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `email` TEXT DEFAULT '' NOT NULL, `emailVisibility` BOOLEAN DEFAULT FALSE NOT NULL,
  `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `name` TEXT DEFAULT '' NOT NULL, `password` TEXT DEFAULT '' NOT NULL,
  `tokenKey` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL, `verified` BOOLEAN DEFAULT FALSE NOT NULL
);
CREATE UNIQUE INDEX `idx_tokenKey__pb_users_auth_` ON `users` (`tokenKey`);
CREATE UNIQUE INDEX `idx_email__pb_users_auth_` ON `users` (`email`) WHERE `email` != '';
CREATE TABLE `posts` (
  `author` TEXT DEFAULT '' NOT NULL, `body` TEXT DEFAULT '' NOT NULL, `cover` TEXT DEFAULT '' NOT NULL, `created` TEXT DEFAULT '' NOT NULL, `extra` JSON DEFAULT NULL,
  `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `public` BOOLEAN DEFAULT FALSE NOT NULL, `rating` NUMERIC DEFAULT 0 NOT NULL,
  `tags` JSON DEFAULT '[]' NOT NULL, `title` TEXT DEFAULT '' NOT NULL, `updated` TEXT DEFAULT '' NOT NULL
);
CREATE TABLE `comments` (`created` TEXT DEFAULT '' NOT NULL, `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL, `message` TEXT DEFAULT '' NOT NULL, `post` TEXT DEFAULT '' NOT NULL, `user` TEXT DEFAULT '' NOT NULL);
CREATE VIEW `post_stats` AS SELECT posts.id, posts.title, count(comments.id) AS comments FROM posts LEFT JOIN comments ON comments.post = posts.id GROUP BY posts.id;

INSERT INTO `_collections` (id, type, name, fields, listRule, viewRule, createRule, updateRule, deleteRule) VALUES
  ('_pb_users_auth_', 'auth', 'users', '[]', 'id = @request.auth.id', 'id = @request.auth.id', '', 'id = @request.auth.id', 'id = @request.auth.id'),
  ('pbc_1125843985', 'base', 'posts', '[{"name":"author","type":"relation","collectionId":"_pb_users_auth_","maxSelect":1,"cascadeDelete":true}]',
   'public = true || author = @request.auth.id', 'public = true || author = @request.auth.id', '@request.auth.id != "" && author = @request.auth.id', 'author = @request.auth.id', 'author = @request.auth.id'),
  ('pbc_533777971', 'base', 'comments', '[{"name":"post","type":"relation","collectionId":"pbc_1125843985","maxSelect":1},{"name":"user","type":"relation","collectionId":"_pb_users_auth_","maxSelect":1}]', '', '', '@request.auth.id = user', NULL, 'user = @request.auth.id');
INSERT INTO `users` (id, email, name, password, tokenKey, created, updated) VALUES
  ('uada00000000001', 'ada@example.com', 'Ada', 'x', 'a', '2026-01-02 08:00:00.000Z', '2026-01-02 08:00:00.000Z'), ('ubob00000000001', 'bob@example.com', 'Bob', 'x', 'b', '2026-01-03 08:00:00.000Z', '2026-01-03 08:00:00.000Z');
INSERT INTO `posts` (id, author, title, body, public, rating, tags, cover, created, updated) VALUES
  ('p00000000000001', 'uada00000000001', 'On engines', '<p>Steam.</p>', TRUE, 4.5, '["history"]', 'engine_ab12cd34ef.png', '2026-01-04 08:00:00.000Z', '2026-01-04 08:00:00.000Z'),
  ('p00000000000002', 'uada00000000001', 'On looms', '<p>Threads.</p>', FALSE, 0, '[]', '', '2026-01-05 08:00:00.000Z', '2026-01-05 08:00:00.000Z'),
  ('p00000000000003', 'ubob00000000001', 'On bread', '<p>Flour.</p>', FALSE, 3, '["craft"]', '', '2026-01-06 08:00:00.000Z', '2026-01-06 08:00:00.000Z');
INSERT INTO `comments` (id, post, user, message, created) VALUES ('c00000000000001', 'p00000000000001', 'ubob00000000001', 'Loud.', '2026-01-07 08:00:00.000Z');
