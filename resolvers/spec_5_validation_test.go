package resolvers_test

import (
	"testing"
)

// pets is the schema of section 5, with what its subsections add.
const pets = `
schema { query: Query mutation: Mutation }
directive @delegateField(name: String!) repeatable on OBJECT | INTERFACE
directive @twice(n: Int) repeatable on FIELD
directive @onQuery on QUERY
directive @onMutation on MUTATION
directive @onSpread on FRAGMENT_SPREAD
directive @onInline on INLINE_FRAGMENT
directive @onFragment on FRAGMENT_DEFINITION
directive @onVariable on VARIABLE_DEFINITION
directive @sized(n: Int!, m: Int! = 2) on FIELD
type Query {
  dog: Dog human: Human pet: Pet sentient: Sentient catOrDog: CatOrDog dogOrHuman: DogOrHuman humanOrAlien: HumanOrAlien
  arguments: Arguments findDog(searchBy: FindDogInput): Dog booleanList(booleanListArg: [Boolean!]): Boolean
  oneOf(by: By!): Dog list: [Pet!]! any(of: Any): Int resource: Resource
}
type Mutation { addPet(pet: PetInput!): Pet addPets(pets: [PetInput!]!): [Pet] dog: Dog }
enum DogCommand { SIT DOWN HEEL }
enum CatCommand { JUMP }
interface Sentient { name: String! }
interface Pet { name: String! }
interface Node { id: ID! }
interface Resource implements Node { id: ID! url: String }
type Image implements Resource & Node { id: ID! url: String thumbnail: String }
type Dog implements Pet {
  name: String! nickname: String barkVolume: Int doesKnowCommand(dogCommand: DogCommand!): Boolean!
  isHouseTrained(atOtherHomes: Boolean): Boolean! owner: Human mother: Dog friends(first: Int = 1): [Pet] some: [String]
}
type Alien implements Sentient { name: String! homePlanet: String }
type Human implements Sentient { name: String! pets: [Pet!] }
type Cat implements Pet {
  name: String! nickname: String doesKnowCommand(catCommand: CatCommand!): Boolean! meowVolume: Int mother: Cat some: [Int]
}
union CatOrDog = Cat | Dog
union DogOrHuman = Dog | Human
union HumanOrAlien = Human | Alien
scalar Any
input FindDogInput { name: String owner: String deep: FindDogInput tags: [String!] }
input PetInput { name: String! kind: DogCommand = SIT legs: Int! = 4 cat: CatInput dog: DogInput }
input CatInput { name: String! nickname: String meowVolume: Int }
input DogInput { name: String! nickname: String barkVolume: Int }
input By @oneOf { name: String id: ID both: FindDogInput }
type Arguments {
  multipleRequirements(x: Int!, y: Int!): Int!
  booleanArgField(booleanArg: Boolean): Boolean
  floatArgField(floatArg: Float): Float
  intArgField(intArg: Int): Int
  stringArgField(stringArg: String): String
  idArgField(idArg: ID): ID
  enumArgField(enumArg: DogCommand): Int
  nonNullBooleanArgField(nonNullBooleanArg: Boolean!): Boolean!
  booleanListArgField(booleanListArg: [Boolean]!): [Boolean]
  nonNullBooleanListField(nonNullBooleanListArg: [Boolean!]): [Boolean]
  optionalNonNullBooleanArgField(optionalBooleanArg: Boolean! = false): Boolean!
}`

// TestValidation: section 5, each rule by its examples and its counter-examples,
// with the places that the answer names, error by error.
func TestValidation(t *testing.T) {
	e := spoken(t, pets, world{})
	for section, rows := range validationCases {
		t.Run(section, func(t *testing.T) {
			for _, c := range rows {
				a := asked(t, e, c.document, "")
				refused := a.Data == nil && len(a.Errors) > 0 && a.Errors[0].Extensions.Code == "GRAPHQL_VALIDATION_FAILED"
				parsed := len(a.Errors) == 0 || a.Errors[0].Extensions.Code != "GRAPHQL_PARSE_FAILED"
				switch want := c.want; {
				case want == "" && (refused || !parsed):
					t.Errorf("%s\nis refused: %+v", c.document, a.Errors)
				case want == "parse" && parsed, want != "" && want != "parse" && !refused:
					t.Errorf("%s\nis not refused (%s): %+v", c.document, want, a.Errors)
				case want != "" && want != "parse" && a.places() != want:
					t.Errorf("%s\nis refused at %s, want %s: %+v", c.document, a.places(), want, a.Errors)
				}
			}
		})
	}
}

