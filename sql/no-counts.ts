/** Returns zero for each name. Use the result as the base of counts: `{ ...zeroCounts(Status), sent: 3 }`. */
export const zeroCounts = <N extends string>(names: { options: readonly N[] }): Record<N, number> =>
  Object.fromEntries(names.options.map((name) => [name, 0])) as Record<N, number>
