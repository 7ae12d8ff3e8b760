import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { log } from '#lib/log.ts'
import { eachLine } from '../sandbox/process-group.ts'

/**
 * Hands on what a program says, a line of JSON each. One that says anything else is killed: it decodes what strangers send, and its
 * libraries may print to the same pipe.
 */
export function takeReports<Report>(
  child: ChildProcess,
  schema: z.ZodType<Report>,
  onReport: (report: Report) => void,
): void {
  let isKilled = false
  eachLine(child.stdout as Readable, (line) => {
    if (isKilled) return
    const report = read(schema, line)
    if (report !== undefined) return onReport(report)
    isKilled = true
    // Not what it says: that may hold the key of what it publishes to.
    log.error({ letters: line.length, pid: child.pid }, 'a rooms process wrote an invalid report and is killed')
    child.kill('SIGKILL')
  })
}

/** Takes the key out of what GStreamer says of the address that a program publishes to. */
export const withoutKey = (rtmp: string) => {
  const key = rtmp.slice(rtmp.lastIndexOf('/') + 1)
  return (text: string): string => (key === '' ? text : text.replaceAll(key, '…'))
}

function read<Report>(schema: z.ZodType<Report>, line: string): Report | undefined {
  try {
    return schema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
