package existing_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/adopt"
)

// TestNorthwind: both forms of the database answer alike where their names do.
func TestNorthwind(t *testing.T) {
	for _, file := range []string{"northwind.sqlite.sql", "northwind.postgres.sql"} {
		t.Run(file, func(t *testing.T) {
			db := open(t, file)
			unchanged(t, db)
			ask, _ := serve(t, db, &adopt.Options{Keys: map[string][]string{"Current Product List": {"ProductID"}}})
			same(t, `{"data": {"customers": {"items": [{"companyName": "Vins et alcools Chevalier", "orders": {"items": [
				{"orderId": 10248, "employee": {"lastName": "Buchanan", "reportsTo": {"lastName": "Fuller", "employeesByReportsTo": {"items": [{"lastName": "Buchanan"}]}}},
				 "orderDetails": {"total": 2, "items": [
					{"id": "10248,1", "quantity": 10, "discount": 0.05, "product": {"productName": "Chai", "category": {"categoryName": "Beverages"}}},
					{"id": "10248,11", "quantity": 12, "discount": 0, "product": {"productName": "Queso Cabrales", "category": {"categoryName": "Dairy Products"}}}]}}]}}]}}}`,
				ask(`{ customers(filter: {orders: {some: {orderDetails: {some: {product: {productName: {startsWith: "Ch"}}}}}}}) { items { companyName orders { items { orderId
					employee { lastName reportsTo { lastName employeesByReportsTo { items { lastName } } } }
					orderDetails { total items { id quantity discount product { productName category { categoryName } } } } } } } } }`))
			same(t, `{"data": {"employeeTerritory": {"id": "5,01581", "territory": {"region": {"regionDescription": "Eastern"}}}, "none": null, "employees": {"items": [{"birthDate": "1955-03-04"}]}}}`,
				ask(`{ employeeTerritory(id: "5,01581") { id territory { region { regionDescription } } } none: employeeTerritory(id: "5,1581,") { id }
					employees(filter: {birthDate: {gt: "1953-01-01", lt: "1960-01-01"}}) { items { birthDate } } }`))
			same(t, `{"data": {"createCustomer": {"customerId": "NEWCO", "city": null}, "createOrderDetail": null, "updateOrderDetail": {"id": "10248,1", "quantity": 20}, "deleteOrderDetail": true, "gone": false},
				"errors": [{"message": "orderId and productId are already taken together; change one of them", "path": ["createOrderDetail"]}]}`,
				withoutDetails(t, ask(`mutation { createCustomer(input: {customerId: "NEWCO", companyName: "New"}) { customerId city }
					createOrderDetail(input: {orderId: 10248, productId: 1, unitPrice: 1, quantity: 1, discount: 0}) { id }
					updateOrderDetail(id: "10248,1", input: {quantity: 20}) { id quantity } deleteOrderDetail(id: "10248,1") gone: deleteOrderDetail(id: "10248,1") }`)))
			if file == "northwind.sqlite.sql" {
				same(t, `{"data": {"currentProductLists": {"items": [{"productName": "Queso Cabrales"}]}}}`, ask(`{ currentProductLists { items { productName } } }`))
			}
		})
	}
}

// TestNorthwindReport holds what is said of the database beside its cards.
func TestNorthwindReport(t *testing.T) {
	_, made := project(t, open(t, "northwind.sqlite.sql"), nil)
	want := []string{
		"left out Categories.Picture: BLOB: it holds bytes, which a row of JSON cannot carry",
		"left out Current Product List: a view has no primary key; name the columns that identify a row: --view-key Current Product List=COLUMN",
		"left out Employees.Photo: BLOB: it holds bytes, which a row of JSON cannot carry",
		"restricted EmployeeTerritories: no update: a row has no field to change except its key",
		"join table EmployeeTerritories: employeeTerritory connects employee and territory: it is an entity of its own, with a relation to each",
		"join table Order Details: orderDetail connects order and product: it is an entity of its own, with a relation to each",
	}
	got := report(made)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
