import { getTokenPrefix } from '#lib/cell-marks.ts'
import type { Cells } from '#lib/cells.ts'
import { getCellPrefix, keyPrefixes } from '#lib/tokens.ts'

export function buildHaproxyMaps({ byName }: Cells): Record<string, string> {
  const names = [...byName.keys()]
  return {
    // Prefixes of the values of `Authorization` and `x-api-key`.
    'keys.map': lines(said(names)),
    // Parts of URLs: tokens, and public keys in queries.
    'urls.map': lines(said(names)),
    'hosts.map': lines(
      [...byName].flatMap(([cell, { hosts }]) => hosts.map((host) => [host.toLowerCase(), cell] as const)),
    ),
    'backends.cfg': [...byName].map(([cell, { url }]) => backendOf(cell, new URL(url))).join('\n'),
  }
}

const said = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((cell) =>
    [...keyPrefixes.map((prefix) => prefix + getCellPrefix(cell)), getTokenPrefix(cell)].map(
      (text) => [text, cell] as const,
    ),
  )

const lines = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map((pair) => `${pair.join(' ')}\n`).join('')

/** The health check covers the process, but not its database, because the ingress itself reports what it cannot do. */
function backendOf(cell: string, { protocol, hostname, port }: URL): string {
  const tls = protocol === 'https:'
  const address = `${hostname}:${port || (tls ? 443 : 80)}`
  return `backend cell_${cell}
    option httpchk GET /healthz
    http-check expect status 200
    default-server inter 1s fastinter 300ms downinter 500ms fall 2 rise 1${tls ? ' ssl verify required ca-file @system-ca' : ''}
    server ${cell} ${address} check
`
}
