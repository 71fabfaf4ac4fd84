//go:build !linux

package vault

const helperMode = "JACKFIELD_VAULT_HELPER"

func helper() int { return 1 }
