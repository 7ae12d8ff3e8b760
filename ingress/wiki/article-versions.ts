import { structuredPatch } from 'diff'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Int4, queryInt } from '#lib/input-types.ts'
import * as rows from '#sql/wiki/article-versions.ts'
import * as articles from '#sql/wiki/articles.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { Article, changeFields } from './article-fields.ts'
import { formatEtag, requireCurrentBasis, versionConflict, writeVersion } from './change-article.ts'
import { presentArticle } from './present-article.ts'

const params = z.object({ id: pathId('article'), versionId: pathId('version') })

const diffTimeoutMs = 150

const diffTooLarge = problem(
  400,
  'diff_too_large',
  'The versions are too different to compare. Read both versions instead.',
)

const Entry = z
  .object({
    id: Id,
    version: z.int(),
    title: z.string(),
    summary: z.string(),
    tags: z.array(z.string()),
    comment: z.string().nullable(),
    author: z.string().nullable(),
    key_id: Id.nullable().describe('API key that created the version'),
    restored_from: z.int().nullable().describe('Version from which the text was restored'),
    size: z.int().describe('Size of the body in bytes'),
    sha256: z.string().describe('Hash of the body'),
    created_at: Instant,
  })
  .meta({ id: 'wiki.VersionListed' })

const Hunk = z.object({
  old_start: z.int(),
  old_lines: z.int(),
  new_start: z.int(),
  new_lines: z.int(),
  lines: z.array(z.string()).describe('Lines, each starting with a space, `+` or `-`'),
})

const Version = Entry.extend({
  body: z.string(),
  diff: z
    .object({ from: z.int(), to: z.int(), unified: z.string(), hunks: z.array(Hunk) })
    .nullable()
    .describe('With `diff`: changes of the body between that version and this version'),
}).meta({ id: 'wiki.Version' })

const present = ({ number, article_id: _, ...row }: rows.Entry): z.input<typeof Entry> => ({ ...row, version: number })

export const list = listRoute({
  path: '/admin/articles/{id}/versions',
  summary: 'List article versions, newest first',
  description: 'Returns each version with its author and comment, without its text.',
  scope: 'wiki:write',
  reads: 'replica',
  params: z.object({ id: pathId('article') }),
  problems: ['not_found'],
  item: Entry,
  async rows({ params: { id }, org, db }, page) {
    await mustFind(articles.find(db, org.id, id), 'article')
    return await rows.list(db, id, page)
  },
  present,
})

export const read = route({
  method: 'GET',
  path: '/admin/articles/{id}/versions/{versionId}',
  summary: 'Read an article version',
  description:
    'With `diff`, the number of a different version, returns the changes from that version to this version, as a unified diff and as hunks.',
  scope: 'wiki:write',
  params,
  query: z.object({ diff: queryInt(1, 2_147_483_647).optional() }),
  status: 200,
  reply: Version,
  problems: ['not_found', diffTooLarge],
  async handle({ params: { id, versionId }, query: { diff }, org, db }) {
    await mustFind(articles.find(db, org.id, id), 'article')
    const version = await mustFind(rows.find(db, id, versionId), 'version')
    const other =
      diff === undefined ? undefined : await mustFind(rows.findByNumber(db, id, diff), 'version to compare with')
    return { ...present(version), body: version.body, diff: other ? compare(other, version) : null }
  },
})

function compare(from: rows.Version, to: rows.Version) {
  const names = [`version ${from.number}`, `version ${to.number}`] as const
  const patch = structuredPatch(...names, from.body, to.body, undefined, undefined, { timeout: diffTimeoutMs })
  if (!patch) throw diffTooLarge('The versions are too different to compare. Read both versions instead.')
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    old_start: oldStart,
    old_lines: oldLines,
    new_start: newStart,
    new_lines: newLines,
    lines,
  }))
  const body = hunks.flatMap(({ old_start, old_lines, new_start, new_lines, lines }) => [
    `@@ -${old_start},${old_lines} +${new_start},${new_lines} @@`,
    ...lines,
  ])
  const unified = hunks.length === 0 ? '' : [`--- ${names[0]}`, `+++ ${names[1]}`, ...body, ''].join('\n')
  return { from: from.number, to: to.number, unified, hunks }
}

export const restore = route({
  method: 'POST',
  path: '/admin/articles/{id}/versions/{versionId}/restore',
  summary: 'Restore an article version',
  description:
    'Creates a new version with the old text. The history does not change. Readers see the new version after it is published.',
  scope: 'wiki:write',
  params,
  body: z.strictObject({ ...changeFields, base_version: Int4.min(1).optional() }),
  status: 200,
  reply: Article,
  headers: { etag: 'Tag of the article’s current state. Send it as `If-Match` with a change' },
  problems: ['not_found', versionConflict],
  async handle({
    params: { id, versionId },
    body: { comment, author, base_version },
    org,
    key,
    db,
    origin,
    header,
    set,
  }) {
    return await db.transaction(async (tx) => {
      const article = await mustFind(articles.lock(tx, org.id, id), 'article')
      const version = await mustFind(rows.find(tx, id, versionId), 'version')
      requireCurrentBasis(article, { ifMatch: header('if-match'), baseVersion: base_version })
      const number = article.version + 1
      await writeVersion(tx, id, number, version, { keyId: key.id, comment, author, restoredFrom: version.number })
      const after = await articles.change(tx, { ...article, version: number })
      set('etag', formatEtag(after))
      return await presentArticle(tx, after, origin)
    })
  },
})
