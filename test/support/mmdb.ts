import ipaddr from 'ipaddr.js'

export type Value = string | number | boolean | { [name: string]: Value } | string[]

/**
 * Encodes a value of the data section (MaxMind DB file format 2.0): type in the upper three bits, size in the lower
 * five.
 */
function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    // Sizes from 29 on are in a separate byte, minus 29.
    const head = bytes.length < 29 ? [(2 << 5) | bytes.length] : [(2 << 5) | 29, bytes.length - 29]
    return Buffer.concat([Buffer.from(head), bytes])
  }
  // Types above 7 are in a separate byte, minus 7.
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0, 14 - 7])
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(5, (6 << 5) | 4)
    bytes.writeUInt32BE(value, 1)
    return bytes
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, (3 << 5) | 8)
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)])
  const pairs = Object.entries(value).flatMap(([name, field]) => [encode(name), encode(field)])
  return Buffer.concat([Buffer.from([(7 << 5) | (pairs.length / 2)]), ...pairs])
}

/** Returns the bits of a network in a tree of IPv6 addresses, most significant first. IPv4 is under ::/96. */
function bitsOf(network: string): number[] {
  const [address, length] = ipaddr.parseCIDR(network)
  const isV4 = address.kind() === 'ipv4'
  const bytes = [...(isV4 ? Array<number>(12).fill(0) : []), ...address.toByteArray()]
  const bits = bytes.flatMap((byte) => [...byte.toString(2).padStart(8, '0')].map(Number))
  return bits.slice(0, isV4 ? 96 + length : length)
}

/** Returns a MaxMind DB file with a record per network. Networks must not overlap. */
export function mmdbOf(records: readonly (readonly [network: string, record: Value])[], type = 'Test-City'): Buffer {
  const nodes: [number | Value | null, number | Value | null][] = [[null, null]]
  for (const [network, value] of records) {
    let node = 0
    const bits = bitsOf(network)
    for (const [i, bit] of bits.entries()) {
      const record = nodes[node] as (typeof nodes)[number]
      if (i === bits.length - 1) record[bit] = value
      else node = record[bit] = typeof record[bit] === 'number' ? record[bit] : nodes.push([null, null]) - 1
    }
  }
  const data: Buffer[] = []
  const offsets = new Map<Value, number>()
  let offset = 0
  for (const value of new Set(records.map(([, record]) => record))) {
    const bytes = encode(value)
    offsets.set(value, offset)
    offset += bytes.length
    data.push(bytes)
  }
  const tree = Buffer.alloc(nodes.length * 6)
  const resolve = (record: number | Value | null) => {
    if (record === null) return nodes.length
    return typeof record === 'number' ? record : nodes.length + 16 + (offsets.get(record) ?? 0)
  }
  for (const [i, node] of nodes.entries()) {
    for (const [side, record] of node.entries()) tree.writeUIntBE(resolve(record), i * 6 + side * 3, 3)
  }
  const facts = { node_count: nodes.length, record_size: 24, ip_version: 6, database_type: type }
  const format = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000,
    languages: ['en'],
    description: { en: 'a test' },
  }
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, encode({ ...facts, ...format })])
}

export function mmdb(countries: Record<string, string>): Buffer {
  return mmdbOf(
    Object.entries(countries).map(([network, iso_code]) => [network, { country: { iso_code } }]),
    'Test-Country',
  )
}
