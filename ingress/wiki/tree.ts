import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as articles from '#sql/wiki/articles.ts'
import * as rows from '#sql/wiki/places.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { pageUrl } from './article-fields.ts'

const TreeArticle = z
  .object({
    id: Id,
    slug: z.string(),
    url: z.url().describe('URL of the public web page, if it is published'),
    title: z.string(),
    status: z.enum(articles.statuses),
    language: z.string(),
    parent_id: Id.nullable().describe(
      'ID of the parent article. `null` at the top level, and if the parent is not visible.',
    ),
    position: z.int(),
    depth: z.int().describe('Level in the tree, starting at 0'),
  })
  .meta({ id: 'wiki.TreeArticle' })

const Tree = z.object({ articles: z.array(TreeArticle).describe(`Articles in tree order, up to ${rows.mostRead}`) })

/**
 * Returns articles in tree order. Each article comes before its children, and siblings are sorted by position and
 * title.
 */
function sortAsTree(found: readonly rows.TreeArticle[], origin: string): z.input<typeof TreeArticle>[] {
  const shown = new Set(found.map(({ id }) => id))
  const byParent = Map.groupBy(found, ({ parent_id }) =>
    parent_id !== null && shown.has(parent_id) ? parent_id : null,
  )
  const walk = (parent: string | null, depth: number): z.input<typeof TreeArticle>[] =>
    (byParent.get(parent) ?? [])
      .toSorted((a, b) => a.position - b.position || a.title.localeCompare(b.title) || (a.id < b.id ? -1 : 1))
      .flatMap((one) => [
        { ...one, parent_id: parent, url: pageUrl(origin, one.slug), depth },
        ...walk(one.id, depth + 1),
      ])
  return walk(null, 0)
}

export const read = route({
  method: 'GET',
  path: '/tree',
  summary: 'Read the tree of published articles',
  description: 'Returns published articles as a tree, with their titles and URLs.',
  scope: 'wiki:read',
  reads: 'replica',
  status: 200,
  reply: Tree,
  handle: async ({ org, db, origin }) => ({ articles: sortAsTree(await rows.tree(db, org.id, false), origin) }),
})

export const readAll = route({
  method: 'GET',
  path: '/admin/tree',
  summary: 'Read the tree of all articles',
  description: 'Returns articles of every status as a tree.',
  scope: 'wiki:write',
  reads: 'replica',
  status: 200,
  reply: Tree,
  handle: async ({ org, db, origin }) => ({ articles: sortAsTree(await rows.tree(db, org.id, true), origin) }),
})

const Place = z.object({ article_id: Id, parent_id: Id.nullable(), position: z.int() }).meta({ id: 'wiki.Place' })

export const put = route({
  method: 'PUT',
  path: '/articles/{id}/place',
  summary: 'Move an article in the tree',
  description: `Takes effect immediately, without a new version. Articles can be up to ${rows.mostDeep} levels deep, and cannot be below themselves.`,
  scope: 'wiki:write',
  params: z.object({ id: pathId('article') }),
  body: z.strictObject({
    parent_id: Id.nullable().describe('Parent article. `null` for the top level.'),
    position: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('Position among the children of the parent, lowest first'),
  }),
  status: 200,
  reply: Place,
  problems: ['not_found', 'conflict'],
  example: { body: { parent_id: null, position: 1 } },
  async handle({ params: { id }, body: { parent_id, position }, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(articles.find(tx, org.id, id), 'article')
      if (parent_id !== null && !(await articles.find(tx, org.id, parent_id)))
        throw badRequest([{ field: 'body.parent_id', issue: 'must be an article of your organisation' }])
      if (parent_id === id) throw badRequest([{ field: 'body.parent_id', issue: 'cannot be the article itself' }])
      if (!(await rows.put(tx, { article_id: id, org_id: org.id, parent_id, position })))
        throw conflict(`The article would be below itself or deeper than ${rows.mostDeep} levels.`)
      return { article_id: id, parent_id, position }
    })
  },
})
