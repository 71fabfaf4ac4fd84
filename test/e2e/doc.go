// Package e2e drives the real window: build tag e2e, on a private screen, through the accessibility tree. Go starts, Python
// (desk.py, scenarios.py) drives, since AT-SPI's bindings are there. Screenshots go to build/shots.
package e2e
