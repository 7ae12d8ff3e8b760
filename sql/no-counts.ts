/** Zero for each of some names, which what was counted is laid over: `{ ...noCounts(Status), sent: 3 }`. */
export const noCounts = <N extends string>(names: { options: readonly N[] }): Record<N, number> =>
  Object.fromEntries(names.options.map((name) => [name, 0])) as Record<N, number>
