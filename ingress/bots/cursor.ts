import type { z } from 'zod'
import { badRequest } from '#lib/errors.ts'

/** A cursor that stands for a place in a list, as its order has it. */
export const cursorOf = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url')

/** The place that a cursor stands for; throws 400 for one that no list gave out. */
export function placeIn<Place extends z.ZodType>(
  schema: Place,
  cursor: string | undefined,
): z.output<Place> | undefined {
  if (cursor === undefined) return undefined
  const place = schema.safeParse(parsed(Buffer.from(cursor, 'base64url').toString()))
  if (!place.success) throw badRequest([{ field: 'query.cursor', issue: 'is not a cursor that a list gave out' }])
  return place.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
