-- The food importer: the tables, types and keys of the sample database Northwind as PostgreSQL
-- users have it, with a few rows.
CREATE TABLE categories (category_id smallint NOT NULL, category_name character varying(15) NOT NULL, description text, picture bytea, CONSTRAINT pk_categories PRIMARY KEY (category_id));
CREATE TABLE customer_demographics (customer_type_id character varying(5) NOT NULL, customer_desc text, CONSTRAINT pk_customer_demographics PRIMARY KEY (customer_type_id));
CREATE TABLE customers (
  customer_id character varying(5) NOT NULL, company_name character varying(40) NOT NULL, contact_name character varying(30), contact_title character varying(30),
  address character varying(60), city character varying(15), region character varying(15), postal_code character varying(10), country character varying(15), phone character varying(24),
  CONSTRAINT pk_customers PRIMARY KEY (customer_id)
);
CREATE TABLE customer_customer_demo (
  customer_id character varying(5) NOT NULL REFERENCES customers, customer_type_id character varying(5) NOT NULL REFERENCES customer_demographics,
  CONSTRAINT pk_customer_customer_demo PRIMARY KEY (customer_id, customer_type_id)
);
CREATE TABLE employees (
  employee_id smallint NOT NULL, last_name character varying(20) NOT NULL, first_name character varying(10) NOT NULL, title character varying(30), title_of_courtesy character varying(25),
  birth_date date, hire_date date, notes text, photo bytea, reports_to smallint REFERENCES employees, photo_path character varying(255),
  CONSTRAINT pk_employees PRIMARY KEY (employee_id)
);
CREATE TABLE suppliers (supplier_id smallint NOT NULL, company_name character varying(40) NOT NULL, contact_name character varying(30), homepage text, CONSTRAINT pk_suppliers PRIMARY KEY (supplier_id));
CREATE TABLE products (
  product_id smallint NOT NULL, product_name character varying(40) NOT NULL, supplier_id smallint REFERENCES suppliers, category_id smallint REFERENCES categories,
  quantity_per_unit character varying(20), unit_price real, units_in_stock smallint, units_on_order smallint, reorder_level smallint, discontinued integer NOT NULL,
  CONSTRAINT pk_products PRIMARY KEY (product_id)
);
CREATE TABLE region (region_id smallint NOT NULL, region_description character varying(60) NOT NULL, CONSTRAINT pk_region PRIMARY KEY (region_id));
CREATE TABLE shippers (shipper_id smallint NOT NULL, company_name character varying(40) NOT NULL, phone character varying(24), CONSTRAINT pk_shippers PRIMARY KEY (shipper_id));
CREATE TABLE orders (
  order_id smallint NOT NULL, customer_id character varying(5) REFERENCES customers, employee_id smallint REFERENCES employees, order_date date, required_date date, shipped_date date,
  ship_via smallint REFERENCES shippers, freight real, ship_name character varying(40), ship_country character varying(15),
  CONSTRAINT pk_orders PRIMARY KEY (order_id)
);
CREATE TABLE territories (territory_id character varying(20) NOT NULL, territory_description character varying(60) NOT NULL, region_id smallint NOT NULL REFERENCES region, CONSTRAINT pk_territories PRIMARY KEY (territory_id));
CREATE TABLE employee_territories (
  employee_id smallint NOT NULL REFERENCES employees, territory_id character varying(20) NOT NULL REFERENCES territories,
  CONSTRAINT pk_employee_territories PRIMARY KEY (employee_id, territory_id)
);
CREATE TABLE order_details (
  order_id smallint NOT NULL REFERENCES orders, product_id smallint NOT NULL REFERENCES products, unit_price real NOT NULL, quantity smallint NOT NULL, discount real NOT NULL,
  CONSTRAINT pk_order_details PRIMARY KEY (order_id, product_id)
);
CREATE TABLE us_states (state_id smallint NOT NULL, state_name character varying(100), state_abbr character varying(2), state_region character varying(50), CONSTRAINT pk_usstates PRIMARY KEY (state_id));

INSERT INTO categories VALUES (1, 'Beverages', 'Soft drinks, coffees, teas', '\x'), (4, 'Dairy Products', 'Cheeses', '\x');
INSERT INTO customers (customer_id, company_name, contact_name, city, country) VALUES ('ALFKI', 'Alfreds Futterkiste', 'Maria Anders', 'Berlin', 'Germany'), ('VINET', 'Vins et alcools Chevalier', 'Paul Henriot', 'Reims', 'France');
INSERT INTO employees (employee_id, last_name, first_name, title, birth_date, reports_to) VALUES (2, 'Fuller', 'Andrew', 'Vice President, Sales', '1952-02-19', NULL), (5, 'Buchanan', 'Steven', 'Sales Manager', '1955-03-04', 2), (6, 'Suyama', 'Michael', 'Sales Representative', '1963-07-02', 5);
INSERT INTO suppliers VALUES (1, 'Exotic Liquids', 'Charlotte Cooper', NULL), (5, 'Cooperativa de Quesos', 'Antonio del Valle', NULL);
INSERT INTO products VALUES (1, 'Chai', 1, 1, '10 boxes x 30 bags', 18, 39, 0, 10, 1), (11, 'Queso Cabrales', 5, 4, '1 kg pkg.', 21, 22, 30, 30, 0);
INSERT INTO region VALUES (1, 'Eastern');
INSERT INTO shippers VALUES (3, 'Federal Shipping', '(503) 555-9931');
INSERT INTO orders VALUES (10248, 'VINET', 5, '1996-07-04', '1996-08-01', '1996-07-16', 3, 32.38, 'Vins et alcools Chevalier', 'France');
INSERT INTO territories VALUES ('01581', 'Westboro', 1);
INSERT INTO employee_territories VALUES (2, '01581'), (5, '01581');
INSERT INTO order_details VALUES (10248, 11, 14, 12, 0), (10248, 1, 14.4, 10, 0.05);
