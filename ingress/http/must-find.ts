import { notFound } from '#lib/errors.ts'

/** What was looked up; throws 404 `No such <what>.` when there is none, or it belongs to somebody else. */
export async function mustFind<T>(lookup: Promise<T | null | undefined>, what: string): Promise<T> {
  const found = await lookup
  if (found === null || found === undefined) throw notFound(what)
  return found
}
