// Package database opens one SQLite file so that two processes may share it, and brings it to the version of the program.
//
// It owns the file's permissions, its lock during migrations, its backups, and the two connection pools: one writer
// connection, because SQLite has one writer anyway and a pool would only turn waiting into SQLITE_BUSY, and a few
// readers that never block on it (WAL). A DB is safe for concurrent use.
package database
