package delivery

type Lease = lease

const LeaseTime = leaseTime

var NewLease = newLease
