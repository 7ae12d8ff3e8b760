import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import type { Said } from '../support/millrace.ts'
import type { Scope } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** The command line of the package, before its build. */
export const program = fileURLToPath(new URL('../../sdk/node/src/cli/main.ts', import.meta.url))

/** A running command. */
export class Command {
  readonly process: ChildProcess
  out = ''
  err = ''
  readonly #ended: Promise<unknown>

  constructor(args: readonly string[], env: NodeJS.ProcessEnv, input: string | Uint8Array | undefined) {
    this.process = spawn('setpriv', ['--pdeathsig=KILL', '--', process.execPath, program, ...args], { env })
    this.#ended = once(this.process, 'close')
    this.process.stdout?.setEncoding('utf8').on('data', (text) => {
      this.out += text
    })
    this.process.stderr?.setEncoding('utf8').on('data', (text) => {
      this.err += text
    })
    this.process.stdin?.on('error', () => {})
    this.process.stdin?.end(input ?? '')
  }

  /** Waits until the output has a text. Throws if the command ends without it. */
  async says(text: RegExp, where: 'err' | 'out' = 'err'): Promise<RegExpExecArray> {
    const found = await until(() => text.exec(this[where]) ?? (this.process.exitCode !== null && 'ended'), {
      what: `${where} has ${text}`,
    })
    if (typeof found === 'object') return found
    throw new Error(`The command ended without ${text}: ${this.out}${this.err}`)
  }

  async kill(signal: NodeJS.Signals): Promise<Said> {
    this.process.kill(signal)
    return await this.ended()
  }

  async ended(): Promise<Said> {
    await this.#ended
    return { code: this.process.exitCode ?? -1, out: this.out, err: this.err }
  }
}

/** The computer of a developer, with its own home folder. */
export interface Computer {
  home: string
  start(args: readonly string[], environment?: Record<string, string>, input?: string | Uint8Array): Command
  run(args: readonly string[], environment?: Record<string, string>, input?: string | Uint8Array): Promise<Said>
}

export async function newComputer(t: Scope, always: Record<string, string> = {}): Promise<Computer> {
  const home = await mkdtemp(join(tmpdir(), 'millrace-cli-'))
  const running = new Set<Command>()
  t.teardown(async () => {
    for (const one of running) if (one.process.exitCode === null) await one.kill('SIGKILL')
    await rm(home, { recursive: true, force: true })
  })
  const start: Computer['start'] = (args, environment = {}, input) => {
    const folders = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') }
    const command = new Command(args, childEnvironment({ ...folders, ...always, ...environment }), input)
    running.add(command)
    return command
  }
  return { home, start, run: (...given) => start(...given).ended() }
}
