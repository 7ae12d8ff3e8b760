import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { LogFile } from './log-file.ts'
import { forPeople, say } from './terminal.ts'

/**
 * Copies each line that a process prints to its log and, in short, to the terminal; not to the latter when it is `quiet` or
 * `hear`, which is told every line, makes use of it.
 */
export function relay(
  child: ChildProcess,
  { name, quiet = false, log, hear }: { name: string; quiet?: boolean; log: LogFile; hear: (line: string) => boolean },
): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      log.write(line)
      const short = hear(line) || quiet ? undefined : forPeople(line)
      if (short) say(name, short)
    })
  }
}
