import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childEnvironment } from '#lib/config.ts'
import { killWithParent } from '../../../start/supervise.ts'

const program = fileURLToPath(new URL('../../../../sdk/node/src/outbox/cli.ts', import.meta.url))

/** Installs the outbox in a database. */
export async function installOutbox(database: string): Promise<void> {
  await promisify(execFile)(process.execPath, [program, 'install', '--database', database])
}

interface RelaySettings {
  database: string
  base: string
  key: string
}

/** Starts `millrace-outbox relay` as a process. */
export function startRelayProcess(ends: AsyncDisposableStack, { database, base, key }: RelaySettings): void {
  const bound = killWithParent(process.execPath, program, 'relay', '--database', database, '--url', base)
  const child = spawn(bound.file, bound.args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: childEnvironment({ MILLRACE_API_KEY: key }),
  })
  const ended = once(child, 'exit')
  ends.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
}
