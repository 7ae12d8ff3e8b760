import { z } from 'zod'

/** A page's origin as browsers send it: scheme, host and a port that is not the scheme's own. */
export const Origin = z
  .string()
  .max(300)
  .refine((text) => /^https?:/.test(text) && URL.parse(text)?.origin === text, {
    message: 'must be an origin as browsers send it, such as https://www.example.com',
  })
