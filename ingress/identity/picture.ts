import { z } from 'zod'

/** Returns the schema of an image of up to `most` bytes in base64 or as `data:` URI. Parses it to its bytes. */
export const createPicture = (most: number) =>
  z
    .string()
    .min(1)
    .transform((text, ctx) => {
      const comma = text.startsWith('data:') ? text.indexOf(',') : -1
      const base64 = text.slice(comma + 1)
      const isNamed = comma === -1 || /^data:[^,]{0,100};base64$/.test(text.slice(0, comma))
      // Searches for an invalid character. A pattern for the whole text would need a stack of several megabytes.
      if (!isNamed || /[^A-Za-z0-9+/=_\s-]/.test(base64)) {
        ctx.addIssue({ code: 'custom', message: 'must be base64, or a data: URI in base64' })
        return z.NEVER
      }
      const bytes = Buffer.from(base64, 'base64')
      if (bytes.length === 0 || bytes.length > most) {
        ctx.addIssue({ code: 'custom', message: `must be 1 to ${most} bytes, not ${bytes.length}` })
        return z.NEVER
      }
      return bytes
    })
