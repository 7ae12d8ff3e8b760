/** `turn`: runs coturn on `turnPort`. Its relays reach only the media ports of rooms at ROOMS_PUBLIC_ADDRESS. */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { coturn, logOf } from '../start/parts.ts'
import { supervise } from '../start/supervise.ts'
import { say } from '../start/terminal.ts'
import { ownAddresses } from '../start/turn.ts'
import { turnPort } from './turn-port.ts'

const { ROOMS_TURN_SECRET: secret, ROOMS_PUBLIC_ADDRESS: address, ROOMS_COTURN_PATH: program } = config
if (!secret || !address) {
  say('turn', 'needs ROOMS_TURN_SECRET and ROOMS_PUBLIC_ADDRESS')
  process.exit(1)
}
const data = resolve(config.MILLRACE_DATA)
await mkdir(join(data, 'logs'), { recursive: true })
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())

const options = { dir: join(data, 'coturn'), program, host: undefined, port: turnPort, secret }
const running = supervise(coturn({ ...options, addresses: ownAddresses(), peers: [address] }), logOf(data, 'coturn'))
await running.ready.then(
  () => say('turn', `listening on ${turnPort}, over UDP and TCP`),
  () => say('turn', 'does not come up; it is tried again'),
)
void end()

async function end(): Promise<void> {
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
  await running.stop()
  process.exit(0)
}
