import { appendFileSync, readFileSync } from 'node:fs'

/** One line per test file of the last run: seconds, CPU seconds of its processes, file. */
export const timesFile = '.tap/times.tsv'

/** Clock ticks per second in /proc (`getconf CLK_TCK`). */
const ticks = 100

/** CPU time of this process and of its children that have ended, in seconds (proc_pid_stat(5), fields 14–17). */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks
}

/** Measures a test file from now. The returned function writes its times. */
export function measure(file: string): () => void {
  const [begun, cpu] = [performance.now(), cpuSeconds()]
  return () => {
    const seconds = (performance.now() - begun) / 1000
    appendFileSync(timesFile, `${seconds.toFixed(1)}\t${(cpuSeconds() - cpu).toFixed(1)}\t${file}\n`)
  }
}
