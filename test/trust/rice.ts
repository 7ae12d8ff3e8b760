/** Sorted numbers as Safe Browsing encodes them (Golomb-Rice coding of their differences), in JSON. */
export function riceEncoded(values: readonly number[], riceParameter: number) {
  const bits: number[] = []
  for (const [i, value] of values.entries()) {
    if (i === 0) continue
    const difference = value - (values[i - 1] as number)
    const quotient = Math.floor(difference / 2 ** riceParameter)
    for (let n = 0; n < quotient; n++) bits.push(1)
    bits.push(0)
    for (let place = 0; place < riceParameter; place++) bits.push(Math.floor(difference / 2 ** place) % 2)
  }
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  for (const [i, bit] of bits.entries()) bytes[i >> 3] = (bytes[i >> 3] as number) | (bit << (i & 7))
  const encodedData = bytes.toString('base64')
  return { firstValue: values[0], riceParameter, entriesCount: values.length - 1, encodedData }
}
