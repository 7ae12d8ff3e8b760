export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

/** Returns the signs of the numbers as a bit string. */
export const signsOf = (vector: Float32Array): string => Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('')

/** Number of steps per unit in a short vector. Numbers of unit vectors with 512 numbers are rarely above 0.25. */
const steps = 500

/** Returns the bytes of a unit vector: four per number, or one if it is short. */
export function bytesOf(unit: Float32Array, isShort: boolean): Buffer {
  const bytes = Buffer.alloc(unit.length * (isShort ? 1 : 4))
  for (const [i, value] of unit.entries()) {
    if (isShort) bytes.writeInt8(Math.max(-127, Math.min(127, Math.round(value * steps))), i)
    else bytes.writeFloatLE(value, i * 4)
  }
  return bytes
}

/** Returns the dot product of a vector and the stored bytes of a unit vector. */
export function product(asked: Float32Array, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isShort = bytes.length === asked.length
  let sum = 0
  for (let i = 0; i < asked.length; i++) {
    sum += (asked[i] ?? 0) * (isShort ? view.getInt8(i) / steps : view.getFloat32(i * 4, true))
  }
  return sum
}
