/** The trunk for a number: of those with the longest prefix, one that is reachable if there is any. */
export function trunkFor<Trunk extends { prefix: string }>(
  trunks: readonly Trunk[],
  number: string,
  reachable: (trunk: Trunk) => boolean,
): Trunk | undefined {
  const fitting = trunks.filter(({ prefix }) => number.startsWith(prefix))
  const longest = Math.max(...fitting.map(({ prefix }) => prefix.length))
  const best = fitting.filter(({ prefix }) => prefix.length === longest)
  return best.find(reachable) ?? best[0]
}

/** Whether a trunk that answers an OPTIONS so is there (RFC 3261 11); 408 stands for no answer. */
export const isReachable = (status: number): boolean => status !== 408 && status !== 503
