import { tokenOpening } from '#lib/cell-marks.ts'
import type { Cells } from '#lib/cells.ts'
import { cellMark, keyPrefixes } from '#lib/tokens.ts'

/** The files that HAProxy routes by, beside `ops/deploy/haproxy/cells.cfg`; each is written whole. */
export function mapsOf({ byName }: Cells): Record<string, string> {
  const names = [...byName.keys()]
  return {
    // What the value of `Authorization` or `x-api-key` begins with.
    'keys.map': lines(said(names)),
    // What a URL has in it: tokens, and public keys in queries.
    'urls.map': lines(said(names)),
    'hosts.map': lines(
      [...byName].flatMap(([cell, { hosts }]) => hosts.map((host) => [host.toLowerCase(), cell] as const)),
    ),
    'backends.cfg': [...byName].map(([cell, { url }]) => backendOf(cell, new URL(url))).join('\n'),
  }
}

/** How keys of each prefix and tokens begin that say a cell. */
const said = (names: readonly string[]): (readonly [string, string])[] =>
  names.flatMap((cell) =>
    [...keyPrefixes.map((prefix) => prefix + cellMark(cell)), tokenOpening(cell)].map((text) => [text, cell] as const),
  )

const lines = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map((pair) => `${pair.join(' ')}\n`).join('')

/** A cell is asked whether its process lives, not whether its database does: its ingress says itself what it cannot do. */
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
