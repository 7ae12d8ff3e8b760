import { z } from 'zod'
import type { ProviderClient } from './client.ts'
import { type Given, readAs, readTemplates, type Source, templatesPerPage } from './source.ts'

const pageOf = <S extends z.ZodType>(item: S) => z.object({ data: z.array(item), has_more: z.boolean().default(false) })

const Listed = z.object({ id: z.string().min(1).max(200) })

const Template = z.object({
  id: z.string(),
  name: z.string(),
  alias: z.string().nullish(),
  subject: z.string().nullish(),
  html: z.string().nullish(),
  text: z.string().nullish(),
  variables: z
    .array(z.object({ key: z.string(), fallback_value: z.union([z.string(), z.number()]).nullish() }))
    .nullish(),
})

const template = async (client: ProviderClient, id: string): Promise<Given> =>
  toTemplate(await client.json(`/templates/${encodeURIComponent(id)}`, Template))

/** Reads a template in the form of the API. Returns what is wrong with it as a text. */
export const templateOf = (given: unknown): Given | string => readAs(Template, given, toTemplate)

function toTemplate(found: z.output<typeof Template>): Given {
  const fallbacks = Object.fromEntries(
    (found.variables ?? []).flatMap(({ key, fallback_value: value }) =>
      value === null || value === undefined ? [] : [[key, String(value)]],
    ),
  )
  const { id, name, alias = null, subject, html, text = null } = found
  return {
    part: 'templates',
    id,
    label: name,
    item: {
      ...{ id, name, alias, kind: 'email', subject: subject ?? '', html: html ?? '', text, layout: null },
      ...{ dialect: 'resend', fallbacks },
    },
  }
}

const Contact = z.object({
  id: z.string().min(1),
  email: z.string(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  unsubscribed: z.boolean().default(false),
})

function contact({ id, email, first_name, last_name, unsubscribed }: z.output<typeof Contact>): Given {
  const name = [first_name, last_name].filter(Boolean).join(' ') || null
  const attributes = { ...(first_name && { first_name }), ...(last_name && { last_name }) }
  return {
    part: 'contacts',
    id,
    label: email,
    item: { email, name, attributes, tags: [], is_unsubscribed: unsubscribed },
  }
}

const query = (limit: number, at: string | null) =>
  `?limit=${limit}${at === null ? '' : `&after=${encodeURIComponent(at)}`}`

const nextOf = ({ data, has_more }: { data: readonly { id: string }[]; has_more: boolean }) =>
  has_more ? (data.at(-1)?.id ?? null) : null

export const resend: readonly Source[] = [
  {
    part: 'templates',
    async read(client, at) {
      const page = await client.json(`/templates${query(templatesPerPage, at)}`, pageOf(Listed))
      const ids = page.data.map(({ id }) => id)
      const given = await readTemplates(ids, (id) => template(client, id))
      return { given, next: nextOf(page) }
    },
  },
  {
    part: 'contacts',
    async read(client, at) {
      const page = await client.json(`/contacts${query(100, at)}`, pageOf(Contact))
      return { given: page.data.map(contact), next: nextOf(page) }
    },
  },
]
