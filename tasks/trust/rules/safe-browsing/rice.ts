/** Sorted 32-bit numbers as Safe Browsing sends them: `RiceDeltaEncoded32Bit`. */
export interface RiceDeltaEncoded {
  firstValue: number
  riceParameter: number
  entriesCount: number
  encodedData: Buffer
}

/**
 * Decodes Golomb-Rice coded differences. The quotient is in unary: ones, ended by a zero. Then follow as many bits of
 * the remainder as the parameter says, least significant bit of each byte first. Throws RangeError if the data ends early.
 */
export function decodeRice({ firstValue, riceParameter, entriesCount, encodedData }: RiceDeltaEncoded): Uint32Array {
  const values = new Uint32Array(entriesCount + 1)
  let at = 0
  const bit = () => {
    const byte = encodedData[at >> 3]
    if (byte === undefined) throw new RangeError('The encoded data ends too early.')
    return (byte >> (at++ & 7)) & 1
  }
  values[0] = firstValue
  for (let i = 1; i <= entriesCount; i++) {
    let quotient = 0
    while (bit() === 1) quotient++
    let remainder = 0
    for (let place = 0; place < riceParameter; place++) remainder += bit() * 2 ** place
    values[i] = (values[i - 1] as number) + quotient * 2 ** riceParameter + remainder
  }
  return values
}
