import { z } from 'zod'
import type { ProviderClient } from './client.ts'
import { type Given, instantOf, readAs, readTemplates, type Source, templatesPerPage } from './source.ts'

const Templates = z.object({
  result: z.array(z.object({ id: z.string().min(1) })),
  _metadata: z.object({ next: z.string().nullish() }).nullish(),
})

const Template = z.object({
  id: z.string(),
  name: z.string(),
  generation: z.string().nullish(),
  versions: z
    .array(
      z.object({
        active: z.union([z.int(), z.boolean()]).nullish(),
        subject: z.string().nullish(),
        html_content: z.string().nullish(),
        plain_content: z.string().nullish(),
      }),
    )
    .default([]),
})

const template = async (client: ProviderClient, id: string): Promise<Given> =>
  toTemplate(await client.json(`/v3/templates/${encodeURIComponent(id)}`, Template))

/** Reads a template in the form of the API. Returns what is wrong with it as a text. */
export const templateOf = (given: unknown): Given | string => readAs(Template, given, toTemplate)

function toTemplate({ id, name, versions }: z.output<typeof Template>): Given {
  const version = versions.find(({ active }) => active === 1 || active === true) ?? versions[0]
  const { subject, html_content, plain_content } = version ?? {}
  return {
    part: 'templates',
    id,
    label: name,
    item: {
      ...{ id, name, alias: null, kind: 'email', subject: subject ?? '', html: html_content ?? '' },
      ...{ text: plain_content || null, layout: null, dialect: 'handlebars' },
    },
  }
}

/** Returns the token of the next page from its URL. */
const tokenOf = (next: string | null | undefined): string | null =>
  next ? (URL.parse(next, 'https://api.sendgrid.com')?.searchParams.get('page_token') ?? null) : null

const templates: Source = {
  part: 'templates',
  async read(client, at) {
    const after = at === null ? '' : `&page_token=${encodeURIComponent(at)}`
    const page = await client.json(
      `/v3/templates?generations=legacy,dynamic&page_size=${templatesPerPage}${after}`,
      Templates,
    )
    const ids = page.result.map(({ id }) => id)
    const given = await readTemplates(ids, (id) => template(client, id))
    return { given, next: tokenOf(page._metadata?.next) }
  },
}

const perPage = 500

const Suppressions = z.array(
  z.object({
    email: z.string(),
    created: z.union([z.number(), z.string()]).nullish(),
    reason: z.string().nullish(),
    status: z.string().nullish(),
  }),
)

const line = (text: string) =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 400)

/** A list of suppressions. The position is the offset. */
const suppressionsOf = (list: string, reason: 'bounce' | 'complaint' | 'manual', words: string): Source => ({
  part: 'suppressions',
  async read(client, at) {
    const offset = Number(at ?? 0)
    const page = await client.json(`/v3/suppression/${list}?limit=${perPage}&offset=${offset}`, Suppressions)
    const given = page.map((row): Given => {
      const detail = `${words}${row.reason ? `: ${line(row.reason)}` : ''}`
      const item = { email: row.email, reason, detail, created_at: instantOf(row.created) }
      return { part: 'suppressions', id: `${list} ${row.email}`, label: row.email, item }
    })
    return { given, next: page.length === perPage ? String(offset + page.length) : null }
  },
})

const Group = z.array(z.object({ email: z.string(), group_name: z.string().nullish() }))

/** People who have left an unsubscribe group. They receive no marketing any more. */
const groups: Source = {
  part: 'contacts',
  async read(client, at) {
    const offset = Number(at ?? 0)
    const page = await client.json(`/v3/asm/suppressions?limit=${perPage}&offset=${offset}`, Group)
    const given = page.map(({ email }): Given => {
      const item = { email, name: null, attributes: {}, tags: [], is_unsubscribed: true }
      return { part: 'contacts', id: `group ${email}`, label: email, item }
    })
    return { given, next: page.length === perPage ? String(offset + page.length) : null }
  },
}

export const sendgrid: readonly Source[] = [
  templates,
  suppressionsOf('bounces', 'bounce', 'SendGrid bounce'),
  suppressionsOf('invalid_emails', 'bounce', 'SendGrid invalid address'),
  suppressionsOf('spam_reports', 'complaint', 'SendGrid spam report'),
  suppressionsOf('unsubscribes', 'manual', 'SendGrid global unsubscribe'),
  groups,
]
