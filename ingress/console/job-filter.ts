import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import { Filter, State } from '#sql/jobs/filter.ts'
import { tasks } from '#tasks/index.ts'
import { poolNames } from '#tasks/pools.ts'
import { type Html, html } from '../http/html/html.ts'

const ages: Readonly<Record<string, { words: string; seconds: number; older: boolean }>> = {
  '10m': { words: 'in the last 10 minutes', seconds: 600, older: false },
  '1h': { words: 'in the last hour', seconds: 3_600, older: false },
  '24h': { words: 'in the last day', seconds: 86_400, older: false },
  'over-10m': { words: 'over 10 minutes ago', seconds: 600, older: true },
  'over-1h': { words: 'over an hour ago', seconds: 3_600, older: true },
  'over-24h': { words: 'over a day ago', seconds: 86_400, older: true },
}

const none = (schema: z.ZodType<string | undefined>) => z.preprocess((value) => value || undefined, schema.optional())

/** Schema of the job filter in URLs and forms. Unknown values are rejected. */
export const FilterQuery = z.object({
  search: none(z.string().trim().max(200)),
  pool: none(z.enum(poolNames)),
  task: none(z.string().max(200)),
  state: none(State),
  org: none(z.string().trim().max(200)),
  age: none(z.enum(Object.keys(ages) as [string, ...string[]])),
  fingerprint: none(z.string().max(500)),
})

export type FilterQuery = z.output<typeof FilterQuery>

/** Converts the filter to the form that the queue's queries need. Throws 400 for an unknown organisation. */
export async function toJobFilter(db: Db, { age, org: asked, ...given }: FilterQuery): Promise<Filter> {
  const limit = age === undefined ? undefined : ages[age]
  const at = limit && new Date(Date.now() - limit.seconds * 1000)
  const org = asked && (await orgOf(db, asked))
  return Filter.parse({ ...given, org, ...(at ? (limit?.older ? { before: at } : { after: at }) : {}) })
}

async function orgOf(db: Db, asked: string): Promise<string> {
  if (Id.safeParse(asked).success) return asked
  const org = await orgs.findByName(db, asked)
  if (!org) throw badRequest([{ field: 'query.org', issue: 'must be the name of an organisation' }])
  return org.id
}

const option = (value: string, words: string, chosen: string | undefined) =>
  html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${words}</option>`

export function filterForm(query: FilterQuery): Html {
  const names = [...new Set([...tasks.map(({ name }) => name), ...(query.task ? [query.task] : [])])].sort()
  const pick = (name: keyof FilterQuery, label: string, all: string, options: readonly (readonly [string, string])[]) =>
    html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${option('', all, query[name])}${options.map(
      ([value, words]) => option(value, words, query[name]),
    )}</select></div>`
  const same = (values: readonly string[]) => values.map((value) => [value, value] as const)
  return html`<form class="filter" method="get" action="/ops/jobs" role="search">
<div class="wide"><label for="search">Search text</label>
<input id="search" name="search" type="search" value="${query.search}" maxlength="200" spellcheck="false"
 placeholder="ID, request ID, error or payload"></div>
${pick('state', 'Status', 'any status', same(State.options))}
${pick('pool', 'Pool', 'all pools', same(poolNames))}
${pick('task', 'Task', 'all tasks', same(names))}
${pick(
  'age',
  'Added',
  'any time',
  Object.entries(ages).map(([name, { words }]) => [name, words] as const),
)}
<div><label for="org">Organisation</label><input id="org" name="org" value="${query.org}" spellcheck="false" placeholder="name or ID"></div>
${query.fingerprint !== undefined && html`<input type="hidden" name="fingerprint" value="${query.fingerprint}">`}
<div class="send"><button>Search</button> <a href="/ops/jobs">Clear filters</a></div>
</form>`
}
