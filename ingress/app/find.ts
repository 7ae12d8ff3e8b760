import { z } from 'zod'
import type { Role } from '#sql/account/people/members.ts'
import { canRole } from '#tasks/account/rules/roles.ts'
import { requireMember } from '../http/dashboard/admit.ts'
import { type DashboardContents, dashboardContents } from '../http/dashboard/contents.ts'
import type { Found } from '../http/dashboard/finders.ts'
import { type PageCall, page, shared } from '../http/dashboard/page.ts'
import { type Html, html } from '../http/html/html.ts'
import { emptyState } from '../http/html/parts.ts'
import { route } from '../http/route.ts'

const query = z.object({ q: z.string().max(200).default('') })

const mostPages = 8

/** Returns pages whose title has each word of the text at the start of a word. Sections are first. */
function findPages({ sections, pages }: DashboardContents, role: Role, text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/)
  const fits = (title: string) => {
    const own = title.toLowerCase().split(/[^\p{L}\p{N}]+/u)
    return words.every((word) => own.some((one) => one.startsWith(word)))
  }
  return [...sections.map(({ title, path, group, permission }) => ({ title, path, kind: group, permission })), ...pages]
    .filter(({ title, permission }) => fits(title) && (permission === undefined || canRole(role, permission)))
    .slice(0, mostPages)
    .map(({ title, kind, path }) => ({ title, kind, href: path }))
}

type Call = Pick<PageCall<object, object>, 'db' | 'member' | 'services'>

async function findAll({ db, member, services }: Call, text: string): Promise<readonly Found[]> {
  const contents = services(dashboardContents)
  if (text === '') return []
  const asked = { db, services, orgId: member.orgId, text }
  const finders = contents.finders.filter(({ permission }) => !permission || canRole(member.role, permission))
  const found = await Promise.all(finders.map((finder) => finder.find(asked)))
  const byHref = new Map([...findPages(contents, member.role, text), ...found.flat()].map((one) => [one.href, one]))
  return [...byHref.values()]
}

export const show = page({
  path: '/find',
  summary: 'Search pages, documentation and IDs',
  query,
  async view(call) {
    const text = call.query.q.trim()
    const found = await findAll(call, text)
    const main = html`<h1>Search</h1>
<form class="filter" method="get" role="search"><div class="wide"><label for="q">Page, ID, email address or words of the documentation</label>
<input id="q" name="q" type="search" maxlength="200" value="${text}"></div><div class="send"><button>Search</button></div></form>
${text !== '' && (found.length === 0 ? emptyState('No results. IDs must be complete.') : results(found))}`
    return { title: 'Search', main }
  },
})

const results = (found: readonly Found[]): Html =>
  html`<ul class="found">${found.map(({ title, kind, href }) => html`<li><a href="${href}">${title}</a> <span class="quiet">${kind}</span></li>`)}</ul>`

/** Returns the results for the search dialog. */
export const list = route({
  ...shared,
  method: 'GET',
  path: '/find.json',
  summary: 'Search pages, documentation and IDs as JSON',
  query,
  raw: 'application/json',
  async handle(call) {
    const allowed = await requireMember(call, {})
    if (!allowed) return
    call.ctx.body = JSON.stringify({ results: await findAll(allowed, call.query.q.trim()) })
  },
})
