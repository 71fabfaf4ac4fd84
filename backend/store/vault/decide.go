package vault

import "fmt"

// answer is what the keyring said.
type answer int

const (
	noKeyring answer = iota // there is none to ask
	failed                  // it failed, or did not answer in time
	notFound                // it answered: no such item
	found
)

// facts are everything that the state after asking the keyring depends on.
type facts struct {
	answer  answer
	sealed  int  // rows
	hasKey  bool // a key was made before: there is a canary
	canary  bool // the key that was found opens it
	problem string
}

// action is what has to be done.
type action int

const (
	stay     action = iota // nothing: the state says it all
	use                    // the key that was found
	adopt                  // the key that was found, for which there is no canary yet
	generate               // a new key
)

// decide is the state machine of opening. A key is made only where the keyring says that it has none and nothing is sealed; nothing is ever
// deleted or overwritten here.
func decide(f facts) (action, Status) {
	status := Status{Mode: ModeKeyring, Sealed: f.sealed}
	switch {
	case f.answer == found && f.hasKey && f.canary:
		return use, opened(status)
	case f.answer == found && !f.hasKey && f.sealed == 0:
		return adopt, opened(status)
	case f.answer == found:
		status.State = Mismatch
		status.Detail = fmt.Sprintf("The keyring's key does not open the %s stored here.", secrets(f.sealed))
		status.Hint = "If you restored a backup or another keyring, bring back the one that belongs to it and try again. Nothing was deleted."
		return stay, status
	case f.answer == notFound && f.sealed == 0:
		return generate, opened(status)
	case f.answer == notFound:
		status.State = KeyMissing
		status.Detail = fmt.Sprintf("The key of the %s stored here is not in the keyring.", secrets(f.sealed))
		status.Hint = "Bring back the keyring that holds it and try again, or forget the stored secrets and sign in again. Nothing was deleted."
		return stay, status
	case f.sealed > 0:
		status.State = Unavailable
		status.Detail = fmt.Sprintf("The %s stored here cannot be read: %s.", secrets(f.sealed), f.problem)
		status.Hint = "Unlock or start the keyring and try again. What you enter meanwhile lasts for this run only."
		return stay, status
	}
	status.State = Session
	status.Detail = fmt.Sprintf("Sign-ins and secrets last for this run only: %s.", f.problem)
	status.Hint = "Unlock or start a keyring and try again, or protect them with a passphrase."
	return stay, status
}

func opened(s Status) Status {
	s.State = Open
	s.Detail = "Sign-ins and secrets are sealed; their key is in the keyring."
	if s.Mode == ModePassphrase {
		s.Detail = "Sign-ins and secrets are sealed; their key is protected by your passphrase."
	}
	s.Hint = ""
	return s
}

func locked(sealed int) Status {
	return Status{
		State: Locked, Mode: ModePassphrase, Sealed: sealed,
		Detail: fmt.Sprintf("The %s stored here are locked.", secrets(sealed)), Hint: "Enter your passphrase to unlock them.",
	}
}

func secrets(n int) string {
	if n == 1 {
		return "one secret"
	}
	return fmt.Sprintf("%d secrets", n)
}
