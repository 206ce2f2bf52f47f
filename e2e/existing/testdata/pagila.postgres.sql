-- The film rental shop: the tables, types, views and keys of the sample database Pagila for
-- PostgreSQL, with a few rows.
CREATE TYPE mpaa_rating AS ENUM ('G', 'PG', 'PG-13', 'R', 'NC-17');
CREATE DOMAIN year AS integer CONSTRAINT year_check CHECK (VALUE >= 1901 AND VALUE <= 2155);
CREATE DOMAIN bpchar_any AS bpchar CHECK (VALUE IS NOT NULL);

CREATE FUNCTION last_updated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.last_update = CURRENT_TIMESTAMP; RETURN NEW; END $$;

CREATE SEQUENCE actor_actor_id_seq;
CREATE TABLE actor (
  actor_id integer PRIMARY KEY DEFAULT nextval('actor_actor_id_seq'),
  first_name text NOT NULL,
  last_name text NOT NULL,
  last_update timestamp with time zone NOT NULL DEFAULT now()
);
COMMENT ON TABLE actor IS 'Who plays in the films.';
COMMENT ON COLUMN actor.last_name IS 'The family name, in capitals.';
CREATE INDEX idx_actor_last_name ON actor (last_name);
CREATE TRIGGER last_updated BEFORE UPDATE ON actor FOR EACH ROW EXECUTE FUNCTION last_updated();

