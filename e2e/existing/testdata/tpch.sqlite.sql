-- The schema of TPC-H: tables, keys and references as its specification gives them (1.4), with a
-- few columns of each and a few rows; a supplier's part has a key of two columns, and a line of an
-- order refers to it. The table claim is not of TPC-H: its reference has the columns in another
-- order and may be null in part.
CREATE TABLE region (r_regionkey integer PRIMARY KEY, r_name VARCHAR(25) NOT NULL);
CREATE TABLE nation (n_nationkey integer PRIMARY KEY, n_name VARCHAR(25) NOT NULL, n_regionkey integer NOT NULL REFERENCES region (r_regionkey));
CREATE TABLE part (p_partkey integer PRIMARY KEY, p_name VARCHAR(55) NOT NULL, p_size integer NOT NULL);
CREATE TABLE supplier (s_suppkey integer PRIMARY KEY, s_name VARCHAR(25) NOT NULL, s_nationkey integer NOT NULL REFERENCES nation (n_nationkey));
CREATE TABLE partsupp (
  ps_partkey integer NOT NULL REFERENCES part (p_partkey),
  ps_suppkey integer NOT NULL REFERENCES supplier (s_suppkey),
  ps_availqty integer NOT NULL,
  PRIMARY KEY (ps_partkey, ps_suppkey)
);
CREATE TABLE customer (c_custkey integer PRIMARY KEY, c_name VARCHAR(25) NOT NULL, c_nationkey integer NOT NULL REFERENCES nation (n_nationkey));
CREATE TABLE orders (o_orderkey integer PRIMARY KEY, o_custkey integer NOT NULL REFERENCES customer (c_custkey), o_orderdate date NOT NULL);
CREATE TABLE lineitem (
  l_orderkey integer NOT NULL REFERENCES orders (o_orderkey),
  l_partkey integer NOT NULL,
  l_suppkey integer NOT NULL,
  l_linenumber integer NOT NULL,
  l_quantity integer NOT NULL,
  PRIMARY KEY (l_orderkey, l_linenumber),
  FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp (ps_partkey, ps_suppkey)
);
CREATE TABLE claim (
  id integer PRIMARY KEY, why VARCHAR(25) NOT NULL, supplier integer, part integer,
  FOREIGN KEY (supplier, part) REFERENCES partsupp (ps_suppkey, ps_partkey) ON DELETE SET NULL
);

INSERT INTO region VALUES (0, 'AFRICA'), (1, 'AMERICA'), (3, 'EUROPE');
INSERT INTO nation VALUES (5, 'ETHIOPIA', 0), (3, 'CANADA', 1), (7, 'GERMANY', 3);
INSERT INTO part VALUES (1, 'goldenrod lavender', 7), (2, 'blush thistle', 1), (11, 'spring maroon', 14);
INSERT INTO supplier VALUES (1, 'Supplier#1', 5), (2, 'Supplier#2', 3), (11, 'Supplier#11', 7);
INSERT INTO partsupp VALUES (1, 1, 3325), (1, 2, 8076), (1, 11, 3956), (2, 2, 4969), (11, 1, 8895);
INSERT INTO customer VALUES (1, 'Customer#1', 3), (2, 'Customer#2', 7);
INSERT INTO orders VALUES (1, 1, '1996-01-02'), (2, 2, '1996-12-01'), (3, 1, '1993-10-14');
INSERT INTO lineitem VALUES (1, 1, 1, 1, 17), (1, 1, 11, 2, 36), (2, 2, 2, 1, 38), (3, 11, 1, 1, 45), (3, 1, 11, 2, 49), (3, 1, 1, 3, 27);
INSERT INTO claim VALUES (1, 'late', 1, 1), (2, 'broken', 11, 1), (3, 'unclear', 1, NULL), (4, 'lost', NULL, NULL);
