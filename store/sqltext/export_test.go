package sqltext

var JoinKey = joinKey
