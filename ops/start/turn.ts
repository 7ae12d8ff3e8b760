import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { config } from '#lib/config.ts'
import { isProgram } from '../program.ts'
import type { LastFacts } from './dev-facts.ts'
import * as parts from './parts.ts'
import { preferPort } from './ports.ts'
import type { Secrets } from './secrets.ts'
import type { Part } from './supervise.ts'

export interface StartedTurn {
  env: Record<string, string>
  ports: Record<string, number>
}

/**
 * Starts coturn, unless the environment sets TURN servers or coturn is not installed. The start does not wait for it,
 * because participants whose networks allow UDP do not need it.
 */
export async function startTurn(
  ground: { data: string; secrets: Secrets; last: LastFacts; launch: (...group: Part[]) => void },
  baseUrl: string,
): Promise<StartedTurn> {
  const { data, secrets, last, launch } = ground
  const program = config.ROOMS_COTURN_PATH
  if (config.ROOMS_TURN_URLS.length > 0 || !(await isProgram(program))) return { env: {}, ports: {} }
  const listensForAll = ['0.0.0.0', '::'].includes(config.HOST)
  const port = await preferPort(config.HOST, last.ports?.turn)
  const secret = config.ROOMS_TURN_SECRET ?? secrets.turn_secret
  const host = listensForAll ? undefined : config.HOST
  const options = { dir: join(data, 'coturn'), program, host, port, secret, addresses: ownAddresses() }
  launch(parts.coturn(options))
  const name = listensForAll ? new URL(baseUrl).hostname : parts.reachable(config.HOST)
  const urls = ['udp', 'tcp'].map((transport) => `turn:${name}:${port}?transport=${transport}`)
  return { env: { ROOMS_TURN_URLS: urls.join(','), ROOMS_TURN_SECRET: secret }, ports: { turn: port } }
}

export function ownAddresses(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, family, scopeid }) => !internal && (family === 'IPv4' || !scopeid)),
  )
  return own.map(({ address }) => address)
}
