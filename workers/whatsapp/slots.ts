/** Limits concurrent work. The returned function reserves a slot, or returns undefined if no slot is free. */
export function createSlots(most: number): () => Disposable | undefined {
  let taken = 0
  return () => {
    if (taken >= most) return undefined
    taken++
    return { [Symbol.dispose]: () => void taken-- }
  }
}
