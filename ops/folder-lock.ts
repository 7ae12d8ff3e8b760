import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, realpath } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { readFacts } from './dev-facts.ts'
import { readPrivate, writePrivate } from './private-file.ts'

const Holder = z.object({ pid: z.number(), since: z.string() })

/**
 * Makes the data folder, and this process the only one that runs Millrace in it while it lives; throws a sentence that says
 * which one does already. The lock is an abstract socket (unix(7)): no two processes bind it, a killed one leaves none.
 */
export async function lockFolder(data: string): Promise<void> {
  // Entered by the server account of Postgres on the way to its own folder, listed by nobody else.
  if ((await mkdir(data, { recursive: true })) !== undefined) await chmod(data, 0o711)
  const file = join(data, 'running.json')
  const name = createHash('sha256')
    .update(await realpath(data))
    .digest('hex')
  const server = createServer((socket) => socket.destroy()).listen(`\0millrace-${name}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const { base_url } = await readFacts(join(data, 'dev.json'))
    const holder = Holder.safeParse(await readPrivate(file).catch(() => undefined))
    const who = holder.success ? `: pid ${holder.data.pid}, since ${holder.data.since}` : ''
    const hint = 'One beside it needs a port and a folder of its own: PORT=8081 MILLRACE_DATA=.data-2 npm start'
    throw new Error(`Millrace already runs in ${data}${who}${base_url ? `, at ${base_url}` : ''}. ${hint}`)
  }
  server.unref()
  await writePrivate(file, { pid: process.pid, since: new Date().toISOString() })
}
