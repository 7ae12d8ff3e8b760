export interface GroupWriter<T> {
  write(part: readonly T[]): Promise<void>
  isOnes(error: unknown): boolean
  failed(part: readonly T[], error: unknown): void | Promise<void>
}

/**
 * Writes a group in one call. If an item causes an error, each half is written separately until the bad item is
 * isolated. One bad row among n rows costs 2 log2 n writes, and all other rows are written.
 */
export async function writeInHalves<T>(group: readonly T[], how: GroupWriter<T>): Promise<void> {
  try {
    await how.write(group)
  } catch (error) {
    if (group.length === 1 || !how.isOnes(error)) return await how.failed(group, error)
    const middle = group.length >> 1
    const [first, second] = [group.slice(0, middle), group.slice(middle)]
    const outcomes = [await settled(writeInHalves(first, how)), await settled(writeInHalves(second, how))]
    const fault = outcomes.find((outcome) => outcome !== undefined)
    if (fault) throw fault.error
  }
}

const settled = (work: Promise<void>): Promise<{ error: unknown } | undefined> =>
  work.then(
    () => undefined,
    (error) => ({ error }),
  )
