import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import { DevFacts, readFacts } from '../../../start/dev-facts.ts'
import { killWithParent } from '../../../start/supervise.ts'

export interface Stack {
  pid: number
  facts: DevFacts
}

/** Unsets variables that would make `npm start` use external services. */
const ours = { DATABASE_URL: undefined, S3_ENDPOINT: undefined, S3_PUBLIC_ENDPOINT: undefined, PUBLIC_URL: undefined }

export async function startStack(
  folder: string,
  ends: AsyncDisposableStack,
  more: Record<string, string> = {},
): Promise<Stack> {
  const data = join(folder, 'data')
  const { file, args } = killWithParent(
    process.execPath,
    fileURLToPath(new URL('../../../start/main.ts', import.meta.url)),
  )
  const settings = { MILLRACE_DATA: data, HOST: '127.0.0.1', PORT: '0', TOUR: 'false', ...more }
  await using log = await open(join(folder, 'stack.log'), 'a')
  const child = spawn(file, args, {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...childEnvironment(settings), ...ours },
  })
  const exit = once(child, 'exit')
  ends.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exit
  })
  const written = join(data, 'dev.json')
  for (;;) {
    const facts = DevFacts.safeParse(await readFacts(written))
    if (facts.success) return { pid: child.pid ?? 0, facts: facts.data }
    if (child.exitCode !== null) throw new Error(`The stack exited during startup. See ${folder}/stack.log.`)
    await pause(100)
  }
}
