package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// isCertificate reports whether a handshake failed on the receiver's certificate.
func isCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &unknown)
}
