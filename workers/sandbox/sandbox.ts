import { availableParallelism } from 'node:os'
import { tracing } from '#lib/telemetry/tracing.ts'
import type { EngineCall } from '#tasks/video/transcode/engine.ts'
import { EngineTrouble } from '#tasks/video/transcode/media-fault.ts'
import { troubleOf } from '../media/verdict.ts'
import { atWork } from '../runtime/gauges.ts'
import { mustIsolate } from './isolation.ts'
import { type Exit, runGroup } from './process-group.ts'
import { usualPath } from './programs.ts'

/** How the tools are run; everything has a default. */
export interface SandboxOptions {
  ffmpegPath?: string
  ffprobePath?: string
  /** Where the tools are looked for, like `PATH`. */
  searchPath?: string
  /** Threads of each decoder, filter and encoder; the machine's cores, at most 8, by default. */
  threads?: number
  /** Encodings that this machine does at once; 1 by default. */
  slots?: number
  /** 0 to 19; 10 by default, so that live streams go first. */
  nice?: number
  /** Memory that one run may write to, in bytes, whatever it asks for; 2 GiB by default. */
  memoryBytes?: number
  /** Largest file that a run may write, in bytes; 256 GiB by default. */
  fileBytes?: number
  /** Milliseconds from SIGTERM to SIGKILL; 2000 by default. */
  grace?: number
}

/** One run of a tool. */
export interface Run {
  tool: 'ffmpeg' | 'ffprobe' | 'pocketsphinx' | 'whisper'
  /** The program to run and its first arguments; ffmpeg's and ffprobe's are known. */
  program?: string[]
  args: string[]
  call: EngineCall
  /** Milliseconds, unless the call says otherwise. */
  timeout: number
  /** Memory that it may write to, in bytes, if it is not what any run may. */
  memoryBytes?: number
  onOutput?: (line: string) => void
  /** Told frames and seconds done, twice a second. */
  onProgress?: (done: { frames: number; seconds: number }) => void
}

/** How a tool ended of its own accord. */
export interface RunResult {
  ok: boolean
  /** The first and last error and warning lines, 100 at most. */
  messages: string[]
  /** Number of error lines. */
  errors: number
  /** Zero for ffprobe. */
  cpuSeconds: number
}

/** Runs media tools so that nothing they read can harm the host. */
export interface Sandbox {
  /** Threads of each decoder, filter and encoder. */
  readonly threads: number
  /** Encodings that this machine does at once. */
  readonly slots: number
  /** Threads of each when all slots are taken. */
  readonly share: number
  run(run: Run): Promise<RunResult>
}

/** In bytes. Of a ladder some is set apart and never used: it holds 1.2 GiB at most. */
const mostMemory = 2 * 2 ** 30

const maxMessages = 100
const maxMessageLength = 500

/** Gathers what matters from the tool's three pipes. */
function listen(run: Run) {
  const result: RunResult = { ok: false, messages: [], errors: 0, cpuSeconds: 0 }
  const done = { frames: 0, seconds: 0 }
  let last = ''
  const pipes = {
    1: (line: string) => run.onOutput?.(line),
    2(line: string) {
      last = line.slice(0, maxMessageLength)
      const [, level] = /\[(panic|fatal|error|warning)\] /.exec(line) ?? []
      if (level && level !== 'warning') result.errors++
      if (level || run.program || line.includes('received signal'))
        result.messages.push(line.slice(0, maxMessageLength))
      // The first lines tell the cause, the last the end; those between go.
      if (result.messages.length > maxMessages) result.messages.splice(maxMessages / 2, 1)
      const [, user, system] = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(line) ?? []
      if (user && system) result.cpuSeconds = Number(user) + Number(system)
    },
    3(line: string) {
      const [key, value] = line.split('=')
      if (key === 'frame') done.frames = Number(value)
      if (key === 'out_time_us') done.seconds = Math.max(0, Number(value) / 1e6 || 0)
      if (key === 'progress') run.onProgress?.({ ...done })
    },
  }
  return { result, lastLine: () => last, onLine: (pipe: 1 | 2 | 3, line: string) => pipes[pipe](line) }
}

// `level+info` marks every line with its level, and shows the line with the CPU time that -benchmark asks for.
const ffmpegFlags =
  '-nostdin -hide_banner -y -v level+info -nostats -benchmark -progress pipe:3 -stats_period 0.5'.split(' ')
const ffprobeFlags = '-hide_banner -v level+warning'.split(' ')

/** Throws the trouble of a run that tells nothing of its input. */
function mustHaveRun(run: Run, exit: Exit, { messages, errors }: RunResult, lastLine: string): void {
  const trouble = troubleOf(exit, messages)
  if (trouble) throw trouble
  if (exit.code === 127) throw new EngineTrouble('missing', `${run.tool} could not be started; is it installed?`)
  // A tool that blames its input says so; one that never came to it does not.
  if (exit.code !== 0 && errors === 0 && !run.program)
    throw new EngineTrouble('failed', `${run.tool} ended with ${exit.code}: ${lastLine}`)
}

/** Makes a sandbox. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const path = options.searchPath ?? usualPath
  const cores = availableParallelism()
  const known = {
    ffmpeg: [options.ffmpegPath ?? 'ffmpeg', ...ffmpegFlags],
    ffprobe: [options.ffprobePath ?? 'ffprobe', ...ffprobeFlags],
  }

  const limitsOf = (run: Run, timeout: number) => ({
    memoryBytes: Math.min(options.memoryBytes ?? Number.POSITIVE_INFINITY, run.memoryBytes ?? mostMemory),
    fileBytes: options.fileBytes ?? 256 * 2 ** 30,
    cpuSeconds: (timeout / 1000) * cores + 5,
    nice: options.nice ?? 10,
  })

  async function run(run: Run): Promise<RunResult> {
    const isolate = await mustIsolate(path)
    const timeout = run.call.timeout ?? run.timeout
    const limits = limitsOf(run, timeout)
    const program = run.program ?? known[run.tool === 'ffmpeg' ? 'ffmpeg' : 'ffprobe']
    const { result, lastLine, onLine } = listen(run)
    const command = [...isolate(limits), ...program, ...run.args]
    const grace = options.grace ?? 2_000
    const { nice } = limits
    const work = () => runGroup({ command, path, signal: run.call.signal, timeout, grace, nice, onLine })
    const exit = await atWork(run.tool, () => tracing()?.span({ name: run.tool, kind: 'internal' }, work) ?? work())
    mustHaveRun(run, exit, result, lastLine())
    return { ...result, ok: exit.code === 0 }
  }

  const { threads = Math.min(cores, 8), slots = 1 } = options
  return { threads, slots, share: Math.min(threads, Math.ceil(cores / slots)), run }
}
