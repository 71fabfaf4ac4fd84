// Package planted signs in to a server whose secrets are known, uses every way in which the program keeps or prints something, and then
// looks for the secrets in all of it.
package planted
