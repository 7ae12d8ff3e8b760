/** Returns the trunk for a number: a trunk with the longest matching prefix, preferably a reachable trunk. */
export function selectTrunk<Trunk extends { prefix: string }>(
  trunks: readonly Trunk[],
  number: string,
  reachable: (trunk: Trunk) => boolean,
): Trunk | undefined {
  const fitting = trunks.filter(({ prefix }) => number.startsWith(prefix))
  const longest = Math.max(...fitting.map(({ prefix }) => prefix.length))
  const best = fitting.filter(({ prefix }) => prefix.length === longest)
  return best.find(reachable) ?? best[0]
}

/**
 * True if the status of an OPTIONS response means that the trunk works (RFC 3261 11). 408 means that there was no
 * response.
 */
export const isReachable = (status: number): boolean => status !== 408 && status !== 503
