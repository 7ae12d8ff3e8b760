import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import type { Scope } from '../support/postgres.ts'

const cli = fileURLToPath(new URL('../../sdk/node/src/outbox/cli.ts', import.meta.url))

export interface RelayProcess {
  /** Everything that the process has written to stderr. */
  log(): string
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts `millrace-outbox relay`. It ends with the test. */
export function startRelayProcess(t: Scope, args: readonly string[], key: string): RelayProcess {
  const line = ['--pdeathsig=KILL', '--', process.execPath, cli, 'relay', ...args]
  const child = spawn('setpriv', line, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: childEnvironment({ MILLRACE_API_KEY: key }),
  })
  let log = ''
  child.stderr.on('data', (data) => {
    log += data
  })
  const ended = once(child, 'close')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
    return child.exitCode
  }
  t.teardown(async () => {
    await end('SIGKILL')
  })
  return { log: () => log, end }
}

export interface Finished {
  status: number | null
  out: string
  err: string
}

const none = { DATABASE_URL: '', MILLRACE_BASE_URL: '', MILLRACE_API_KEY: '' }

/** Runs `millrace-outbox` until it ends. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: childEnvironment({ ...none, ...env }),
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => {
    out += data
  })
  child.stderr.on('data', (data) => {
    err += data
  })
  await once(child, 'close')
  return { status: child.exitCode, out, err }
}
