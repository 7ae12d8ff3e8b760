import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { LogFile } from './log-file.ts'
import { formatForTerminal, say } from './terminal.ts'

/**
 * Copies each line of a process to its log, and a short form to the terminal. If the part is `quiet` or `hear` handles
 * the lines, they are not shown.
 */
export function relay(
  child: ChildProcess,
  { name, quiet = false, log, hear }: { name: string; quiet?: boolean; log: LogFile; hear: (line: string) => boolean },
): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      log.write(line)
      const short = hear(line) || quiet ? undefined : formatForTerminal(line)
      if (short) say(name, short)
    })
  }
}
