import { badRequest } from '#lib/errors.ts'
import { Origin } from '#lib/network/origin.ts'

/**
 * Returns the origins in the form field `origins`. They are separated by spaces, commas or line breaks. Throws 400 with
 * the first invalid origin.
 */
export function parseOrigins(text: string): string[] {
  const words = [...new Set(text.replaceAll(',', ' ').split(/\s/).filter(Boolean))]
  const bad = words.find((word) => !Origin.safeParse(word).success)
  if (bad === undefined) return words
  const issue = `must be origins as browsers send them, such as https://www.example.com, not ${bad.slice(0, 100)}`
  throw badRequest([{ field: 'form.origins', issue }])
}
