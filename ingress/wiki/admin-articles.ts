import { z } from 'zod'
import * as rows from '#sql/wiki/articles.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { ArticleSummary, presentListed } from './article-fields.ts'

export const list = listRoute({
  path: '/admin/articles',
  summary: 'List articles of every status',
  description: 'Returns articles without their text. `status` selects one state.',
  scope: 'wiki:write',
  reads: 'replica',
  filters: rows.filters,
  query: { status: z.enum(rows.statuses).optional() },
  item: ArticleSummary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row, { origin }) => presentListed(row, origin),
})
