import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { log } from '#lib/log.ts'
import { eachLine } from '../sandbox/process-group.ts'

/**
 * Passes on the output of a process, one JSON value per line. If there is other output, kills the process. The process
 * decodes untrusted media, and its libraries can write to the same pipe.
 */
export function readReports<Report>(
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
    // The output is not logged, because it can contain the stream key.
    log.error({ letters: line.length, pid: child.pid }, 'a rooms process wrote an invalid report; killing it')
    child.kill('SIGKILL')
  })
}

/** Removes the stream key from GStreamer messages that contain the RTMP URL. */
export const createKeyRedactor = (rtmp: string) => {
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
