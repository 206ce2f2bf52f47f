-- The food importer as desktop users have it: names with spaces, texts as keys, dates as texts,
-- and a few rows.
CREATE TABLE [Categories] ([CategoryID] INTEGER PRIMARY KEY AUTOINCREMENT, [CategoryName] TEXT, [Description] TEXT, [Picture] BLOB);
CREATE TABLE [Customers] ([CustomerID] TEXT, [CompanyName] TEXT, [ContactName] TEXT, [City] TEXT, [Country] TEXT, PRIMARY KEY ([CustomerID]));
CREATE TABLE [Employees] (
  [EmployeeID] INTEGER PRIMARY KEY AUTOINCREMENT, [LastName] TEXT, [FirstName] TEXT, [Title] TEXT, [BirthDate] DATE, [Photo] BLOB, [ReportsTo] INTEGER,
  FOREIGN KEY ([ReportsTo]) REFERENCES [Employees] ([EmployeeID])
);
CREATE TABLE [Regions] ([RegionID] INTEGER NOT NULL PRIMARY KEY, [RegionDescription] TEXT NOT NULL);
CREATE TABLE [Territories] ([TerritoryID] TEXT NOT NULL, [TerritoryDescription] TEXT NOT NULL, [RegionID] INTEGER NOT NULL, PRIMARY KEY ([TerritoryID]), FOREIGN KEY ([RegionID]) REFERENCES [Regions] ([RegionID]));
CREATE TABLE [EmployeeTerritories] (
  [EmployeeID] INTEGER NOT NULL, [TerritoryID] TEXT NOT NULL, PRIMARY KEY ([EmployeeID], [TerritoryID]),
  FOREIGN KEY ([EmployeeID]) REFERENCES [Employees] ([EmployeeID]), FOREIGN KEY ([TerritoryID]) REFERENCES [Territories] ([TerritoryID])
);
CREATE TABLE [Products] (
  [ProductID] INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, [ProductName] TEXT NOT NULL, [CategoryID] INTEGER, [UnitPrice] NUMERIC DEFAULT 0 CHECK ([UnitPrice] >= 0),
  [UnitsInStock] INTEGER DEFAULT 0, [Discontinued] TEXT NOT NULL DEFAULT '0', FOREIGN KEY ([CategoryID]) REFERENCES [Categories] ([CategoryID])
);
CREATE TABLE [Orders] (
  [OrderID] INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, [CustomerID] TEXT, [EmployeeID] INTEGER, [OrderDate] DATETIME, [Freight] NUMERIC DEFAULT 0,
  FOREIGN KEY ([CustomerID]) REFERENCES [Customers] ([CustomerID]), FOREIGN KEY ([EmployeeID]) REFERENCES [Employees] ([EmployeeID])
);
CREATE TABLE [Order Details] (
  [OrderID] INTEGER NOT NULL, [ProductID] INTEGER NOT NULL, [UnitPrice] NUMERIC NOT NULL DEFAULT 0, [Quantity] INTEGER NOT NULL DEFAULT 1, [Discount] REAL NOT NULL DEFAULT 0,
  PRIMARY KEY ([OrderID], [ProductID]), CHECK ([Discount] >= 0 AND [Discount] <= 1),
  FOREIGN KEY ([OrderID]) REFERENCES [Orders] ([OrderID]), FOREIGN KEY ([ProductID]) REFERENCES [Products] ([ProductID])
);
CREATE VIEW [Current Product List] AS SELECT ProductID, ProductName FROM Products WHERE Discontinued = '0';

INSERT INTO Categories VALUES (1, 'Beverages', 'Soft drinks, coffees, teas', x'00'), (4, 'Dairy Products', 'Cheeses', x'00');
INSERT INTO Customers VALUES ('ALFKI', 'Alfreds Futterkiste', 'Maria Anders', 'Berlin', 'Germany'), ('VINET', 'Vins et alcools Chevalier', 'Paul Henriot', 'Reims', 'France');
INSERT INTO Employees VALUES (2, 'Fuller', 'Andrew', 'Vice President, Sales', '1952-02-19', NULL, NULL), (5, 'Buchanan', 'Steven', 'Sales Manager', '1955-03-04', NULL, 2);
INSERT INTO Regions VALUES (1, 'Eastern');
INSERT INTO Territories VALUES ('01581', 'Westboro', 1);
INSERT INTO EmployeeTerritories VALUES (2, '01581'), (5, '01581');
INSERT INTO Products VALUES (1, 'Chai', 1, 18, 39, '1'), (11, 'Queso Cabrales', 4, 21.5, 22, '0');
INSERT INTO Orders VALUES (10248, 'VINET', 5, '1996-07-04 00:00:00', 32.38);
INSERT INTO [Order Details] VALUES (10248, 11, 14, 12, 0), (10248, 1, 14.4, 10, 0.05);
