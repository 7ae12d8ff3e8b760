import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { config, isSet } from '#lib/config.ts'

/** Codes of a host that this machine is not. */
const foreign = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])

/**
 * Binds the port for a moment; returns its number (a free one for 0), or undefined when somebody else has it. Throws a
 * sentence that names the variable when nobody can have it.
 */
export async function tryPort(host: string, port: number): Promise<number | undefined> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return undefined
    if (code === 'EACCES') throw new Error(`PORT: this user may not listen on port ${port}.`)
    if (foreign.has(code ?? '')) throw new Error(`HOST: ${host} is no address of this machine.`)
    throw error
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? address?.port : undefined
}

/** Below those that the kernel gives to connections by itself (ip(7)), one of which might take the port before its process does. */
const [lowest, highest] = [20_000, 32_000]

async function freePort(host: string): Promise<number | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    const port = await tryPort(host, randomInt(lowest, highest))
    if (port !== undefined) return port
  }
  return await tryPort(host, 0)
}

/** The wanted port if it is free, else a free one. */
export async function preferPort(host: string, wanted: number | undefined): Promise<number> {
  const port = (wanted ? await tryPort(host, wanted) : undefined) ?? (await freePort(host))
  if (port === undefined) throw new Error(`${host} has no free port.`)
  return port
}

/** Throws a sentence for people when the port is taken; one that a process is just leaving is waited for. */
export async function demandPort(host: string, port: number, variable = 'PORT'): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    if ((await tryPort(host, port)) !== undefined) return
    await setTimeout(100)
  }
  const next = port < 65_535 ? port + 1 : port - 1
  const folder = isSet('MILLRACE_DATA') ? `MILLRACE_DATA=${quoted(config.MILLRACE_DATA)} ` : ''
  throw new Error(
    `Port ${port} of ${host} is taken by another program. Choose another: ${variable}=${next} ${folder}npm start`,
  )
}

/** A word as a shell reads it. */
const quoted = (word: string): string => (/^[\w./~:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
