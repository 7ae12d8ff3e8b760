/** Limits concurrent work. Returns undefined if no slot is free. */
export function createSlots(most: number): () => Disposable | undefined {
  let taken = 0
  return () => {
    if (taken >= most) return undefined
    taken++
    return { [Symbol.dispose]: () => void taken-- }
  }
}
