import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
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

/** Ports that this process keeps for its parts until it ends. */
const kept = new Set<number>()

/**
 * Keeps a port from other starts on this machine until this process ends, as seconds go by before the part that it is for binds it;
 * false when another start, or another part of this one, has it. Who has one listens on an abstract socket (unix(7)) of its name.
 */
async function keep(port: number): Promise<boolean> {
  if (kept.has(port)) return false
  const server = createServer((socket) => socket.destroy()).listen(`\0millrace-port-${port}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.unref()
  kept.add(port)
  return true
}

/** Keeps a port that is free, or one that is for 0. */
async function takePort(host: string, wanted: number): Promise<number | undefined> {
  const port = await tryPort(host, wanted)
  return port !== undefined && (await keep(port)) ? port : undefined
}

/** Below those that the kernel gives to connections by itself (ip(7)), one of which might take the port before its process does. */
const [lowest, highest] = [20_000, 32_000]

async function freePort(host: string): Promise<number | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    const port = await takePort(host, randomInt(lowest, highest))
    if (port !== undefined) return port
  }
  return await takePort(host, 0)
}

/** The wanted port if it is free, else a free one; no other start on this machine is given the same. */
export async function preferPort(host: string, wanted: number | undefined): Promise<number> {
  const port = (wanted ? await takePort(host, wanted) : undefined) ?? (await freePort(host))
  if (port === undefined) throw new Error(`${host} has no free port.`)
  return port
}

/**
 * The first of `count` UDP ports in a row that are free, from the wanted one if it can be; no other start on this machine is given
 * one that begins there.
 */
export async function preferUdpPorts(host: string, wanted: number, count: number): Promise<number> {
  const steps = Math.floor((highest - lowest) / count)
  for (let tries = 0; tries < 20; tries++) {
    const first = tries === 0 ? wanted : lowest + randomInt(steps) * count
    if (first > 0 && (await areFree(host, first, count)) && (await keep(first))) return first
  }
  throw new Error(`${host} has no ${count} free UDP ports in a row.`)
}

async function areFree(host: string, first: number, count: number): Promise<boolean> {
  for (let port = first; port < first + count; port++) {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    try {
      await once(socket.bind({ address: host, port, exclusive: true }), 'listening')
    } catch {
      return false
    } finally {
      socket.close()
    }
  }
  return true
}

/** Throws a sentence for people when the port is taken; one that a process is just leaving is waited for. */
export async function demandPort(host: string, port: number, variable = 'PORT'): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    if ((await tryPort(host, port)) !== undefined) return void (await keep(port))
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
