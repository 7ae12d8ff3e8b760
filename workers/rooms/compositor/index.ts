import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '#lib/log.ts'
import { eachLine } from '../../sandbox/process-group.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { canBeNobody } from '../../sandbox/supervised-program.ts'
import { takeReports, withoutKey } from '../reports.ts'
import { type CompositorShape, type Order, Report, type Slot } from './messages.ts'
import type { PictureSize } from './picture-size.ts'

export interface CompositorOptions extends Omit<CompositorShape, 'output' | 'asNobody'> {
  /** Where it publishes, or what takes its FLV or fragmented MP4. */
  output: { rtmp: string } | { take(media: Readable): void; format?: 'flv' }
  /** A folder for what GStreamer remembers of its plugins. */
  folder: string
  /** Called when a slot's pictures are refused from then on, with their size where they tell it. */
  onRefused?(slot: number, size: PictureSize | undefined): void
  /** Called whenever its output went on, at most ten times a second. */
  onRunning?(seconds: number): void
}

interface CompositorEnd {
  reason: 'stopped' | 'failed'
  message?: string | undefined
}

/** One picture and one sound of many. */
export interface Compositor {
  /** Where each slot takes packets in, while the compositor runs. */
  readonly slots: readonly Slot[]
  readonly ended: Promise<CompositorEnd>
  /** Of its process. */
  readonly pid: number
  /** Shows a slot under a name, or shows it no more; the others take its room. */
  setName(slot: number, name: string | undefined): void
  /** Shows a slot large and the others small beside it; without one, all are alike. */
  setMain(slot: number | undefined): void
  /** Writes what is under way, and ends. */
  stop(): Promise<void>
}

const program = join(import.meta.dirname, 'program.ts')

/** Above what is not watched as it happens: a picture that comes late is lost. Only root may. */
const priority = -10

/** Milliseconds for it to come up, which takes a busy machine long the first time, as all plugins are looked at; without output, it hangs. */
const [startMs, stallMs] = [120_000, 20_000]

/**
 * Milliseconds in which its output has to go on, at each try. After the last one the watchdog alone looks after it.
 */
const goesOnMs = [4_000, 6_000, 8_000]

/** Seconds of output from which it goes on. */
const goesOn = 0.5

/**
 * Bytes that it may write to: idle, for each core, by which GStreamer and x264 count their threads, and for each slot, whose decoder and
 * queue hold some twenty pictures of the largest size. Whoever makes it take more ends it, and nothing else of the machine.
 */
const [idleBytes, coreBytes, slotBytes] = [1024 ** 3, 32 * 1024 ** 2, 96 * 1024 ** 2]

/** For each of its threads, eight a slot; the usual 8 MiB would count for more than all pictures. */
const stackBytes = 2 * 1024 ** 2

const limits = (slots: number) => [
  `--data=${idleBytes + availableParallelism() * coreBytes + slots * slotBytes}`,
  ...[`--stack=${stackBytes}`, '--core=0'],
]

/** Bytes of output that wait until it is known that more follows. */
const heldBytes = 16 * 1024 ** 2

/** Milliseconds from the order to finish to SIGKILL. */
const graceMs = 6_000

/**
 * Starts a compositor and sees that its output goes on; one that stands still is replaced by another one.
 */
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
    log.warn({ within }, 'a compositor did not start in time and is restarted')
    await compositor.stop()
    // What it published to notices that it is gone.
    await pause(300)
  }
  return await startOnce(options)
}

/**
 * Starts a process of its own, since it decodes what strangers send. Resolves when its slots take packets; it goes on, black
 * and silent, without any. It ends with this process.
 */
async function startOnce(options: CompositorOptions): Promise<Compositor> {
  const { output, folder, onRunning, onRefused, ...shape } = options
  const child = spawn('prlimit', [...limits(options.slots), '--', process.execPath, program], {
    env: { PATH: usualPath, LC_ALL: 'C.UTF-8', GST_REGISTRY: join(folder, 'gstreamer-registry.bin') },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  hasten(child)
  const order = (line: Order): void => void child.stdin?.write(`${JSON.stringify(line)}\n`)
  child.stdin?.on('error', () => {})
  const ready = Promise.withResolvers<readonly Slot[]>()
  const ended = Promise.withResolvers<CompositorEnd>()
  let stopping = false
  let end: { error?: string | undefined } | undefined
  let watchdog = setTimeout(() => child.kill('SIGKILL'), startMs)
  takeReports(child, Report, (report) => {
    if (report.type === 'ready') ready.resolve(report.slots)
    if (report.type === 'ended') end = report
    if (report.type === 'refused') onRefused?.(report.index, report.size)
    if (report.type !== 'running') return
    onRunning?.(report.seconds)
    if (!stopping) watchdog.refresh()
  })
  let said: string | undefined
  const clean = withoutKey('rtmp' in output ? output.rtmp : '')
  eachLine(child.stderr as Readable, (line) => {
    // What a library that is not installed is told by.
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
    ready.reject(new Error(message ?? 'The compositor ended.'))
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
    // Root of a container that may not: it runs like everything else.
  }
}
