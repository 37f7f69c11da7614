#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A study on a Slurm cluster of one node, which this starts on the loopback interface and ends again:
# slurm.sh WARPFOLD PROGRAM FOLDER. What comes out is what comes out without Slurm, and an interrupt cancels the jobs.
set -euo pipefail
warpfold=$1 program=$2 folder=$3
PATH=$PATH:/usr/sbin
fail() {
  printf 'FAIL: %s\n' "$*" >&2
  tail -n 5 "$folder"/log/* "$folder"/runs/*.out "$folder"/runs/*/slurm/*/*.out >&2 || true
  exit 1
}
for tool in munged slurmctld slurmd sbatch; do
  command -v "$tool" >/dev/null || fail "$tool is missing: scripts/setup test"
done

rm -rf "$folder"
mkdir -p "$folder"/{state,spool,log,runs}
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
host=$(hostname -s)
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
head -c 1024 /dev/urandom > "$folder/munge.key"
chmod 400 "$folder/munge.key"
socket=$(mktemp -u /tmp/warpfold-munge-XXXXXX)  # short: sockets' names are
munged --force --foreground --key-file="$folder/munge.key" --socket="$socket" --pid-file="$folder/munge.pid" \
  --log-file="$folder/log/munge" --seed-file="$folder/munge.seed" --num-threads=1 &
cat > "$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$folder/slurm.conf
await() {  # a condition, for half a minute
  for _ in $(seq 300); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "not within 30 s: $*"
}
await test -S "$socket"
slurmctld -D 2>/dev/null &
slurmd -D -N "$host" 2>/dev/null &
idle() { sinfo --noheader --format=%t | grep -q '^idle'; }
await idle

cd "$folder/runs"
ln -s "$program" prog
cat > s.yaml <<END
title: On a cluster
points:
  - {part: main, machine: tbc2011, mechanism: [pdom, tbc], workload: ["./prog {seed}", "./prog crash"], seeds: [3, 4],
     exclude: [{workload: "./prog crash"}]}
  - {part: crash, machine: tbc2011, mechanism: pdom, workload: "./prog crash"}
END
"$warpfold" study run s.yaml --store local > local.out 2>&1 || true
"$warpfold" study run s.yaml --store cluster --engine slurm --tasks 2 --sbatch --partition=all > cluster.out 2>&1 || true
grep -q '5 runs: 4 done, 1 failed, 0 missing' cluster.out || fail "$(cat cluster.out)"
for store in local cluster; do "$warpfold" study export s.yaml --store $store --csv > $store.csv; done
cmp local.csv cluster.csv || fail "the cluster's rows differ"
if "$warpfold" study run s.yaml --store x --engine slurm --sbatch --partition=none > none.out 2>&1; then
  fail "a partition that does not exist was taken"
fi
grep -q '^warpfold: error: --engine slurm: .*partition' none.out || fail "$(cat none.out)"

sed -i 's/crash/hang/g' s.yaml
"$warpfold" study run s.yaml --store stopped --engine slurm > stopped.out 2>&1 &
study=$!
running() { squeue --noheader | grep -q ' R '; }
await running
kill -INT $study
wait $study || true
grep -q 'interrupted: job cancelled' stopped.out || fail "$(cat stopped.out)"
over() { [ -z "$(squeue --noheader)" ]; }
await over
echo "PASS"
