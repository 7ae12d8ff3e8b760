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
    url: z.url().describe('Its public page, if it is published'),
    title: z.string(),
    status: z.enum(articles.statuses),
    language: z.string(),
    parent_id: Id.nullable().describe('Null at the top, and where the article above is not shown'),
    position: z.int(),
    depth: z.int().describe('0 at the top'),
  })
  .meta({ id: 'wiki.TreeArticle' })

const Tree = z.object({ articles: z.array(TreeArticle).describe(`In the tree's order; ${rows.mostRead} at most`) })

/** Articles in the order of their tree: each before those below it, these by position and title. */
function inOrder(found: readonly rows.TreeArticle[], origin: string): z.input<typeof TreeArticle>[] {
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

/** `GET /v1/wiki/tree` */
export const read = route({
  method: 'GET',
  path: '/tree',
  summary: 'Read the tree of published articles',
  description: 'Returns published articles as a tree, with their titles and URLs.',
  scope: 'wiki:read',
  reads: 'replica',
  status: 200,
  reply: Tree,
  handle: async ({ org, db, origin }) => ({ articles: inOrder(await rows.tree(db, org.id, false), origin) }),
})

/** `GET /v1/wiki/admin/tree` */
export const readAll = route({
  method: 'GET',
  path: '/admin/tree',
  summary: 'Read the tree of all articles, drafts included',
  description: 'Returns articles in every state as a tree.',
  scope: 'wiki:write',
  reads: 'replica',
  status: 200,
  reply: Tree,
  handle: async ({ org, db, origin }) => ({ articles: inOrder(await rows.tree(db, org.id, true), origin) }),
})

const Place = z.object({ article_id: Id, parent_id: Id.nullable(), position: z.int() }).meta({ id: 'wiki.Place' })

/** `PUT /v1/wiki/articles/{id}/place` */
export const put = route({
  method: 'PUT',
  path: '/articles/{id}/place',
  summary: 'Put an article below another',
  description: `At once for readers, without a new version. Articles lie at most ${rows.mostDeep} deep, and none below itself.`,
  scope: 'wiki:write',
  params: z.object({ id: pathId('article') }),
  body: z.strictObject({
    parent_id: Id.nullable().describe('The article above; null puts it at the top'),
    position: z.int().min(0).max(1_000_000).default(0).describe('Among those below the same article, the least first'),
  }),
  status: 200,
  reply: Place,
  problems: ['not_found', 'conflict'],
  example: { body: { parent_id: null, position: 1 } },
  async handle({ params: { id }, body: { parent_id, position }, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(articles.find(tx, org.id, id), 'article')
      if (parent_id !== null && !(await articles.find(tx, org.id, parent_id)))
        throw badRequest([{ field: 'body.parent_id', issue: 'is no article of yours' }])
      if (parent_id === id) throw badRequest([{ field: 'body.parent_id', issue: 'is the article itself' }])
      if (!(await rows.put(tx, { article_id: id, org_id: org.id, parent_id, position })))
        throw conflict(`It would lie below itself, or more than ${rows.mostDeep} deep.`)
      return { article_id: id, parent_id, position }
    })
  },
})
