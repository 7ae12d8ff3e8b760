/** `health`: exits with 0 if the process of this container is responding. */
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { isUp } from '../embedded/clamd.ts'
import { answersStun } from '../embedded/coturn.ts'
import { turnPort } from './turn-port.ts'

const timeoutMs = 4_000

/** Accepts any response except a server error. A store returns 403 to unauthenticated requests. */
async function answers(port: number): Promise<void> {
  if (port === 0) throw new Error('This process does not have that port.')
  const { status } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(timeoutMs) })
  if (status >= 500) throw new Error(`Port ${port} returned ${status}.`)
}

async function scans(): Promise<void> {
  if (!(await isUp(join(config.MILLRACE_DATA, 'clamav')))) throw new Error('clamd is not responding.')
}

/** A container with the secret but without TURN URLs is the TURN server. */
async function relays(): Promise<void> {
  const isTurn = config.ROOMS_TURN_SECRET && config.ROOMS_TURN_URLS.length === 0
  if (!isTurn || !(await answersStun('127.0.0.1', turnPort))) throw new Error('coturn is not responding.')
}

const { METRICS_PORT, PORT, STORE_PORT } = config
const alive = await Promise.any([answers(METRICS_PORT), answers(PORT), answers(STORE_PORT), scans(), relays()]).then(
  () => true,
  () => false,
)
process.exit(alive ? 0 : 1)
