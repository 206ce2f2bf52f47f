package sample

// The words that rows are made of. Hosts and addresses are reserved for the examples of
// documents (RFC 2606, RFC 5737), telephone numbers for films.

// firstNames and lastNames are parts of the names of persons; a company is called by a last
// name and one of companyForms.
var firstNames = []string{
	"Ada", "Amara", "Anton", "Beatriz", "Chiara", "Daniel", "Elif", "Emre", "Farah", "Felix", "Greta", "Hana", "Ines", "Ivo",
	"Jonas", "Kamala", "Lena", "Luca", "Maja", "Mateo", "Mina", "Nadia", "Noah", "Olga", "Pavel", "Priya", "Rosa", "Samir", "Tariq", "Yuki",
}

var lastNames = []string{
	"Abara", "Almeida", "Bauer", "Castillo", "Dahl", "Eriksen", "Ferrari", "Fischer", "Garcia", "Haddad", "Ivanova", "Jansen",
	"Kaya", "Kowalski", "Lindgren", "Moreau", "Nakamura", "Novak", "Okafor", "Petrov", "Quinn", "Rahman", "Santos", "Tanaka", "Vogel", "Weber",
}

var companyForms = []string{"Works", "& Sons", "Trading", "Supply", "Studio", "Partners", "Foods", "Logistics"}

// adjectives and nouns are the two parts of a thing's name.
var adjectives = []string{
	"Copper", "Linen", "Walnut", "Enamel", "Folding", "Compact", "Quiet", "Amber", "Slate", "Woven", "Brass", "Cedar", "Glazed", "Ribbed", "Travel", "Double",
}

var nouns = []string{
	"kettle", "apron", "lamp", "notebook", "grinder", "basket", "stool", "bottle", "blanket", "teapot", "tray", "clock", "scale", "shelf", "mug", "satchel",
}

// topics are titles of texts: posts, reviews, tasks.
var topics = []string{
	"A week without a timetable", "What the old maps leave out", "Notes from the first frost", "Better than expected", "How we moved the workshop",
	"Three ways to begin again", "The long road to a short list", "Worth the wait", "Small repairs, large effects", "Questions we get every spring",
	"Not what I ordered", "A quiet place to work", "Looking after cast iron", "One year on", "The view from the kitchen",
}

// sentences are what descriptions and bodies are made of.
var sentences = []string{
	"It arrived sooner than we thought and works as it should.", "The handle stays cool, which is more than can be said of the old one.",
	"Ask for the blue one if there is a choice.", "We measured twice and still had to cut again.", "Nobody noticed the change, and that was the point.",
	"Keep it dry and it will outlast the shelf it stands on.", "The second attempt took half as long as the first.",
	"There is a note about this on the inside of the lid.", "Two of them fit side by side.", "It is lighter than it looks.",
}

// labels are tags, and fillers of texts that have to be longer.
var labels = []string{
	"amber", "basalt", "cobalt", "dawn", "ember", "fern", "granite", "harbour", "indigo", "juniper", "kelp", "lichen", "maple", "north", "olive", "pine",
}

// place is a town with what belongs to it: a row's city, country, currency and zone agree.
type place struct{ city, region, postcode, country, code, currency, zone, locale string }

var places = []place{
	{"Lisbon", "Lisboa", "1100-148", "Portugal", "PT", "EUR", "Europe/Lisbon", "pt-PT"},
	{"Gdansk", "Pomerania", "80-831", "Poland", "PL", "PLN", "Europe/Warsaw", "pl-PL"},
	{"Bergen", "Vestland", "5003", "Norway", "NO", "NOK", "Europe/Oslo", "nb-NO"},
	{"Graz", "Styria", "8010", "Austria", "AT", "EUR", "Europe/Vienna", "de-AT"},
	{"Utrecht", "Utrecht", "3511 LN", "Netherlands", "NL", "EUR", "Europe/Amsterdam", "nl-NL"},
	{"Lyon", "Rhône", "69002", "France", "FR", "EUR", "Europe/Paris", "fr-FR"},
	{"Leeds", "Yorkshire", "LS1 4AP", "United Kingdom", "GB", "GBP", "Europe/London", "en-GB"},
	{"Portland", "Oregon", "97205", "United States", "US", "USD", "America/Los_Angeles", "en-US"},
	{"Osaka", "Kansai", "530-0001", "Japan", "JP", "JPY", "Asia/Tokyo", "ja-JP"},
	{"Nairobi", "Nairobi", "00100", "Kenya", "KE", "KES", "Africa/Nairobi", "en-KE"},
}

var streets = []string{"Harbour Street", "Mill Lane", "Station Road", "Linden Avenue", "Market Square", "Chapel Hill", "River Walk", "Orchard Row"}

var colours = []string{"black", "white", "grey", "navy", "olive", "red", "amber", "teal"}
