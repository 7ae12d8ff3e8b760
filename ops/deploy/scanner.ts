/**
 * `scanner`: runs clamd and the download of its signatures in MILLRACE_DATA. Workers with the same folder use
 * CLAMD_SOCKET=…/clamav/clamd.sock.
 */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { lockFolder } from '../folder-lock.ts'
import { logOf } from '../start/parts.ts'
import { startScanner } from '../start/scanner.ts'
import { type Part, type SupervisedPart, supervise } from '../start/supervise.ts'
import { say } from '../start/terminal.ts'

const data = resolve(config.MILLRACE_DATA, 'clamav')
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())

const running: SupervisedPart[] = []
const launch = (...group: Part[]) => {
  running.push(...group.map((part) => supervise(part, logOf(data, part.name))))
}

await mkdir(join(data, 'logs'), { recursive: true })
await lockFolder(data)
const { notice } = await startScanner(resolve(config.MILLRACE_DATA), launch, stopping.signal)
if (notice) say('scanner', `NOTICE ${notice}`)
if (running.length === 0) process.exit(1)
say('scanner', 'started')
void end()

async function end(): Promise<void> {
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
  await Promise.all(running.map((part) => part.stop()))
  process.exit(0)
}
