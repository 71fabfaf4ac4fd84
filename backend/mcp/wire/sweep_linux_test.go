package wire

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestKilledProgramsLeaveNothingBehind(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(path)
	owner.Env = append(os.Environ(), "WIRE_FAKE=owner")
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var child, grandchild int
	for lines := bufio.NewScanner(out); (child == 0 || grandchild == 0) && lines.Scan(); {
		fmt.Sscanf(lines.Text(), "pid %d", &child)
		fmt.Sscanf(lines.Text(), "grandchild %d", &grandchild)
	}
	if child == 0 || grandchild == 0 {
		t.Fatal("the server did not start")
	}
	if err := Sweep(); err != nil {
		t.Error(err)
	}
	if !alive(child) || !alive(grandchild) {
		t.Fatal("the sweep ended what belongs to a program that runs")
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	owner.Wait()
	time.Sleep(100 * time.Millisecond)
	if alive(child) {
		t.Error("the child outlives its owner")
	}
	if err := Sweep(); err != nil {
		t.Error(err)
	}
	if alive(grandchild) {
		t.Error("the grandchild is left after the sweep")
	}
}

func TestMarks(t *testing.T) {
	env := marked([]string{"A=1", ownerKey + "=1.2.3", "B=2"})
	if len(env) != 3 || env[0] != "A=1" || env[1] != "B=2" {
		t.Fatalf("environment %v", env)
	}
	owner, session, ok := parseMark(env[2][len(ownerKey)+1:])
	own, err := statOf(os.Getpid())
	if err != nil || !ok || owner.pid != os.Getpid() || owner.started != own.started || session != own.session || !owner.runs() {
		t.Errorf("mark %q: %+v %d %v %v", env[2], owner, session, ok, err)
	}
	if (procStat{pid: os.Getpid(), started: "1"}).runs() {
		t.Error("another process with the number of this one counts as the owner")
	}
	for _, bad := range []string{"", "1", "a.b.c", "1.2", "1.2.3.4", "1.2.x"} {
		if _, _, ok := parseMark(bad); ok {
			t.Errorf("mark %q was read", bad)
		}
	}
}
