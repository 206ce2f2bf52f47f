module github.com/frondhost/frond/ci/mutation

go 1.26
