import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import NodeClam from 'clamscan'
import { ScannerUnavailableError } from '#tasks/files/engine.ts'

export type Address = { socket: string } | { host: string; port: number }

/** Timeout in milliseconds. It is longer than clamd's own limits for one file or stream. */
export const silenceMs = 15 * 60_000

/** Timeout in milliseconds for a response that needs no scan. */
const answerMs = 5_000

export const open = (address: Address): Socket =>
  'socket' in address ? connect({ path: address.socket }) : connect({ host: address.host, port: address.port })

export async function version(address: Address, signal?: AbortSignal): Promise<string> {
  const said = await inTime(async () => (await clam(address)).getVersion(), signal)
  if (said === '') throw new ScannerUnavailableError('clamd closed the connection')
  return said.trim()
}

export async function isResponding(address: Address): Promise<boolean> {
  const ping = inTime(async () => (await (await clam(address)).ping()).destroy())
  return await ping.then(
    () => true,
    () => false,
  )
}

/** Sends a command that clamscan does not support (clamd(8)). Returns the response. */
export async function sendCommand(address: Address, name: 'STATS' | 'RELOAD'): Promise<string> {
  const client = open(address)
  try {
    client.write(`z${name}\0`)
    return (await inTime(() => text(client))).replace(/\0$/, '').trim()
  } finally {
    client.destroy()
  }
}

/** Starts no ClamAV program and does not contact clamd in advance. */
const clam = (address: Address): Promise<NodeClam> =>
  new NodeClam().init({
    clamscan: { active: false },
    clamdscan: { ...address, path: null, bypassTest: true, localFallback: false, timeout: answerMs },
  })

/** Throws `ScannerUnavailableError` if clamd is not responding, or the signal's reason. */
async function inTime<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const late = AbortSignal.timeout(answerMs)
  const { promise, reject } = Promise.withResolvers<never>()
  late.addEventListener('abort', () => reject(new ScannerUnavailableError('clamd is not responding')))
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  signal?.throwIfAborted()
  const asked = ask().catch((error: Error) => {
    throw new ScannerUnavailableError(`clamd is unavailable: ${error.message}`)
  })
  asked.catch(() => {})
  return await Promise.race([asked, promise])
}
