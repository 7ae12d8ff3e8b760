#!/usr/bin/env bash
# Inspects a container's engines from outside. `try-engines.sh PID` prints a line for each run of ffmpeg or ffprobe in the container whose
# first process is PID, until it is ended. A line contains process ID, name, and `walled` or the missing isolation. Runs that receive a
# broadcast are omitted, because they read from the network, only by `rtmp:`.
set -uo pipefail
processes=$(readlink "/proc/$1/ns/pid") network=$(readlink "/proc/$1/ns/net")
declare -A told=()

# Fails if the process has ended in the meantime.
walls() {
  local own links limits limit lacks=''
  own=$(readlink "$1/ns/net") && links=$(tail -n +3 "$1/net/dev") && limits=$(<"$1/limits") && [[ -n $own && -n $limits ]] || return 1
  if [[ $own == "$network" ]]; then lacks+=' network'; fi
  if [[ ! $links =~ ^\ *lo:[^:]*$ ]]; then lacks+=' links'; fi
  for limit in 'cpu time' 'data size' 'address space' 'file size'; do
    if [[ $limits =~ "Max $limit "\ *unlimited ]]; then lacks+=" ${limit// /-}"; fi
  done
  echo "${lacks:+open:$lacks}"
}

while sleep 0.1; do
  for process in /proc/[0-9]*; do
    { read -r name <"$process/comm"; } 2>/dev/null || continue
    if [[ ! $name =~ ^ff(mpeg|probe)$ || -n ${told[$process]:-} ]]; then continue; fi
    [[ $(readlink "$process/ns/pid") == "$processes" ]] || continue
    { mapfile -d '' command <"$process/cmdline"; } 2>/dev/null || continue
    if [[ " ${command[*]} " == *' -protocol_whitelist rtmp,tcp '* ]]; then continue; fi
    found=$(walls "$process" 2>/dev/null) || continue
    told[$process]=yes
    echo "${process#/proc/} $name ${found:-walled}"
  done
done
