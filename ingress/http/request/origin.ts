import { badRequest } from '#lib/errors.ts'
import { Origin } from '#lib/origin.ts'

/** The origins in a form's field `origins`, apart by spaces, commas or lines; throws 400 that quotes what is none. */
export function originsOf(text: string): string[] {
  const words = [...new Set(text.replaceAll(',', ' ').split(/\s/).filter(Boolean))]
  const bad = words.find((word) => !Origin.safeParse(word).success)
  if (bad === undefined) return words
  const issue = `must be origins as browsers send them, such as https://www.example.com, not ${bad.slice(0, 100)}`
  throw badRequest([{ field: 'form.origins', issue }])
}
