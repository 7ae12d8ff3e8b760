import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { TransientEngineError } from '#lib/engine-trouble.ts'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface GroupCommand {
  command: string[]
  path: string
  signal: AbortSignal
  /** Timeout in milliseconds of wall-clock time. */
  timeout: number
  /** Delay in milliseconds between SIGTERM and SIGKILL. */
  grace: number
  /** Nice value of the program's session. Default: 0. */
  nice?: number
  /** File descriptor for standard input, read from its current position. */
  input?: number
  /** Receives a pipe to standard input. An error of the pipe means that it has ended. */
  onInput?(pipe: Writable): void
  /** Name in the timeout message. Default: `The program`. */
  called?: string
  /** Value of `LC_ALL`. Default: `C`. */
  locale?: string
  /** Receives standard output as bytes instead of lines. Must read all of it. */
  onOutput?(output: Readable): void
  /** Called with each line of standard output (1), standard error (2) and the progress pipe (3). */
  onLine(pipe: 1 | 2 | 3, line: string): void
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The process group has already ended.
  }
}

/**
 * Resolves when the child has exited and its pipes are drained. A process that keeps a pipe open is killed with its
 * group.
 */
function ended(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', () => killGroup(child, 'SIGKILL'))
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
}

/** Maximum number of characters in a line. Output about untrusted files has no other limit. */
const mostLine = 2 ** 20

/** Longer lines are cut. */
export function eachLine(pipe: Readable, onLine: (line: string) => void): void {
  let rest = ''
  // A lone carriage return also ends a line, as in progress output.
  const tell = (text: string) => {
    for (const line of text.replace(/\r$/, '').split('\r')) onLine(line)
  }
  pipe.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    if (rest.length < mostLine) rest = (rest + first).slice(0, mostLine)
    for (const next of others) {
      tell(rest)
      rest = next.slice(0, mostLine)
    }
  })
  pipe.on('end', () => rest !== '' && tell(rest))
}

function follow(child: ChildProcess, { onLine, onOutput }: GroupCommand): void {
  for (const pipe of [1, 2, 3] as const) {
    if (pipe === 1 && onOutput) onOutput(child.stdio[1] as Readable)
    else eachLine(child.stdio[pipe] as Readable, (line) => onLine(pipe, line))
  }
}

/**
 * Runs a command. On abort or timeout, its process group gets SIGTERM. After the grace period, it gets SIGKILL, which
 * also ends stopped processes. Then throws the reason of the signal, or a `TransientEngineError` with code `timeout`.
 */
export async function runGroup(group: GroupCommand): Promise<Exit> {
  const { command, path, signal, timeout, grace, called = 'The program' } = group
  signal.throwIfAborted()
  const [program = '', ...args] = command
  // The environment is empty except for these, because programs that read untrusted files must not see Millrace's
  // secrets. Each malloc arena takes 64 MiB of address space. With one arena per thread, 40 threads would exceed the
  // limit.
  const env = { PATH: path, LC_ALL: group.locale ?? 'C', MALLOC_ARENA_MAX: '4' }
  const input = group.onInput ? 'pipe' : (group.input ?? 'ignore')
  const child = spawn(program, args, { env, detached: true, stdio: [input, 'pipe', 'pipe', 'pipe'] })
  if (child.stdin) group.onInput?.(child.stdin.on('error', () => {}))
  follow(child, group)
  if (group.nice) void niceSession(child, group.nice)

  const timers: NodeJS.Timeout[] = []
  const stop = () => {
    killGroup(child, 'SIGTERM')
    timers.push(setTimeout(() => killGroup(child, 'SIGKILL'), grace))
  }
  let late = false
  const deadline = () => {
    late = true
    stop()
  }
  timers.push(setTimeout(deadline, timeout))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const exit = await ended(child)
    signal.throwIfAborted()
    if (late)
      throw new TransientEngineError('timeout', `${called} did not finish within ${Math.round(timeout / 1000)} s.`)
    return exit
  } finally {
    signal.removeEventListener('abort', stop)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Minimum interval in milliseconds between changes that the kernel allows an ordinary user, on the whole machine. */
const betweenChanges = 100

/**
 * With autogroup (sched(7)), the nice value of a process counts only within its session. The value of the session is
 * therefore set.
 */
async function niceSession(leader: ChildProcess, nice: number): Promise<void> {
  const gone = new AbortController()
  leader.once('exit', () => gone.abort())
  while (leader.pid !== undefined && leader.exitCode === null && leader.signalCode === null) {
    try {
      return await writeFile(`/proc/${leader.pid}/autogroup`, String(nice))
    } catch (error) {
      // With another error, this kernel does not group by sessions, or the process has exited.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
    await pause(betweenChanges * (1 + Math.random()), undefined, { signal: gone.signal }).catch(() => {})
  }
}
