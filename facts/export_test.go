package facts

var ErrClosed = errClosed
