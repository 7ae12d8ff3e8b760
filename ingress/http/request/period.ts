import { badRequest } from '#lib/errors.ts'

/** Returns the end of a period, which is by default now. Throws a 400 if the period does not end after its start. */
export function endOfPeriod({ since, until }: { since: string; until?: string | undefined }): Date {
  const [start, end] = [new Date(since), until === undefined ? new Date() : new Date(until)]
  if (end > start) return end
  const fault = until === undefined ? ['since', 'must be in the past'] : ['until', 'must be after `since`']
  throw badRequest([{ field: `body.${fault[0]}`, issue: `${fault[1]}` }])
}
