import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { log } from '#lib/log.ts'
import { usualPath } from './programs.ts'

/** Milliseconds before a program that ended is started again: the first time, and at most. */
const [soonest, latest] = [200, 5_000]

/** A program that ran so long is taken to work: its next end is the first again. */
const steadyMs = 10_000

/** Milliseconds from SIGTERM to SIGKILL. */
const graceMs = 2_000

/** `nobody` and `nogroup` of Debian. */
export const nobody = 65_534

/** Whether this process can become nobody: it is root, and its user namespace has such a user (user_namespaces(7)). */
export const canBeNobody = process.getuid?.() === 0 && isMapped(nobody)

function isMapped(id: number): boolean {
  const lines = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n')
  return lines.some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return id >= first && id < first + count
  })
}

/**
 * The prefix of a command that faces the network: it dies with this process, and is nobody where this process can be. Its
 * environment is empty, as what strangers send it must not reach our secrets.
 */
export const confined = (): string[] => {
  const nobody = canBeNobody ? ['--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  return ['setpriv', ...nobody, '--pdeathsig', 'KILL', '--']
}

/** Starts a program of which every line that it prints is given to `onLine`. */
export function startProgram(command: readonly string[], onLine: (line: string) => void): ChildProcess {
  const [program = '', ...args] = [...confined(), ...command]
  const child = spawn(program, args, { env: { PATH: usualPath, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] })
  // Where the process has no file descriptors left there are no pipes, and 'error' is told.
  for (const pipe of [child.stdout, child.stderr]) if (pipe) createInterface(pipe).on('line', onLine)
  return child
}

/** Ends a program, and waits until it has ended. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(timer)
}

/** A program that is started again whenever it ends, later and later while it does so at once. */
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

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    if (this.#child) await endProgram(this.#child)
  }

  /** Has it begin anew, as what it reads at its start has changed. */
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
      log.error({ program: this.#name, how: String(how), again_in_ms: this.#pause }, 'a supervised program ended')
      this.#timer = setTimeout(() => this.#run(), this.#pause)
      this.#pause = Math.min(2 * this.#pause, latest)
    }
    child.once('error', end)
    child.once('exit', (code, signal) => end(code ?? signal))
  }
}
