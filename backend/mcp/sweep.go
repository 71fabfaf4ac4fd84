package mcp

import "jackfield/backend/mcp/wire"

// Sweeps says whether Sweep can find anything on this system.
const Sweeps = wire.Sweeps

// Sweep ends the processes that a run of this program left behind because it was killed. Start with restore does so, too.
func Sweep() error { return wire.Sweep() }
