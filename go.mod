module github.com/frondhost/frond

go 1.26.0

require github.com/graphql-go/graphql v0.8.1
