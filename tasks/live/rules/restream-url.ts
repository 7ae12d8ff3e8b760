import { config } from '#lib/config.ts'
import { guardAddresses, OutboundError } from '#lib/network/address-guard.ts'

/**
 * Allowed targets: public addresses on the ports of RTMP and RTMPS and, for strict firewalls, on ports 80 and 443. Also
 * addresses that the operator allows.
 */
export const restreamRules = { allowed: config.OUTBOUND_ALLOWED, ports: [80, 443, 1935, 1936] }

const [longest, longestHost] = [1_000, 253]

export const getTargetPort = ({ port, protocol }: URL): string => port || (protocol === 'rtmps:' ? '443' : '1935')

/**
 * Returns the same host and port as an HTTP URL, which normalises IP addresses (`0x7f.1` is 127.0.0.1). Throws if the
 * host is invalid.
 */
export function toHttpUrl(target: URL): URL {
  const plain = new URL(`http://${target.host}/`)
  plain.port = getTargetPort(target)
  return plain
}

/** Returns an issue for the caller if the URL is not allowed, otherwise undefined. */
export function checkRestreamUrl(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'rtmp:' && url.protocol !== 'rtmps:'))
    return 'must be an address such as rtmp://live.example.com/app or rtmps://live.example.com:443/app'
  if (text.length > longest) return `must have at most ${longest} characters`
  if (url.username || url.password) return 'must not contain a user name or a password'
  if (text.includes('?') || text.includes('#')) return 'must not contain ? or #: add the text after them to streamKey'
  if (!url.hostname || url.hostname.length > longestHost) return 'must contain a host'
  if (url.port === '0') return 'must name a port from 1 to 65535'
  if (url.pathname.split('/').every((part) => part === '')) return 'must contain the application, such as /app'
  return guardFault(url)
}

function guardFault(url: URL): string | undefined {
  try {
    guardAddresses(restreamRules).checkUrl(toHttpUrl(url))
  } catch (error) {
    return error instanceof OutboundError ? `is refused: ${error.message}` : 'must contain a host'
  }
  return undefined
}

export function trimUrl(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end--
  return text.slice(0, end)
}
