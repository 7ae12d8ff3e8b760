import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import { problem } from '../http/problem-kinds.ts'

const longest = 64

export const Slug = z
  .string()
  .max(longest)
  .regex(
    /^[a-z0-9]+(-[a-z0-9]+)*$/,
    'must contain only lower-case letters and digits, with single hyphens between them',
  )

export const slugTaken = problem(409, 'slug_taken', 'Another channel of your organisation has this slug.')

/** Returns a slug for a name. The slug has room for `spare` more characters. */
function slugOf(name: string, spare: number): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, longest - spare)
  return slug.replace(/^-|-$/g, '') || 'channel'
}

/** Returns a slug that no other channel of the organisation uses. The caller must hold the lock on its channels. */
export async function generateSlug(tx: Db, orgId: string, name: string): Promise<string> {
  const slug = slugOf(name, 6)
  const taken = await channels.listSlugs(tx, orgId, slug)
  for (let number = 1; ; number++) {
    const tried = number === 1 ? slug : `${slug}-${number}`
    if (!taken.has(tried)) return tried
  }
}

/** Throws 409 if another channel of the organisation uses the slug. The caller must hold the lock on its channels. */
export async function demandFree(tx: Db, orgId: string, slug: string): Promise<void> {
  if ((await channels.listSlugs(tx, orgId, slug)).has(slug))
    throw slugTaken(`Your organisation already has a channel with the slug ${slug}. Choose another slug.`, { slug })
}
