import { availableParallelism } from 'node:os'
import type { FfmpegCommand } from 'fluent-ffmpeg'
import type { EngineCall } from '#tasks/video/engine.ts'
import { createSandbox, type SandboxOptions } from '../sandbox/sandbox.ts'
import { argumentsOf, createCommand, type Input } from './command.ts'
import { requireRun } from './verdict.ts'

export interface MediaToolsOptions extends SandboxOptions {
  ffmpegPath?: string
  ffprobePath?: string
  /** Number of threads of each decoder, filter and encoder. Default: the machine's cores, up to 8. */
  threads?: number
  /** Number of encodings at the same time on this machine. Default: 1. */
  slots?: number
}

export interface ToolRun {
  call: EngineCall
  /** Timeout in milliseconds, unless the call has its own limit. */
  timeout: number
  /** Maximum memory in bytes, if different from the usual limit. */
  memoryBytes?: number
  onOutput?: (line: string) => void
  onLog?: (line: string) => void
  /** Called twice per second with the number of finished frames and seconds. */
  onProgress?: (done: { frames: number; seconds: number }) => void
}

export interface RunResult {
  ok: boolean
  /** Exit code, or `null` after a signal. */
  code: number | null
  /** First and last error and warning lines, up to 100. */
  messages: string[]
  errors: number
  /** 0 for ffprobe. */
  cpuSeconds: number
}

export interface MediaTools {
  /** Number of threads of each decoder, filter and encoder. */
  readonly threads: number
  /** Number of encodings at the same time on this machine. */
  readonly slots: number
  /** Number of threads of each encoding if all slots are used. */
  readonly share: number
  /**
   * Runs ffmpeg. Like the other methods, throws a `TransientEngineError` if the input is not the cause of the failure.
   */
  ffmpeg(command: FfmpegCommand, run: ToolRun): Promise<RunResult>
  ffprobe(options: string[], input: Input, run: ToolRun): Promise<RunResult>
  /** Runs a program that writes only messages to its output. */
  plain(
    name: 'pocketsphinx' | 'whisper' | 'sherpa-onnx' | 'pdftoppm',
    command: string[],
    run: ToolRun,
  ): Promise<RunResult>
}

const maxMessages = 100
const maxMessageLength = 500

function listen(run: ToolRun, isPlain: boolean) {
  const result: RunResult = { ok: false, code: null, messages: [], errors: 0, cpuSeconds: 0 }
  const done = { frames: 0, seconds: 0 }
  let last = ''
  const pipes = {
    1: (line: string) => run.onOutput?.(line),
    2(line: string) {
      last = line.slice(0, maxMessageLength)
      run.onLog?.(line)
      const [, level] = /\[(panic|fatal|error|warning)\] /.exec(line) ?? []
      if (level && level !== 'warning') result.errors++
      if (level || isPlain || line.includes('received signal')) result.messages.push(line.slice(0, maxMessageLength))
      // The first lines contain the cause, and the last lines contain the end. Lines in between are dropped.
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

// `level+info` marks every line with its level. It also shows the line with the CPU time from -benchmark.
const ffmpegFlags =
  '-nostdin -hide_banner -y -v level+info -nostats -benchmark -progress pipe:3 -stats_period 0.5'.split(' ')
const ffprobeFlags = '-hide_banner -v level+warning'.split(' ')

/** Throws unless both allowlists precede each input. Without them, ffmpeg opens any file that an input names. */
function whitelisted(args: string[]): string[] {
  let first = 0
  for (const [i, arg] of args.entries()) {
    if (arg !== '-i') continue
    const own = args.slice(first, i)
    for (const list of ['-protocol_whitelist', '-format_whitelist'])
      if (!own.includes(list)) throw new Error(`The input of a media tool must not have ${list}.`)
    first = i + 2
  }
  return args
}

export function createMediaTools(options: MediaToolsOptions): MediaTools {
  const sandbox = createSandbox(options)
  const ffmpeg = [options.ffmpegPath ?? 'ffmpeg', ...ffmpegFlags]
  const ffprobe = [options.ffprobePath ?? 'ffprobe', ...ffprobeFlags]

  async function start(name: string, command: string[], run: ToolRun, isPlain = false): Promise<RunResult> {
    const { call, memoryBytes } = run
    const { result, lastLine, onLine } = listen(run, isPlain)
    const timeout = call.timeout ?? run.timeout
    const { signal } = call
    const exit = await sandbox.run({ name, command, signal, timeout, memoryBytes, called: 'The media tool', onLine })
    requireRun({ name, isPlain }, exit, { ...result, lastLine: lastLine() })
    return { ...result, ok: exit.code === 0, code: exit.code }
  }

  const cores = availableParallelism()
  const { threads = Math.min(cores, 8), slots = 1 } = options
  return {
    threads,
    slots,
    share: Math.min(threads, Math.ceil(cores / slots)),
    ffmpeg: async (command, run) => await start('ffmpeg', [...ffmpeg, ...whitelisted(argumentsOf(command))], run),
    ffprobe: async (flags, input, run) =>
      await start('ffprobe', [...ffprobe, ...flags, ...whitelisted(argumentsOf(createCommand(input)))], run),
    plain: (name, command, run) => start(name, command, run, true),
  }
}
