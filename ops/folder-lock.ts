import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, realpath } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { readPrivate, writePrivate } from './private-file.ts'
import { readFacts } from './start/dev-facts.ts'

const Holder = z.object({
  pid: z.number(),
  since: z.string(),
  settings: z.record(z.string(), z.unknown()).optional(),
})

export type Holder = z.infer<typeof Holder>

const fileOf = (data: string) => join(data, 'running.json')

const lockOf = async (data: string) =>
  `\0millrace-${createHash('sha256')
    .update(await realpath(data))
    .digest('hex')}`

/**
 * Creates the data folder, and makes this process the only one that runs Millrace in it. If another process does so,
 * throws an error that names it. The lock is an abstract socket (unix(7)). Only one process can bind this socket, and
 * the socket disappears when the process is killed.
 */
export async function lockFolder(data: string): Promise<void> {
  // The account of Postgres must be able to enter this folder to reach its own folder. Other accounts cannot list it.
  if ((await mkdir(data, { recursive: true })) !== undefined) await chmod(data, 0o711)
  const server = createServer((socket) => socket.destroy()).listen(await lockOf(data))
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const { base_url } = await readFacts(join(data, 'dev.json'))
    const holder = await readHolder(data)
    const who = holder ? `: pid ${holder.pid}, since ${holder.since}` : ''
    const hint = 'A second Millrace needs another port and folder: PORT=8081 MILLRACE_DATA=.data-2 npm start'
    throw new Error(`Millrace is already running in ${data}${who}${base_url ? `, at ${base_url}` : ''}. ${hint}`)
  }
  server.unref()
  await writePrivate(fileOf(data), { pid: process.pid, since: new Date().toISOString() } satisfies Holder)
}

export async function recordSettings(data: string, settings: Record<string, unknown>): Promise<void> {
  await writePrivate(fileOf(data), { ...(await readHolder(data)), settings })
}

export async function findHolder(data: string): Promise<Holder | undefined> {
  const name = await lockOf(data).catch(() => undefined)
  if (name === undefined) return undefined
  const socket = connect(name).on('error', () => {})
  try {
    await once(socket, 'connect')
    return await readHolder(data)
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

const readHolder = async (data: string): Promise<Holder | undefined> =>
  Holder.safeParse(await readPrivate(fileOf(data)).catch(() => undefined)).data
