/**
 * Parses an IPv4 address in any form of `inet_aton`. Returns four decimal numbers. Undefined if the text is not an
 * address. Like `inet_aton`, ignores text after a space, and drops the upper bits of large numbers.
 */
export function canonicalIpv4(host: string): string | undefined {
  const parts = host.split(' ', 1)[0]?.split('.') ?? []
  const numbers = parts.map(numberOf)
  const last = numbers.at(-1)
  if (parts.length > 4 || last === undefined || numbers.includes(undefined)) return
  const bytes = (numbers as bigint[]).slice(0, -1).map((number) => number & 0xffn)
  for (let shift = 3 - bytes.length; shift >= 0; shift--) bytes.push((last >> BigInt(8 * shift)) & 0xffn)
  return bytes.join('.')
}

/** Parses hexadecimal after 0x, octal after 0, otherwise decimal. */
function numberOf(text: string): bigint | undefined {
  if (/^0x[0-9a-f]{1,16}$/i.test(text)) return BigInt(text)
  if (/^0[0-7]{0,20}$/.test(text)) return BigInt(`0o0${text.slice(1)}`)
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : undefined
}

const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/
const nat64 = /^\[64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})?\]$/
const compatible = /^\[::([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/

/**
 * Returns an IPv6 address in brackets and in its shortest form. IPv4-mapped and NAT64 addresses are returned as IPv4.
 */
export function canonicalIpv6(text: string): string | undefined {
  const host = URL.parse(`http://[${text}]/`)?.hostname
  const within = host && (mapped.exec(host) ?? nat64.exec(host))
  if (within) return ipv4Of(within)
  const dotted = host && compatible.exec(host)
  return dotted ? `[::${ipv4Of(dotted)}]` : host
}

const ipv4Of = ([, high = '0', low = '0']: RegExpExecArray): string =>
  [high, low]
    .map((hex) => Number.parseInt(hex, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.')
