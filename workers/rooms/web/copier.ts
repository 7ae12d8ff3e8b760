import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { log } from '#lib/log.ts'
import { eachLine } from '../../sandbox/process-group.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { canBeNobody } from '../../sandbox/supervised-program.ts'
import { createKeyRedactor, readReports } from '../reports.ts'
import { type CopierOrder, CopierReport } from './copier-messages.ts'

export interface Copier {
  readonly ports: { audio: number | undefined; video: number | undefined }
  readonly hasRun: boolean
  /** Resolves with the error, or with undefined if the copier was stopped. */
  readonly ended: Promise<string | undefined>
  stop(): Promise<void>
}

const program = join(import.meta.dirname, 'copier-program.ts')

/**
 * Timeouts in milliseconds: for the start, and for a running copier without output. On a busy machine, the start takes
 * long.
 */
const [startMs, stallMs] = [30_000, 10_000]

const graceMs = 3_000

/** Memory limit in bytes. If a publisher makes the copier exceed the limit, only the copier's process ends. */
const mostBytes = 768 * 1024 ** 2

/**
 * Starts a separate process, because the copier decodes untrusted audio. The copier ends together with this process.
 */
export async function startCopier(options: {
  rtmp: string
  audio: boolean
  video: boolean
  folder: string
}): Promise<Copier> {
  const { rtmp, audio, video, folder } = options
  const child = spawn('prlimit', [`--data=${mostBytes}`, '--core=0', '--', process.execPath, program], {
    env: { PATH: usualPath, LC_ALL: 'C.UTF-8', GST_REGISTRY: join(folder, 'gstreamer-registry.bin') },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const order = (line: CopierOrder): void => void child.stdin.write(`${JSON.stringify(line)}\n`)
  child.stdin.on('error', () => {})
  const ready = Promise.withResolvers<Copier['ports']>()
  const ended = Promise.withResolvers<string | undefined>()
  let [stopping, hasRun] = [false, false]
  let end: { error?: string | undefined } | undefined
  const watchdog = setTimeout(() => child.kill('SIGKILL'), startMs)
  let stall: NodeJS.Timeout | undefined
  readReports(child, CopierReport, (report) => {
    if (report.type === 'ready') ready.resolve({ audio: report.audioPort, video: report.videoPort })
    if (report.type === 'ended') end = report
    if (report.type !== 'running') return
    hasRun = true
    if (stall) stall.refresh()
    else stall = setTimeout(() => child.kill('SIGKILL'), stallMs)
  })
  const clean = createKeyRedactor(rtmp)
  eachLine(child.stderr as Readable, (line) => log.debug({ line: clean(line).slice(0, 300) }, 'copier output'))
  child.once('error', (error) => {
    end ??= { error: error.message }
  })
  child.once('close', (code, signal) => {
    clearTimeout(watchdog)
    clearTimeout(stall)
    const failure = clean(end?.error ?? `The copier exited with ${signal ?? code}.`)
    ready.reject(new Error(failure))
    ended.resolve(stopping ? undefined : failure)
  })
  order({ type: 'start', rtmp, audio, video, asNobody: canBeNobody })
  const ports = await ready.promise
  clearTimeout(watchdog)
  return {
    ports,
    get hasRun() {
      return hasRun
    },
    ended: ended.promise,
    async stop() {
      stopping = true
      order({ type: 'finish' })
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended.promise
      clearTimeout(timer)
    },
  }
}
