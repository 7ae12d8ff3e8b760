import { z } from 'zod'

/** The name of a cell: short, as every key of it carries it, and without the `_` that ends it there. */
export const cellName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be a small letter and at most 15 more or digits')
