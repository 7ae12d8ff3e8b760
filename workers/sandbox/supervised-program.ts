import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { log } from '#lib/log.ts'
import { usualPath } from './programs.ts'

/** Minimum and maximum delay before a restart, in milliseconds. */
const [soonest, latest] = [200, 5_000]

/** Time in milliseconds after which a program counts as working. The restart delay then returns to the minimum. */
const steadyMs = 10_000

/** Delay in milliseconds between SIGTERM and SIGKILL. */
const graceMs = 2_000

/** ID of `nobody` and `nogroup` in Debian. */
export const nobody = 65_534

/** True if this process is root and its user namespace has this user (user_namespaces(7)). */
export const canBeNobody = process.getuid?.() === 0 && isMapped(nobody)

function isMapped(id: number): boolean {
  const lines = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n')
  return lines.some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return id >= first && id < first + count
  })
}

/**
 * Returns the command prefix for programs that face the network. These programs exit with this process and run as
 * nobody if possible. Their environment is empty, so that untrusted input cannot reach Millrace's secrets.
 */
export const getConfinedPrefix = (): string[] => {
  const nobody = canBeNobody ? ['--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  return ['setpriv', ...nobody, '--pdeathsig', 'KILL', '--']
}

export function startProgram(command: readonly string[], onLine: (line: string) => void): ChildProcess {
  const [program = '', ...args] = [...getConfinedPrefix(), ...command]
  const child = spawn(program, args, { env: { PATH: usualPath, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] })
  // If no file descriptors are available, there are no pipes, and 'error' is emitted.
  for (const pipe of [child.stdout, child.stderr]) if (pipe) createInterface(pipe).on('line', onLine)
  return child
}

export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(timer)
}

/** A program that is restarted when it exits. If it exits immediately, the delays grow. */
export class SupervisedProgram {
  readonly #name: string
  readonly #start: () => ChildProcess
  readonly #onEnd: () => void
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #pause = soonest
  #stopped = false

  constructor(name: string, start: () => ChildProcess, onEnd: () => void) {
    this.#name = name
    this.#start = start
    this.#onEnd = onEnd
    this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    if (this.#child) await endProgram(this.#child)
  }

  /** Restarts the program, so that it reads its configuration again. */
  restart(): void {
    this.#child?.kill('SIGTERM')
  }

  #run(): void {
    const begun = performance.now()
    const child = this.#start()
    this.#child = child
    let over = false
    const end = (how: unknown) => {
      if (over) return
      over = true
      this.#onEnd()
      if (this.#stopped) return
      if (performance.now() - begun > steadyMs) this.#pause = soonest
      log.error({ program: this.#name, how: String(how), again_in_ms: this.#pause }, 'a supervised program exited')
      this.#timer = setTimeout(() => this.#run(), this.#pause)
      this.#pause = Math.min(2 * this.#pause, latest)
    }
    child.once('error', end)
    child.once('exit', (code, signal) => end(code ?? signal))
  }
}
