/** How a group is written. */
export interface Splitting<T> {
  /** Writes all of them or none. */
  write(part: readonly T[]): Promise<void>
  /** Whether an error may be the fault of one of them; any other is everybody's, and no part is tried again. */
  isOnes(error: unknown): boolean
  /** Settles the one that cannot be written, or a part that failed by nobody's fault in it. */
  failed(part: readonly T[], error: unknown): void | Promise<void>
}

/**
 * Writes a group at once. Of one that fails by something in it each half goes by itself, until what is bad stands alone: one bad
 * row among n costs 2 log2 n writes, and no neighbour.
 */
export async function splitting<T>(group: readonly T[], how: Splitting<T>): Promise<void> {
  try {
    await how.write(group)
  } catch (error) {
    if (group.length === 1 || !how.isOnes(error)) return await how.failed(group, error)
    const middle = group.length >> 1
    // The second half has its turn whatever becomes of the first.
    const [first, second] = [group.slice(0, middle), group.slice(middle)]
    const outcomes = [await settled(splitting(first, how)), await settled(splitting(second, how))]
    const fault = outcomes.find((outcome) => outcome !== undefined)
    if (fault) throw fault.error
  }
}

/** The error of what fails; undefined for what does not. */
const settled = (work: Promise<void>): Promise<{ error: unknown } | undefined> =>
  work.then(
    () => undefined,
    (error) => ({ error }),
  )
