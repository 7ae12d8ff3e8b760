import { connect, type Socket } from 'node:net'
import { ScannerAway } from '#tasks/files/scanner.ts'

/** Where clamd listens. */
export type Address = { socket: string } | { host: string; port: number }

/** Longer than clamd's own limits let it be silent over one file or stream, in milliseconds. */
export const silenceMs = 15 * 60_000

/** How long clamd may take over an answer that needs no scan, in milliseconds. */
const patienceMs = 5_000

/** Sends clamd a command without data and returns its answer (clamd(8)); throws `ScannerAway` when none comes. */
export async function command(
  address: Address,
  name: 'PING' | 'VERSION' | 'STATS' | 'RELOAD',
  signal?: AbortSignal,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const client = open(address)
  const away = (why: string) => reject(new ScannerAway(`clamd ${why}`))
  const stop = () => reject(signal?.reason)
  let said = ''
  client
    .setTimeout(patienceMs, () => away('does not answer'))
    .setEncoding('utf8')
    .on('data', (text) => {
      said += text
    })
    .on('error', (error: Error) => away(`cannot be reached: ${error.message}`))
    .on('close', () => (said === '' ? away('hung up') : resolve(said.replace(/\0$/, '').trim())))
  signal?.addEventListener('abort', stop, { once: true })
  client.write(`z${name}\0`)
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', stop)
    client.destroy()
  }
}

/** Whether clamd answers now. */
export async function answers(address: Address): Promise<boolean> {
  return await command(address, 'PING').then(
    (said) => said === 'PONG',
    () => false,
  )
}

/** Connects to clamd. */
export const open = (address: Address): Socket =>
  'socket' in address ? connect({ path: address.socket }) : connect({ host: address.host, port: address.port })
