import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { log } from '#lib/log.ts'
import { eachLine } from '../../sandbox/process-group.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { canBeNobody } from '../../sandbox/supervised-program.ts'
import { readReports } from '../reports.ts'
import { type FeederOrder, FeederReport } from './feeder-messages.ts'

const program = join(import.meta.dirname, 'feeder-program.ts')

/** Timeout in milliseconds for the start. On a busy machine, the start takes long. */
const startMs = 30_000

/** Memory limit in bytes. If an encoder makes the feeder exceed the limit, only the feeder's process ends. */
const mostBytes = 768 * 1024 ** 2

export interface FeederOptions {
  frames: Readable
  videoPort: number
  audioPort: number | undefined
  folder: string
  signal: AbortSignal
}

/**
 * Sends frames to ports of this host as RTP, until the frames end, the process fails, or the signal aborts. Resolves with
 * the error, if there is one. It is a separate process, because it decodes untrusted audio.
 */
export async function runFeeder({ frames, folder, signal, ...ports }: FeederOptions): Promise<string | undefined> {
  const child = spawn('prlimit', [`--data=${mostBytes}`, '--core=0', '--', process.execPath, program], {
    env: { PATH: usualPath, LC_ALL: 'C.UTF-8', GST_REGISTRY: join(folder, 'gstreamer-registry.bin') },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const ended = Promise.withResolvers<string | undefined>()
  const kill = () => child.kill('SIGKILL')
  const watchdog = setTimeout(kill, startMs)
  let failure: string | undefined
  signal.addEventListener('abort', kill, { once: true })
  child.stdin?.on('error', () => {})
  readReports(child, FeederReport, (report) => {
    clearTimeout(watchdog)
    if (report.type === 'ended') failure = report.error
  })
  eachLine(child.stderr as Readable, (line) => log.debug({ line: line.slice(0, 300) }, 'feeder output'))
  child.once('error', (error) => {
    failure ??= error.message
  })
  child.once('close', (code, killed) => {
    clearTimeout(watchdog)
    signal.removeEventListener('abort', kill)
    if (killed && !signal.aborted) failure ??= `The feeder exited with ${killed}.`
    else if (code) failure ??= `The feeder exited with ${code}.`
    frames.destroy()
    ended.resolve(failure)
  })
  const order: FeederOrder = { type: 'start', ...ports, asNobody: canBeNobody }
  child.stdin?.write(`${JSON.stringify(order)}\n`)
  // If the frames end with an error, the pipe is closed and the feeder processes what it has.
  pipeline(frames, child.stdio[3] as Writable).catch(() => {})
  return await ended.promise
}
