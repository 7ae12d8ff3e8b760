import type { KeyRequest } from '#sql/account/setup.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { proveBy } from './proven.ts'

/** A server key that writes and one that reads. */
export const wikiKeys: Record<'author' | 'reader', KeyRequest> = {
  author: { prefix: 'bt_live_', scopes: ['wiki:write'] },
  reader: { prefix: 'bt_live_', scopes: ['wiki:read'] },
}

/** An ingress with an organisation that writes articles. */
export async function authoring(t: TestScope, areas: readonly string[] = []) {
  const { db, url: databaseUrl } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], { only: ['wiki', ...areas] })
  const one = await testOrg(db, [], { keys: wikiKeys })
  const write = (request: string, body?: unknown, options: Ask = {}) =>
    ingress.ask(`${request.replace(' ', ' /v1/wiki')}`, { key: one.keys.author, body, ...options })
  const read = (path: string) => ingress.ask(`GET /v1/wiki${path}`, { key: one.keys.reader })
  const draft = async (more: object = {}) => {
    const made = await write('POST /articles', { title: 'The bridge', body: 'It was opened in 1932.', ...more })
    if (made.status !== 200) throw new Error(made.text)
    return made.body as { id: string; slug: string; version: number }
  }
  /** Returns a published article with one proven claim. `textOf` creates its body from the claim's ID. */
  const published = async (more: object = {}, textOf?: (claim: string) => string) => {
    const { id } = await draft(more)
    const claim = await proveBy(db, one.org.id, id)
    const change = { status: 'published', base_version: 1, ...(textOf && { body: textOf(claim) }) }
    const { status, body, text } = await write(`PUT /articles/${id}`, change)
    if (status !== 200) throw new Error(text)
    return { ...(body as { id: string; slug: string }), claim }
  }
  return { db, databaseUrl, ingress, one, write, read, draft, published }
}
