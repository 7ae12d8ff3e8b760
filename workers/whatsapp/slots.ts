/** Makes what gives away so many places at once; undefined when there is none. */
export function createSlots(most: number): () => Disposable | undefined {
  let taken = 0
  return () => {
    if (taken >= most) return undefined
    taken++
    return { [Symbol.dispose]: () => void taken-- }
  }
}
