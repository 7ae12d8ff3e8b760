import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { log } from '#lib/log.ts'

/**
 * Hands on what a program says, a line of JSON each. One that says anything else is killed: it decodes what strangers send, and its libraries
 * may print to the same pipe.
 */
export function takeReports<Report>(
  child: ChildProcess,
  schema: z.ZodType<Report>,
  onReport: (report: Report) => void,
): void {
  createInterface(child.stdout as Readable).on('line', (line) => {
    const report = read(schema, line)
    if (report !== undefined) return onReport(report)
    log.error({ line: line.slice(0, 300), pid: child.pid }, 'a program of rooms says what is no report, and is killed')
    child.kill('SIGKILL')
  })
}

function read<Report>(schema: z.ZodType<Report>, line: string): Report | undefined {
  try {
    return schema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
