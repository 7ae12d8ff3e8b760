import { z } from 'zod'

/** A list of words that are separated by commas. */
export const splitWords = z
  .string()
  .min(1)
  .max(4_000)
  .transform((text) => [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== ''))
