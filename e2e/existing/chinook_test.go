package existing_test

import "testing"

func TestChinook(t *testing.T) {
	db := open(t, "chinook.sqlite.sql")
	unchanged(t, db)
	ask, _ := serve(t, db, nil)
	same(t, `{"data": {"artists": {"total": 3, "items": [
		{"name": "AC/DC", "albums": {"items": [
			{"title": "For Those About To Rock We Salute You", "tracks": {"items": [{"name": "For Those About To Rock (We Salute You)", "unitPrice": 0.99, "genre": {"name": "Rock"}}]}},
			{"title": "Let There Be Rock", "tracks": {"items": [{"name": "Go Down", "unitPrice": 1.99, "genre": {"name": "Rock"}}]}}]}},
		{"name": "Accept", "albums": {"items": [
			{"title": "Balls to the Wall", "tracks": {"items": [{"name": "Balls to the Wall", "unitPrice": 0.99, "genre": {"name": "Rock"}}]}},
			{"title": "Restless and Wild", "tracks": {"items": [{"name": "Fast As a Shark", "unitPrice": 0.99, "genre": {"name": "Rock"}}]}}]}},
		{"name": "Aerosmith", "albums": {"items": []}}]}}}`,
		ask(`{ artists(orderBy: [{name: ASC}]) { total items { name albums { items { title tracks { items { name unitPrice genre { name } } } } } } } }`))
	same(t, `{"data": {"invoices": {"items": [{"invoiceId": 2, "invoiceDate": "2009-01-02 00:00:00", "customer": {"supportRep": {"reportsTo": {"lastName": "Edwards"}}}}]}}}`,
		ask(`{ invoices(filter: {invoiceDate: {gte: "2009-01-02"}, customer: {country: {eq: "Brazil"}}}) { items { invoiceId invoiceDate customer { supportRep { reportsTo { lastName } } } } } }`))
	same(t, `{"data": {"playlistTrack": {"id": "1,3", "track": {"name": "Fast As a Shark"}}, "next": {"items": [{"id": "1,3"}, {"id": "2,1"}], "hasMore": true}}}`,
		ask(`{ playlistTrack(id: "1,3") { id track { name } } next: playlistTracks(first: 2, after: "`+cursor(t, ask, `{ playlistTracks(first: 2) { endCursor } }`)+`") { items { id } hasMore } }`))
	same(t, `{"data": {"createArtist": {"artistId": 4, "name": "Björk"}, "createPlaylistTrack": {"id": "2,4"}, "deletePlaylistTrack": true, "updateTrack": {"composer": null}}}`,
		ask(`mutation { createArtist(input: {name: "Björk"}) { artistId name } createPlaylistTrack(input: {playlistId: 2, trackId: 4}) { id } deletePlaylistTrack(id: "2,4") updateTrack(id: 1, input: {composer: null}) { composer } }`))
}
