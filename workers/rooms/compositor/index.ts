import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import { eachLine } from '../../sandbox/process-group.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { canBeNobody } from '../../sandbox/supervised-program.ts'
import { createKeyRedactor, readReports } from '../reports.ts'
import { type CompositorOrder, CompositorReport, type CompositorShape, type Slot } from './messages.ts'
import type { FrameSize } from './picture-size.ts'

export interface CompositorOptions extends Omit<CompositorShape, 'output' | 'asNobody'> {
  /** RTMP URL to publish to, or a function that receives FLV or fragmented MP4. */
  output: { rtmp: string } | { take(media: Readable): void; format?: 'flv' }
  folder: string
  /** Called when the video of a slot is rejected, with its frame size if it is known. */
  onRefused?(slot: number, size: FrameSize | undefined): void
  /** Called when the output has advanced, at most ten times per second. */
  onRunning?(seconds: number): void
}

interface CompositorEnd {
  reason: 'stopped' | 'failed'
  message?: string | undefined
}

export interface Compositor {
  readonly slots: readonly Slot[]
  readonly ended: Promise<CompositorEnd>
  readonly pid: number
  setName(slot: number, name: string | undefined): void
  /** Shows one slot large and the others small next to it. Without a slot, all slots have the same size. */
  setMain(slot: number | undefined): void
  stop(): Promise<void>
}

const program = join(import.meta.dirname, 'program.ts')

/** Niceness: higher priority than work that nobody watches live, because late frames are lost. Requires root. */
const priority = -10

/**
 * Timeouts in milliseconds: for the start, and for a compositor without output, which counts as hanging. On a busy
 * machine, the first start takes long, because all plugins are scanned.
 */
const [startMs, stallMs] = [120_000, 20_000]

/**
 * Timeouts in milliseconds for the output to advance, per attempt. After the last attempt, only the watchdog checks the
 * output.
 */
const goesOnMs = [4_000, 6_000, 8_000]

/** Duration of output in seconds after which the compositor counts as running. */
const goesOn = 0.5

/**
 * Memory limits in bytes: idle, per core, and per slot. GStreamer and x264 start threads per core. The decoder and
 * queue of a slot hold about twenty frames of the maximum size. If a participant makes the compositor exceed the limit,
 * only this process ends.
 */
const [idleBytes, coreBytes, slotBytes] = [1024 ** 3, 32 * 1024 ** 2, 96 * 1024 ** 2]

/**
 * Stack size in bytes of the compositor's threads. Each slot has eight threads. The default of 8 MiB would need more
 * memory than all frames.
 */
const stackBytes = 2 * 1024 ** 2

const limits = (slots: number) => [
  `--data=${idleBytes + availableParallelism() * coreBytes + slots * slotBytes}`,
  ...[`--stack=${stackBytes}`, '--core=0'],
]

/** Maximum size in bytes of output that is buffered. */
const heldBytes = 16 * 1024 ** 2

/** Delay in milliseconds between the order to finish and SIGKILL. */
const graceMs = 6_000

/** Starts a compositor and waits until its output advances. If a compositor stalls, starts another one instead. */
export async function startCompositor(options: CompositorOptions): Promise<Compositor> {
  for (const within of goesOnMs) {
    const going = Promise.withResolvers<boolean>()
    const held = new PassThrough({ highWaterMark: heldBytes })
    const { output, onRunning } = options
    const compositor = await startOnce({
      ...options,
      output: 'take' in output ? { ...output, take: (media) => void media.pipe(held) } : output,
      onRunning: (seconds) => {
        if (seconds >= goesOn) going.resolve(true)
        onRunning?.(seconds)
      },
    })
    const ended = compositor.ended.then(() => true)
    const timer = setTimeout(() => going.resolve(false), within)
    const isGood = await Promise.race([going.promise, ended])
    clearTimeout(timer)
    if (isGood) {
      if ('take' in output) output.take(held)
      return compositor
    }
    log.warn({ within }, 'a compositor did not start in time; restarting it')
    await compositor.stop()
    // Gives the server time to detect the disconnect.
    await pause(300)
  }
  return await startOnce(options)
}

/**
 * Starts a separate process, because the compositor decodes untrusted media. Resolves when its slots accept packets.
 * Without packets, the output is black and silent. The compositor ends together with this process.
 */
async function startOnce(options: CompositorOptions): Promise<Compositor> {
  const { output, folder, onRunning, onRefused, ...shape } = options
  const child = spawn('prlimit', [...limits(options.slots), '--', process.execPath, program], {
    env: { PATH: usualPath, LC_ALL: 'C.UTF-8', GST_REGISTRY: join(folder, 'gstreamer-registry.bin') },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  hasten(child)
  const order = (line: CompositorOrder): void => void child.stdin?.write(`${JSON.stringify(line)}\n`)
  child.stdin?.on('error', () => {})
  const ready = Promise.withResolvers<readonly Slot[]>()
  const ended = Promise.withResolvers<CompositorEnd>()
  let stopping = false
  let end: { error?: string | undefined } | undefined
  let watchdog = setTimeout(() => child.kill('SIGKILL'), startMs)
  readReports(child, CompositorReport, (report) => {
    if (report.type === 'ready') ready.resolve(report.slots)
    if (report.type === 'ended') end = report
    if (report.type === 'refused') onRefused?.(report.index, report.size)
    if (report.type !== 'running') return
    onRunning?.(report.seconds)
    if (!stopping) watchdog.refresh()
  })
  let said: string | undefined
  const clean = createKeyRedactor('rtmp' in output ? output.rtmp : '')
  eachLine(child.stderr as Readable, (line) => {
    if (/^\w*Error: /.test(line)) said ??= line
    log.debug({ line: clean(line).slice(0, 300) }, 'compositor output')
  })
  const media = child.stdio[3] as Readable
  if ('take' in output) output.take(media)
  child.once('error', (error) => {
    end ??= { error: error.message }
  })
  child.once('close', (code, signal) => {
    clearTimeout(watchdog)
    const failure = end?.error ?? (end ? undefined : (said ?? `The compositor exited with ${signal ?? code}.`))
    const message = failure && clean(failure)
    ready.reject(new Error(message ?? 'The compositor exited.'))
    ended.resolve(stopping ? { reason: 'stopped' } : { reason: 'failed', message })
  })
  const address = 'rtmp' in output ? { rtmp: output.rtmp } : (output.format ?? 'mp4')
  order({ type: 'start', shape: { ...shape, output: address, asNobody: canBeNobody } })
  const slots = await ready.promise
  clearTimeout(watchdog)
  watchdog = setTimeout(() => child.kill('SIGKILL'), stallMs)
  const shown = new Map<number, string>()
  let main: number | undefined
  const show = () => order({ type: 'show', shown: [...shown].map(([index, name]) => ({ index, name })), main })
  return {
    slots,
    ended: ended.promise,
    pid: child.pid ?? 0,
    setName(slot, name) {
      if (name === undefined) shown.delete(slot)
      else shown.set(slot, name)
      show()
    },
    setMain(slot) {
      if (slot === main) return
      main = slot
      show()
    },
    async stop() {
      stopping = true
      order({ type: 'finish' })
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended.promise
      clearTimeout(timer)
    },
  }
}

function hasten({ pid }: ChildProcess): void {
  if (pid === undefined || process.getuid?.() !== 0) return
  try {
    setPriority(pid, priority)
  } catch {
    // In a container, root may lack this permission. The process then runs at normal priority.
  }
}