// validation are documents by rule: what they are refused for, "" where they are
// valid. "parse": what the grammar does not let pass here.
var validationCases = map[string][]struct{ document, want string }{
	"5.1.1 executable definitions": {
		{`{ dog { name } } type Extra { x: Int }`, `parse`},
		{`{ dog { name } } extend type Dog { color: String }`, `parse`},
	},
	"5.2.1.1 operation type existence": {
		{`query { dog { name } }`, ``},
		{`mutation { dog { name } }`, ``},
		{`subscription { dog { name } }`, `1:1`},
	},
	"5.2.2.1 operation name uniqueness": {
		{`query getDogName { dog { name } } query getOwnerName { dog { owner { name } } }`, ``},
		{`query getName { dog { name } } query getName { dog { owner { name } } }`, `1:32`},
		{`query dogOperation { dog { name } } mutation dogOperation { dog { name } }`, `1:37`},
	},
	"5.2.3.1 lone anonymous operation": {
		{`{ dog { name } }`, ``},
		{`{ dog { name } } query getName { dog { owner { name } } }`, `1:1`},
		{`{ dog { name } } { dog { name } }`, `1:1 1:18`},
		{`{ dog { name } } mutation { dog { name } }`, `1:1 1:18`},
	},
	"5.3.1 field selections": {
		{`fragment fieldNotDefined on Dog { meowVolume } { dog { ...fieldNotDefined } }`, `1:35`},
		{`fragment f on Dog { barkVolume: kawVolume } { dog { ...f } }`, `1:21`},
		{`fragment f on Pet { name } { dog { ...f } }`, ``},
		{`fragment f on Pet { nickname } { dog { ...f } }`, `1:21`},
		{`fragment f on CatOrDog { __typename ... on Pet { name } ... on Dog { barkVolume } } { catOrDog { ...f } }`, ``},
		{`fragment f on CatOrDog { name barkVolume } { catOrDog { ...f } }`, `1:26 1:31`},
		{`{ dog { __typename } __typename pet { __typename } }`, ``},
		{`{ dog { __schema { queryType { name } } } }`, `1:9`},
		{`mutation { __schema { queryType { name } } }`, `1:12`},
		{`{ nope }`, `1:3`},
		{"{\n  dog {\n    \"é\" } }", `parse`},
		{"{\n  dog {\n    nope } }", `3:5`},
		{"{\r\n  dog {\r\n\r    nope } }", `4:5`},
		{"{ findDog(searchBy: {name: \"\"\"a\n  b\n\"\"\"}) {\n nope } }", `4:2`},
		{"{ findDog(searchBy: {nope: \"\"\"a\n  b\n\"\"\"}) {\n name } }", `1:22`},
		{"{ arguments { intArgField(intArg:\n \"\"\"a\n  b\n\"\"\") } }", `2:2`},
		{"\uFEFF{ dog { name } ...,\n # why\n a ... @nope { dog { name } } }", `3:2 3:8`},
		{"{ findDog(searchBy: {name: \"é😀\"}) { nope } }", `1:37`},
	},
	"5.3.2 field selection merging": {
		{`{ dog { name name } }`, ``},
		{`{ dog { otherName: name otherName: name } }`, ``},
		{`{ dog { name: nickname name } }`, `1:9+1:24`},
		{`{ dog { doesKnowCommand(dogCommand: SIT) doesKnowCommand(dogCommand: SIT) } }`, ``},
		{`query($c: DogCommand!) { dog { doesKnowCommand(dogCommand: $c) doesKnowCommand(dogCommand: $c) } }`, ``},
		{`{ dog { doesKnowCommand(dogCommand: SIT) doesKnowCommand(dogCommand: HEEL) } }`, `1:9+1:42`},
		{`query($c: DogCommand!) { dog { doesKnowCommand(dogCommand: SIT) doesKnowCommand(dogCommand: $c) } }`, `1:32+1:65`},
		{`query($a: DogCommand!, $b: DogCommand!) { dog { doesKnowCommand(dogCommand: $a) doesKnowCommand(dogCommand: $b) } }`, `1:49+1:81`},
		{`{ dog { isHouseTrained(atOtherHomes: true) isHouseTrained } }`, `1:9+1:44`},
		{`{ findDog(searchBy: {name: "a", owner: "b"}) { name } findDog(searchBy: {owner: "b", name: "a"}) { nickname } }`, ``},
		{`{ findDog(searchBy: {name: "a"}) { name } findDog(searchBy: {name: "b"}) { name } }`, `1:3+1:43`},
		{`{ pet { ... on Dog { volume: barkVolume } ... on Cat { volume: meowVolume } } }`, ``},
		{`{ pet { ... on Dog { doesKnowCommand(dogCommand: SIT) } ... on Cat { doesKnowCommand(catCommand: JUMP) } } }`, ``},
		{`{ pet { ... on Dog { someValue: nickname } ... on Cat { someValue: meowVolume } } }`, `1:22+1:57`},
		{`{ pet { ... on Dog { someValue: name } ... on Cat { someValue: nickname } } }`, `1:22+1:53`},
		{`{ pet { ... on Dog { some } ... on Cat { some } } }`, `1:22+1:42`},
		{`{ pet { ... on Dog { mother { x: name } } ... on Cat { mother { x: nickname } } } }`, `1:31+1:65`},
		{`{ pet { ... on Dog { mother { x: nickname } } ... on Cat { mother { x: nickname } } } }`, ``},
		{`{ dog { mother { x: name } mother { x: nickname } } }`, `1:18+1:37`},
		{`{ pet { name ... on Dog { name: nickname } } }`, `1:9+1:27`},
		{`{ ...a ...b } fragment a on Query { dog { x: name } } fragment b on Query { dog { x: barkVolume } }`, `1:43+1:83`},
		{`{ dog { __typename name: __typename } pet { x: name x: __typename } }`, `1:45+1:53`},
	},
	"5.3.3 leaf field selections": {
		{`{ dog { barkVolume } }`, ``},
		{`{ dog { barkVolume { sinceWhen } } }`, `1:9`},
		{`{ human }`, `1:3`},
		{`{ pet }`, `1:3`},
		{`{ catOrDog }`, `1:3`},
		{`{ dog { friends } }`, `1:9`},
		{`{ dog { some { x } } }`, `1:9`},
		{`{ dog { __typename { x } } }`, `1:9`},
		{`{ dog {} }`, `parse`},
	},
	"5.4.1 argument names": {
		{`{ dog { doesKnowCommand(dogCommand: SIT) } }`, ``},
		{`{ arguments { booleanArgField(booleanArg: true) @include(if: true) } }`, ``},
		{`{ dog { isHouseTrained(at: true) } }`, `1:24`},
		{`{ dog { doesKnowCommand(command: CLEAN_UP_HOUSE) } }`, `1:25 1:9`},
		{`{ dog { isHouseTrained(atOtherHomes: true) @include(unless: false) } }`, `1:53 1:44`},
		{`{ dog { name(x: 1) } }`, `1:14`},
		{`{ arguments { multipleRequirements(x: 1, y: 2) other: multipleRequirements(y: 1, x: 2) } }`, ``},
	},
	"5.4.2 argument uniqueness": {
		{`{ arguments { intArgField(intArg: 1, intArg: 2) } }`, `1:38`},
		{`{ arguments { intArgField(intArg: 1, intArg: 1, intArg: 1) } }`, `1:38 1:49`},
		{`{ dog { name @skip(if: true, if: true) } }`, `1:30`},
	},
	"5.4.3 required arguments": {
		{`{ arguments { booleanArgField(booleanArg: true) nonNullBooleanArgField(nonNullBooleanArg: true) } }`, ``},
		{`{ arguments { booleanArgField } }`, ``},
		{`{ arguments { optionalNonNullBooleanArgField } }`, ``},
		{`{ arguments { nonNullBooleanArgField } }`, `1:15`},
		{`{ arguments { nonNullBooleanArgField(nonNullBooleanArg: null) } }`, `1:57`},
		{`{ arguments { multipleRequirements } }`, `1:15 1:15`},
		{`{ arguments { multipleRequirements(x: 1) } }`, `1:15`},
		{`{ dog @sized(n: 1) { name } }`, ``},
		{`{ dog @sized { name } }`, `1:7`},
		{`{ dog { name @include } }`, `1:14`},
	},
	"5.5.1.1 fragment name uniqueness": {
		{`{ dog { ...a ...b } } fragment a on Dog { name } fragment b on Dog { owner { name } }`, ``},
		{`{ dog { ...a } } fragment a($n: Int) on Dog { name }`, `1:29`},
		{`{ dog { ...a } } fragment a on Dog { name } fragment a on Dog { owner { name } }`, `1:45`},
	},
	"5.5.1.2 fragment spread type existence": {
		{`{ dog { ...a } } fragment a on Dog { name }`, ``},
		{`{ dog { ... on Dog { name } } }`, ``},
		{`{ dog { ... @include(if: true) { name } } }`, ``},
		{`{ dog { ...a } } fragment a on NotInSchema { name }`, `1:32`},
		{"query($on: Any) { any(of: $on) dog { ...a } } fragment a #on Int\n on NotInSchema { name }", `2:5`},
		{"{ any(of: \"\"\"é \n\n\"\"\") dog { ... @include(if: true) { ...\n#\non NotInSchema { name } } } }", `5:4`},
		{"{ dog { ... #\n@include(if: true) #...\n { ...#\non NotInSchema { name } } } }", `4:4`},
		{`{ dog { ... on NotInSchema { name } } }`, `1:16`},
	},
	"5.5.1.3 fragments on object, interface or union types": {
		{`{ dog { ...a ...b } } fragment a on Dog { name } fragment b on CatOrDog { ... on Dog { name } }`, ``},
		{`{ dog { ...a } } fragment a on Int { something }`, `1:32`},
		{`{ dog { ... on Boolean { somethingElse } } }`, `1:16`},
		{`{ dog { ...a } } fragment a on FindDogInput { name }`, `1:32`},
		{`{ dog { ... on DogCommand { x } } }`, `1:16`},
	},
	"5.5.1.4 fragments must be used": {
		{`{ dog { name } } fragment nameFragment on Dog { name }`, `1:18`},
		{`{ dog { ...a } } fragment a on Dog { ...b } fragment b on Dog { name } fragment c on Dog { ...d } fragment d on Dog { name }`, `1:72 1:99`},
	},
	"5.5.2.1 fragment spread target defined": {
		{`{ dog { ...undefinedFragment } }`, `1:9`},
	},
	"5.5.2.2 fragment spreads form no cycles": {
		{`{ dog { ...a } } fragment a on Dog { name ...b } fragment b on Dog { barkVolume ...a }`, `1:81`},
		{`{ dog { ...a } } fragment a on Dog { name owner { ...o } } fragment o on Human { name pets { ...a } }`, `1:94`},
		{`{ dog { ...a } } fragment a on Dog { ...a }`, `1:38`},
		{`{ dog { ...a } } fragment a on Dog { mother { ... on Dog { ...a } } }`, `1:60`},
	},
	"5.5.2.3 fragment spread is possible": {
		{`{ dog { ... on Dog { barkVolume } } }`, ``},
		{`{ dog { ... on Cat { meowVolume } } }`, `1:9`},
		{`{ dog { ...a } } fragment a on Pet { name }`, ``},
		{`{ dog { ...a } } fragment a on CatOrDog { ... on Cat { meowVolume } }`, ``},
		{`{ pet { ...a } } fragment a on Pet { name ... on Dog { barkVolume } }`, ``},
		{`{ catOrDog { ...a } } fragment a on CatOrDog { ... on Cat { meowVolume } }`, ``},
		{`{ sentient { ... on Dog { barkVolume } } }`, `1:14`},
		{`{ humanOrAlien { ... on Cat { meowVolume } } }`, `1:18`},
		{`{ pet { ...a } } fragment a on DogOrHuman { ... on Dog { barkVolume } }`, ``},
		{`{ pet { ...a } } fragment a on Sentient { name }`, `1:9`},
		{`{ resource { ... on Node { id } } }`, ``},
		{`{ resource { ... on Image { thumbnail ... on Node { id ... on Resource { url } } } } }`, ``},
		{`{ humanOrAlien { ... on Sentient { name } ... on DogOrHuman { __typename } } }`, ``},
		{`{ humanOrAlien { ... on CatOrDog { __typename } } }`, `1:18`},
	},
	"5.6.1 values of correct type": {
		{`{ arguments { booleanArgField(booleanArg: true) } }`, ``},
		{`{ arguments { floatArgField(floatArg: 1) } }`, ``},
		{`{ arguments { intArgField(intArg: "123") } }`, `1:35`},
		{`{ arguments { intArgField(intArg: 2147483648) } }`, `1:35`},
		{`{ arguments { intArgField(intArg: 1.0) } }`, `1:35`},
		{`{ arguments { booleanArgField(booleanArg: 1) } }`, `1:43`},
		{`{ arguments { stringArgField(stringArg: 1) } }`, `1:41`},
		{`{ arguments { stringArgField(stringArg: SIT) } }`, `1:41`},
		{`{ arguments { idArgField(idArg: 1.5) } }`, `1:33`},
		{`{ arguments { idArgField(idArg: [1]) } }`, `1:33`},
		{`{ arguments { floatArgField(floatArg: "1") } }`, `1:39`},
		{`{ arguments { enumArgField(enumArg: "SIT") } }`, `1:37`},
		{`{ arguments { enumArgField(enumArg: JUMP) } }`, `1:37`},
		{`{ arguments { enumArgField(enumArg: true) } }`, `1:37`},
		{`{ arguments { booleanListArgField(booleanListArg: [true, 1, null]) } }`, `1:58`},
		{`{ arguments { booleanListArgField(booleanListArg: true) } }`, ``},
		{`{ arguments { nonNullBooleanListField(nonNullBooleanListArg: [true, null]) } }`, `1:69`},
		{`{ findDog(searchBy: {name: "Fido"}) { name } }`, ``},
		{`{ findDog(searchBy: "Fido") { name } }`, `1:21`},
		{`{ findDog(searchBy: {name: 1, deep: {owner: 2}}) { name } }`, `1:28 1:45`},
		{`query goodComplexDefaultValue($search: FindDogInput = {name: "Fido"}) { findDog(searchBy: $search) { name } }`, ``},
		{`query($search: FindDogInput = {name: 123}) { findDog(searchBy: $search) { name } }`, `1:38`},
		{`query($n: Int = "1") { arguments { intArgField(intArg: $n) } }`, `1:17`},
		{`query($n: Int! = null) { arguments { intArgField(intArg: $n) } }`, `1:18`},
		{`{ any(of: {a: [1, "x", E, null]}) }`, ``},
		{`{ dog { name @skip(if: "yes") } }`, `1:24`},
		{`{ dog { name @skip(if: null) } }`, `1:24`},
	},
	"5.6.2 input object field names": {
		{`{ findDog(searchBy: {name: "Fido"}) { name } }`, ``},
		{`{ findDog(searchBy: {favoriteCookieFlavor: "Bacon"}) { name } }`, `1:22`},
		{`query($s: FindDogInput = {deep: {nope: 1}}) { findDog(searchBy: $s) { name } }`, `1:34`},
	},
	"5.6.3 input object field uniqueness": {
		{`{ findDog(searchBy: {name: "a", name: "b"}) { name } }`, `1:33`},
		{`{ findDog(searchBy: {deep: {owner: "a", owner: "b"}}) { name } }`, `1:41`},
		{`{ findDog(searchBy: {name: "a", deep: {name: "b"}}) { name } }`, ``},
		{`{ any(of: {a: 1, a: 2}) }`, `1:18`},
	},
	"5.6.4 input object required fields": {
		{`mutation { addPet(pet: {name: "a"}) { name } }`, ``},
		{`mutation { addPet(pet: {}) { name } }`, `1:24`},
		{`mutation { addPet(pet: {name: null}) { name } }`, `1:31`},
		{`mutation { addPet(pet: {name: "a", legs: null}) { name } }`, `1:42`},
		{`mutation { addPet(pet: {name: "a", kind: null}) { name } }`, ``},
		{`mutation { addPets(pets: [{name: "a"}, {cat: {nickname: "b"}}]) { name } }`, `1:46 1:40`},
	},
	"5.6.1 one-of input objects": {
		{`{ oneOf(by: {name: "a"}) { name } }`, ``},
		{`{ oneOf(by: {name: "a", id: 1}) { name } }`, `1:13`},
		{`{ oneOf(by: {}) { name } }`, `1:13`},
		{`{ oneOf(by: {name: null}) { name } }`, `1:20`},
		{`query($n: String!) { oneOf(by: {name: $n}) { name } }`, ``},
		{`query($n: String) { oneOf(by: {name: $n}) { name } }`, `1:7+1:38`},
		{`query($b: By!) { oneOf(by: $b) { name } }`, ``},
	},
	"5.7.1 directives are defined": {
		{`{ dog { name @unknown } }`, `1:14`},
		{`query @unknown { dog @unknown { ... @unknown { name } } }`, `1:7 1:22 1:37`},
		{`{ dog { name @skip(if: false) @include(if: true) } }`, ``},
	},
	"5.7.2 directives are in valid locations": {
		{`query @skip(if: true) { dog { name } }`, `1:7`},
		{`query @onQuery { dog { ... @onInline { name } ...a @onSpread } } fragment a on Dog @onFragment { name }`, ``},
		{`query($n: Int @onVariable) { arguments { intArgField(intArg: $n) } }`, ``},
		{`query($n: Int @onQuery) { arguments { intArgField(intArg: $n) } }`, `1:15`},
		{`query @onMutation { dog @onQuery { ... @onSpread { name } ...a @onInline } } fragment a on Dog @onQuery { name }`, `1:7 1:25 1:40 1:64 1:96`},
		{`mutation @onMutation { dog { name } }`, ``},
		{`{ dog { name @deprecated } }`, `1:14`},
	},
	"5.7.3 directives are unique per location": {
		{`query($foo: Boolean = true, $bar: Boolean = false) { dog @skip(if: $foo) @skip(if: $bar) { name } }`, `1:74`},
		{`query($foo: Boolean = true, $bar: Boolean = false) { dog @skip(if: $foo) { name } dog @skip(if: $bar) { nickname } }`, ``},
		{`{ dog { name @twice(n: 1) @twice(n: 2) } }`, ``},
	},
	"5.8.1 variable uniqueness": {
		{`query q($a: Boolean, $a: Boolean) { dog { isHouseTrained(atOtherHomes: $a) } }`, `1:22`},
		{`query A($a: Boolean) { ...h } query B($a: Boolean) { ...h } fragment h on Query { dog { isHouseTrained(atOtherHomes: $a) } }`, ``},
	},
	"5.8.2 variables are input types": {
		{`query q($a: Boolean, $b: FindDogInput, $c: [[ID!]!]!) { any(of: [$a, $b, $c]) }`, ``},
		{`query q($c: Cat) { any(of: $c) }`, `1:13 1:9+1:28`},
		{`query q($c: Dog!) { any(of: $c) }`, `1:13 1:9+1:29`},
		{`query q($c: [Pet]) { any(of: $c) }`, `1:13 1:9+1:30`},
		{`query q($c: CatOrDog) { any(of: $c) }`, `1:13 1:9+1:33`},
		{`query q($c: Nope) { any(of: $c) }`, `1:13`},
		{`query q($c: [[Nope]!]) { any(of: $c) }`, `1:15`},
		{`query q($c: [ [Cat]!]) { any(of: $c) }`, `1:13 1:9+1:34`},
		{"query q(\r\n$c: Nope) { any(of: $c) }", `2:5`},
	},
	"5.8.3 all variable uses defined": {
		{`query q($a: Boolean) { dog { isHouseTrained(atOtherHomes: $a) } }`, ``},
		{`query q { dog { isHouseTrained(atOtherHomes: $a) } }`, `1:46+1:1`},
		{`query q { dog { ...f } } fragment f on Dog { isHouseTrained(atOtherHomes: $a) }`, `1:75+1:1`},
		{`query q { dog { ...o } } fragment o on Dog { ...f } fragment f on Dog { isHouseTrained(atOtherHomes: $a) }`, `1:102+1:1`},
		{`query A($a: Boolean) { dog { ...f } } query B { dog { ...f } } fragment f on Dog { isHouseTrained(atOtherHomes: $a) }`, `1:113+1:39`},
		{`{ any(of: {a: [$n]}) }`, `1:16+1:1`},
		{`{ dog @skip(if: $b) { name } }`, `1:17+1:1`},
	},
	"5.8.4 all variables used": {
		{`query q($a: Boolean) { dog { isHouseTrained } }`, `1:9`},
		{`query q($a: Boolean) { dog { ...f } } fragment f on Dog { isHouseTrained(atOtherHomes: $a) }`, ``},
		{`query q($a: Boolean) { dog { ...f } } fragment f on Dog { isHouseTrained }`, `1:9`},
		{`query q($a: Boolean, $b: Int) { dog { isHouseTrained(atOtherHomes: $a) } }`, `1:22`},
		{`query A($a: Boolean) { dog { ...f } } query B($a: Boolean, $b: Int) { dog { ...f } } fragment f on Dog { isHouseTrained(atOtherHomes: $a) }`, `1:60`},
		{`query q($a: Boolean!) { dog @include(if: $a) { name } }`, ``},
	},
	"5.8.5 all variable usages are allowed": {
		{`query q($i: Int) { arguments { booleanArgField(booleanArg: $i) } }`, `1:9+1:60`},
		{`query q($l: [Boolean]) { arguments { booleanArgField(booleanArg: $l) } }`, `1:9+1:66`},
		{`query q($a: Boolean) { arguments { nonNullBooleanArgField(nonNullBooleanArg: $a) } }`, `1:9+1:78`},
		{`query q($l: [Boolean!]) { arguments { nonNullBooleanListField(nonNullBooleanListArg: $l) } }`, ``},
		{`query q($l: [Boolean]) { arguments { nonNullBooleanListField(nonNullBooleanListArg: $l) } }`, `1:9+1:85`},
		{`query q($a: Boolean) { arguments { optionalNonNullBooleanArgField(optionalBooleanArg: $a) } }`, ``},
		{`query q($a: Boolean = true) { arguments { nonNullBooleanArgField(nonNullBooleanArg: $a) } }`, ``},
		{`query q($a: Boolean = null) { arguments { nonNullBooleanArgField(nonNullBooleanArg: $a) } }`, `1:9+1:85`},
		{`query q($a: Boolean) { arguments { booleanListArgField(booleanListArg: [$a]) } }`, ``},
		{`query q($a: Boolean) { arguments { booleanListArgField(booleanListArg: $a) } }`, `1:9+1:72`},
		{`query q($a: Boolean) { arguments { nonNullBooleanListField(nonNullBooleanListArg: [$a]) } }`, `1:9+1:84`},
		{`query q($a: Boolean!) { arguments { nonNullBooleanListField(nonNullBooleanListArg: [$a]) } }`, ``},
		{`query q($s: String) { findDog(searchBy: {tags: [$s]}) { name } }`, `1:9+1:49`},
		{`query q($s: [String!]) { findDog(searchBy: {tags: $s, deep: {name: $s}}) { name } }`, `1:9+1:68`},
		{`query q($n: Int) { dog { name @skip(if: $n) } }`, `1:9+1:41`},
		{`query q($b: Boolean) { dog { name @skip(if: $b) } }`, `1:9+1:45`},
		{`query q($b: Boolean = false) { dog { name @skip(if: $b) } }`, ``},
		{`mutation m($n: Int) { addPet(pet: {name: "a", legs: $n}) { name } }`, ``},
		{`mutation m($n: String) { addPet(pet: {name: $n}) { name } }`, `1:12+1:45`},
		{`query A($a: Int) { ...f } query B($a: String) { ...f } fragment f on Query { arguments { intArgField(intArg: $a) } }`, `1:35+1:110`},
		{`query q($a: ID) { arguments { stringArgField(stringArg: $a) } }`, `1:9+1:57`},
		{`query q($a: Int) { arguments { floatArgField(floatArg: $a) } }`, `1:9+1:56`},
	},
}
