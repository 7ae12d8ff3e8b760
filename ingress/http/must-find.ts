import { notFound } from '#lib/errors.ts'

/**
 * Returns the result of a lookup. Throws 404 `No such <what>.` if the object does not exist or belongs to another
 * organisation.
 */
export async function mustFind<T>(lookup: Promise<T | null | undefined>, what: string): Promise<T> {
  const found = await lookup
  if (found === null || found === undefined) throw notFound(what)
  return found
}
