import { z } from 'zod'
import type { Measured, Transformed } from '#tasks/files/rules/images/engine.ts'
import type { Frame } from './frames.ts'

const side = z.int().min(1)

const Made = z.strictObject({
  contentType: z.enum(['image/avif', 'image/webp', 'image/jpeg', 'image/png', 'image/gif']),
  width: side,
  height: side,
})

const Answer = z.union([
  z.strictObject({ made: Made }),
  z.strictObject({
    facts: z.strictObject({
      width: side,
      height: side,
      frames: side,
      alpha: z.boolean(),
      blurhash: z.string().regex(/^[\x21-\x7e]{6,100}$/),
    }),
  }),
  z.strictObject({ original: z.literal(true) }),
  z.strictObject({ fault: z.enum(['damaged', 'too_many_pixels', 'too_complex', 'result_too_large']) }),
])

/**
 * Reads the answer of the engine’s process. Returns `null` if it is not an answer: a process that was taken over by an
 * image can send anything, for example the type of a web page.
 */
export function readAnswer({ head, body }: Frame): Measured | Transformed | null {
  const { data } = Answer.safeParse(head)
  if (!data) return null
  if (!('made' in data)) return data as Measured | Transformed
  return body.length === 0 ? null : { made: { ...data.made, bytes: body } }
}