CREATE TABLE category (category_id serial PRIMARY KEY, name text NOT NULL, last_update timestamp with time zone NOT NULL DEFAULT now());
CREATE TABLE language (language_id serial PRIMARY KEY, name character(20) NOT NULL, last_update timestamp with time zone NOT NULL DEFAULT now());
CREATE TABLE country (country_id serial PRIMARY KEY, country text NOT NULL, last_update timestamp with time zone NOT NULL DEFAULT now());
CREATE TABLE city (
  city_id serial PRIMARY KEY, city text NOT NULL, country_id integer NOT NULL REFERENCES country ON UPDATE CASCADE ON DELETE RESTRICT,
  last_update timestamp with time zone NOT NULL DEFAULT now()
);
CREATE INDEX idx_fk_country_id ON city (country_id);
CREATE TABLE address (
  address_id serial PRIMARY KEY, address text NOT NULL, address2 text, district text NOT NULL,
  city_id integer NOT NULL REFERENCES city ON UPDATE CASCADE ON DELETE RESTRICT, postal_code text, phone text NOT NULL,
  last_update timestamp with time zone NOT NULL DEFAULT now()
);
CREATE TABLE film (
  film_id serial PRIMARY KEY,
  title text NOT NULL,
  description text,
  release_year year,
  language_id integer NOT NULL REFERENCES language ON UPDATE CASCADE ON DELETE RESTRICT,
  original_language_id integer REFERENCES language ON UPDATE CASCADE ON DELETE RESTRICT,
  rental_duration smallint NOT NULL DEFAULT 3,
  rental_rate numeric(4,2) NOT NULL DEFAULT 4.99,
  length smallint,
  replacement_cost numeric(5,2) NOT NULL DEFAULT 19.99,
  rating mpaa_rating DEFAULT 'G'::mpaa_rating,
  last_update timestamp with time zone NOT NULL DEFAULT now(),
  special_features text[],
  fulltext tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, title)) STORED NOT NULL
);
CREATE INDEX film_fulltext_idx ON film USING gist (fulltext);
CREATE INDEX idx_title ON film (title);
CREATE TABLE film_actor (
  actor_id integer NOT NULL REFERENCES actor ON UPDATE CASCADE ON DELETE RESTRICT,
  film_id integer NOT NULL REFERENCES film ON UPDATE CASCADE ON DELETE RESTRICT,
  last_update timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (actor_id, film_id)
);
CREATE INDEX idx_fk_film_id ON film_actor (film_id);
CREATE TABLE film_category (
  film_id integer NOT NULL REFERENCES film, category_id integer NOT NULL REFERENCES category,
  last_update timestamp with time zone NOT NULL DEFAULT now(), PRIMARY KEY (film_id, category_id)
);
CREATE TABLE store (
  store_id serial PRIMARY KEY, manager_staff_id integer NOT NULL, address_id integer NOT NULL REFERENCES address,
  last_update timestamp with time zone NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX idx_unq_manager_staff_id ON store (manager_staff_id);
CREATE TABLE staff (
  staff_id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, address_id integer NOT NULL REFERENCES address, email text,
  store_id integer NOT NULL REFERENCES store, active boolean NOT NULL DEFAULT true, username text NOT NULL, password text,
  last_update timestamp with time zone NOT NULL DEFAULT now(), picture bytea
);
ALTER TABLE store ADD CONSTRAINT store_manager_staff_id_fkey FOREIGN KEY (manager_staff_id) REFERENCES staff (staff_id) DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE customer (
  customer_id serial PRIMARY KEY, store_id integer NOT NULL REFERENCES store, first_name text NOT NULL, last_name text NOT NULL, email text,
  address_id integer NOT NULL REFERENCES address, activebool boolean NOT NULL DEFAULT true, create_date date NOT NULL DEFAULT CURRENT_DATE,
  last_update timestamp with time zone DEFAULT now(), active integer
);
CREATE TABLE inventory (
  inventory_id serial PRIMARY KEY, film_id integer NOT NULL REFERENCES film, store_id integer NOT NULL REFERENCES store,
  last_update timestamp with time zone NOT NULL DEFAULT now()
);
CREATE TABLE rental (
  rental_id serial PRIMARY KEY, rental_date timestamp with time zone NOT NULL, inventory_id integer NOT NULL REFERENCES inventory,
  customer_id integer NOT NULL REFERENCES customer, return_date timestamp with time zone, staff_id integer NOT NULL REFERENCES staff,
  last_update timestamp with time zone NOT NULL DEFAULT now(), UNIQUE (rental_date, inventory_id, customer_id)
);
CREATE SEQUENCE payment_payment_id_seq;
CREATE TABLE payment (
  payment_id integer NOT NULL DEFAULT nextval('payment_payment_id_seq'),
  customer_id integer NOT NULL REFERENCES customer, staff_id integer NOT NULL REFERENCES staff, rental_id integer NOT NULL REFERENCES rental,
  amount numeric(5,2) NOT NULL, payment_date timestamp with time zone NOT NULL,
  PRIMARY KEY (payment_date, payment_id)
) PARTITION BY RANGE (payment_date);
CREATE TABLE payment_p2022_01 PARTITION OF payment FOR VALUES FROM ('2022-01-01 00:00:00+00') TO ('2022-02-01 00:00:00+00');
CREATE TABLE payment_p2022_02 PARTITION OF payment FOR VALUES FROM ('2022-02-01 00:00:00+00') TO ('2022-03-01 00:00:00+00');

CREATE VIEW customer_list AS
  SELECT cu.customer_id AS id, cu.first_name || ' ' || cu.last_name AS name, a.address, a.postal_code AS "zip code", a.phone, city.city, country.country,
    CASE WHEN cu.activebool THEN 'active' ELSE '' END AS notes, cu.store_id AS sid
  FROM customer cu JOIN address a USING (address_id) JOIN city USING (city_id) JOIN country USING (country_id);
CREATE VIEW film_list AS
  SELECT film.film_id AS fid, film.title, category.name AS category, film.rental_rate AS price, film.rating
  FROM film LEFT JOIN film_category USING (film_id) LEFT JOIN category USING (category_id);
CREATE MATERIALIZED VIEW rental_by_category AS SELECT category.name AS category, count(*) AS films FROM film_category JOIN category USING (category_id) GROUP BY 1;

INSERT INTO actor (first_name, last_name) VALUES ('PENELOPE', 'DAVIS'), ('NICK', 'WAHLBERG'), ('ED', 'CHASE');
INSERT INTO category (name) VALUES ('Action'), ('Documentary');
INSERT INTO language (name) VALUES ('English'), ('Italian');
INSERT INTO country (country) VALUES ('Canada'), ('Australia');
INSERT INTO city (city, country_id) VALUES ('Lethbridge', 1), ('Woodridge', 2);
INSERT INTO address (address, district, city_id, phone) VALUES ('47 MySakila Drive', 'Alberta', 1, ''), ('28 MySQL Boulevard', 'QLD', 2, '');
BEGIN;
INSERT INTO store (manager_staff_id, address_id) VALUES (1, 1), (2, 2);
INSERT INTO staff (first_name, last_name, address_id, store_id, username, picture) VALUES ('Mike', 'Hillyer', 1, 1, 'Mike', '\x89504e47'), ('Jon', 'Stephens', 2, 2, 'Jon', NULL);
COMMIT;
INSERT INTO film (title, description, release_year, language_id, rental_rate, length, rating, special_features) VALUES
  ('ACADEMY DINOSAUR', 'A Epic Drama of a Feminist', 2006, 1, 0.99, 86, 'PG', '{"Deleted Scenes","Behind the Scenes"}'),
  ('ACE GOLDFINGER', 'A Astounding Epistle', 2006, 1, 4.99, 48, 'G', '{Trailers,"Deleted Scenes"}'),
  ('ADAPTATION HOLES', NULL, 2006, 2, 2.99, NULL, 'NC-17', NULL);
INSERT INTO film_actor (actor_id, film_id) VALUES (1, 1), (2, 1), (3, 2), (2, 3);
INSERT INTO film_category (film_id, category_id) VALUES (1, 2), (2, 1), (3, 2);
INSERT INTO customer (store_id, first_name, last_name, address_id, active) VALUES (1, 'MARY', 'SMITH', 1, 1), (2, 'PATRICIA', 'JOHNSON', 2, 1);
INSERT INTO inventory (film_id, store_id) VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO rental (rental_date, inventory_id, customer_id, staff_id) VALUES ('2022-01-24 21:53:30+00', 1, 1, 1), ('2022-02-03 10:00:00+00', 2, 2, 2);
INSERT INTO payment (customer_id, staff_id, rental_id, amount, payment_date) VALUES (1, 1, 1, 2.99, '2022-01-24 21:40:19.996577+00'), (2, 2, 2, 4.99, '2022-02-03 10:00:00+00');
REFRESH MATERIALIZED VIEW rental_by_category;
