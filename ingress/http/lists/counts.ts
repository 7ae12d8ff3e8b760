import { z } from 'zod'

export const CountsOf = <N extends string>(names: { options: readonly N[] }): z.ZodObject<Record<N, z.ZodInt>> =>
  z.object(Object.fromEntries(names.options.map((name) => [name, z.int()])) as Record<N, z.ZodInt>)
