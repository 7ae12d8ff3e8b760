/** Returns the dot product: the similarity of two unit vectors, from -1 to 1. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (const [i, value] of one.entries()) sum += value * (other[i] ?? 0)
  return sum
}
