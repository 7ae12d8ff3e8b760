import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { config, isSet } from '#lib/config.ts'

const foreign = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])

/**
 * Binds the port for a moment. Returns its number (a free port for 0), or undefined if it is in use. If this user or
 * machine cannot bind the port, throws an error that names the variable.
 */
export async function tryPort(host: string, port: number): Promise<number | undefined> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return undefined
    if (code === 'EACCES') throw new Error(`PORT: this user cannot listen on port ${port}.`)
    if (foreign.has(code ?? '')) throw new Error(`HOST: ${host} is not an address of this machine.`)
    throw error
  }
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? address?.port : undefined
}

const kept = new Set<number>()

/**
 * Reserves a port against other starts on this machine until this process exits, because the port's part binds it only
 * seconds later. Returns false if another start or part has reserved the port. The reservation is an abstract socket
 * (unix(7)) whose name contains the port.
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

async function takePort(host: string, wanted: number): Promise<number | undefined> {
  const port = await tryPort(host, wanted)
  return port !== undefined && (await keep(port)) ? port : undefined
}

/**
 * Range below the kernel’s automatic ports (ip(7)). A connection could use an automatic port before its process does.
 */
const [lowest, highest] = [20_000, 32_000]

async function freePort(host: string): Promise<number | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    const port = await takePort(host, randomInt(lowest, highest))
    if (port !== undefined) return port
  }
  return await takePort(host, 0)
}

/**
 * Returns the requested port if it is free, otherwise another free port. No other start on this machine gets the same
 * port.
 */
export async function preferPort(host: string, wanted: number | undefined): Promise<number> {
  const port = (wanted ? await takePort(host, wanted) : undefined) ?? (await freePort(host))
  if (port === undefined) throw new Error(`${host} has no free port.`)
  return port
}

/**
 * Returns the first of `count` consecutive free UDP ports. Starts at the requested port if possible. No other start on
 * this machine gets a range that starts at the same port.
 */
export async function preferUdpPorts(host: string, wanted: number, count: number): Promise<number> {
  const steps = Math.floor((highest - lowest) / count)
  for (let tries = 0; tries < 20; tries++) {
    const first = tries === 0 ? wanted : lowest + randomInt(steps) * count
    if (first > 0 && (await areFree(host, first, count)) && (await keep(first))) return first
  }
  throw new Error(`${host} does not have ${count} consecutive free UDP ports.`)
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

/** Throws an error with a message for people if the port is in use. Waits for a port whose process is exiting. */
export async function requireFreePort(host: string, port: number, variable = 'PORT'): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    if ((await tryPort(host, port)) !== undefined) return void (await keep(port))
    await setTimeout(100)
  }
  const next = port < 65_535 ? port + 1 : port - 1
  const folder = isSet('MILLRACE_DATA') ? `MILLRACE_DATA=${quoted(config.MILLRACE_DATA)} ` : ''
  throw new Error(
    `Port ${port} of ${host} is in use by another program. Choose another: ${variable}=${next} ${folder}npm start`,
  )
}

const quoted = (word: string): string => (/^[\w./~:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
