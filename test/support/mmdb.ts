/** A value of the data section. */
type Value = string | number | { [name: string]: Value } | string[]

/** Encodes a value of the data section (MaxMind DB file format 2.0): type in the upper three bits, size in the lower five. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([Buffer.from([(2 << 5) | value.length]), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([Buffer.from([(6 << 5) | 4]), bytes])
  }
  // Types above 7 stand in a byte of their own, less 7.
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)])
  const pairs = Object.entries(value).flatMap(([name, field]) => [encode(name), encode(field)])
  return Buffer.concat([Buffer.from([(7 << 5) | (pairs.length / 2)]), ...pairs])
}

/** The bits of an IPv4 network, most significant first. */
function bitsOf(network: string): number[] {
  const [address = '', length] = network.split('/')
  const bits = address.split('.').flatMap((byte) => [...Number(byte).toString(2).padStart(8, '0')].map(Number))
  return bits.slice(0, Number(length))
}

/** A MaxMind DB file that knows the countries of some IPv4 networks, which must not overlap. */
export function mmdb(countries: Record<string, string>): Buffer {
  const nodes: [number | string | null, number | string | null][] = [[null, null]]
  for (const [network, country] of Object.entries(countries)) {
    let node = 0
    const bits = bitsOf(network)
    for (const [i, bit] of bits.entries()) {
      const record = nodes[node] as (typeof nodes)[number]
      if (i === bits.length - 1) record[bit] = country
      else node = record[bit] = typeof record[bit] === 'number' ? record[bit] : nodes.push([null, null]) - 1
    }
  }
  const data: Buffer[] = []
  const offsets = new Map<string, number>()
  for (const country of new Set(Object.values(countries))) {
    offsets.set(country, Buffer.concat(data).length)
    data.push(encode({ country: { iso_code: country } }))
  }
  const tree = Buffer.alloc(nodes.length * 6)
  const resolve = (record: number | string | null) => {
    if (record === null) return nodes.length
    return typeof record === 'number' ? record : nodes.length + 16 + (offsets.get(record) ?? 0)
  }
  for (const [i, node] of nodes.entries()) {
    for (const [side, record] of node.entries()) tree.writeUIntBE(resolve(record), i * 6 + side * 3, 3)
  }
  const facts = { node_count: nodes.length, record_size: 24, ip_version: 4, database_type: 'Test-Country' }
  const format = { binary_format_major_version: 2, binary_format_minor_version: 0, build_epoch: 1, languages: ['en'] }
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, encode({ ...facts, ...format })])
}
