import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { coturn } from '../../ops/start/parts.ts'
import { supervise } from '../../ops/start/supervise.ts'
import { freePort, type Scope } from './postgres.ts'

/** Reason why no TURN server is available, or false. */
export const noCoturn = existsSync(config.ROOMS_COTURN_PATH) ? false : 'coturn is not installed'

export interface Turn {
  port: number
  secret: string
  address: string
  /** Settings of a rooms worker that uses it. */
  environment: Record<string, string>
}

export async function startCoturn(t: Scope, transports = ['udp', 'tcp']): Promise<Turn> {
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all)
  const addresses = own.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address)
  const [dir, port, secret] = [
    await mkdtemp(join(tmpdir(), 'millrace-coturn-')),
    await freePort(),
    'shared with coturn',
  ]
  const options = { dir, port, secret, addresses, program: config.ROOMS_COTURN_PATH, host: '127.0.0.1' }
  const running = supervise(coturn(options), `${dir}.log`)
  t.teardown(async () => {
    await running.stop()
    for (const path of [dir, `${dir}.log`]) await rm(path, { recursive: true, force: true })
  })
  await running.ready
  const urls = transports.map((transport) => `turn:127.0.0.1:${port}?transport=${transport}`)
  const environment = { ROOMS_TURN_URLS: urls.join(','), ROOMS_TURN_SECRET: secret }
  return { port, secret, address: addresses[0] ?? '', environment }
}
