import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as articles from '#sql/wiki/articles.ts'
import { fold } from '#sql/wiki/fold.ts'

const longest = 80

const words = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u

/** Schema of a slug from a user: lowercase words of any script, joined by hyphens. A slug must not look like an ID. */
export const Slug = z
  .string()
  .max(longest)
  .refine((slug) => words.test(slug) && slug === slug.toLowerCase(), 'must be lowercase words joined by hyphens')
  .refine((slug) => !Id.safeParse(slug).success, 'must not look like an ID')
  .describe('Path of the public web page, unique in the installation. Previous slugs redirect to the article.')

/** Returns the slug of a title, or `article` if the title has no letter or digit. */
export function createSlug(title: string): string {
  const slug = fold(title)
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
  // Truncating the slug can split a surrogate pair.
  const cut = slug
    .replace(/^-+/, '')
    .slice(0, longest)
    .toWellFormed()
    .replace(/(?<![-�])[-�]+$/, '')
  return Slug.safeParse(cut).success ? cut : 'article'
}

/** Assigns a free slug to a new article: `title`, then `title-2` and so on. */
export async function claimFreeSlug(tx: Db, articleId: string, title: string): Promise<string> {
  const slug = createSlug(title)
    .slice(0, longest - 8)
    .replace(/(?<!-)-+$/, '')
  const taken = await articles.listSlugsWithPrefix(tx, slug)
  for (let number = 1; ; number++) {
    const wanted = number === 1 ? slug : `${slug}-${number}`
    if (!taken.has(wanted) && (await articles.takeSlug(tx, articleId, wanted))) return wanted
  }
}
