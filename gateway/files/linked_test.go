package files_test

import (
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/gateway/s3"
)

func init() { files.LinkedBuckets = s3.Files }
