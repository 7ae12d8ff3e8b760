import { z } from 'zod'
import type { ProviderClient } from './client.ts'
import { type Given, instantOf, readAs, readTemplates, type Source, templatesPerPage } from './source.ts'

const Templates = z.object({
  TotalCount: z.int(),
  Templates: z.array(z.object({ TemplateId: z.union([z.int(), z.string()]) })),
})

const Template = z.object({
  TemplateId: z.union([z.int(), z.string()]),
  Name: z.string(),
  Subject: z.string().nullish(),
  HtmlBody: z.string().nullish(),
  TextBody: z.string().nullish(),
  Alias: z.string().nullish(),
  TemplateType: z.enum(['Standard', 'Layout']).default('Standard'),
  LayoutTemplate: z.string().nullish(),
})

const template = async (client: ProviderClient, id: string): Promise<Given> =>
  toTemplate(await client.json(`/templates/${encodeURIComponent(id)}`, Template))

/** Reads a template in the form of the API. Returns what is wrong with it as a text. */
export const templateOf = (given: unknown): Given | string => readAs(Template, given, toTemplate)

function toTemplate(found: z.output<typeof Template>): Given {
  const id = String(found.TemplateId)
  const { Name: name, Alias: alias = null, Subject, HtmlBody, TextBody: text = null, LayoutTemplate } = found
  const kind = found.TemplateType === 'Layout' ? 'layout' : 'email'
  return {
    part: 'templates',
    id,
    label: name,
    item: {
      ...{ id, name, alias, kind, subject: Subject ?? '', html: HtmlBody ?? '', text },
      ...{ layout: LayoutTemplate || null, dialect: 'mustachio' },
    },
  }
}

/** Lists templates of one type. Layouts come first, because templates use them. */
const templatesOf = (type: 'Layout' | 'Standard'): Source => ({
  part: 'templates',
  async read(client, at) {
    const offset = Number(at ?? 0)
    const path = `/templates?count=${templatesPerPage}&offset=${offset}&templateType=${type}`
    const page = await client.json(path, Templates)
    const ids = page.Templates.map(({ TemplateId }) => String(TemplateId))
    const given = await readTemplates(ids, (id) => template(client, id))
    const read = offset + page.Templates.length
    return { given, next: page.Templates.length > 0 && read < page.TotalCount ? String(read) : null }
  },
})

const Streams = z.object({ MessageStreams: z.array(z.object({ ID: z.string() })) })

const Dump = z.object({
  Suppressions: z.array(
    z.object({
      EmailAddress: z.string(),
      SuppressionReason: z.string(),
      Origin: z.string().nullish(),
      CreatedAt: z.string().nullish(),
    }),
  ),
})

const reasons = new Map<string, 'bounce' | 'complaint' | 'manual'>([
  ['HardBounce', 'bounce'],
  ['SpamComplaint', 'complaint'],
  ['ManualSuppression', 'manual'],
])

/** Lists the suppressions of each message stream. The position is the index of the stream. */
const suppressions: Source = {
  part: 'suppressions',
  async read(client, at) {
    const { MessageStreams: streams } = await client.json('/message-streams?IncludeArchivedStreams=false', Streams)
    const index = Number(at ?? 0)
    const stream = streams[index]
    if (!stream) return { given: [], next: null }
    const { Suppressions } = await client.json(
      `/message-streams/${encodeURIComponent(stream.ID)}/suppressions/dump`,
      Dump,
    )
    const given = Suppressions.map(({ EmailAddress, SuppressionReason, Origin, CreatedAt }): Given => {
      const reason = reasons.get(SuppressionReason) ?? 'manual'
      const detail = `Postmark, stream ${stream.ID}: ${SuppressionReason}${Origin ? ` by ${Origin}` : ''}`
      return {
        part: 'suppressions',
        id: `${EmailAddress} ${reason}`,
        label: EmailAddress,
        item: { email: EmailAddress, reason, detail, created_at: instantOf(CreatedAt) },
      }
    })
    return { given, next: index + 1 < streams.length ? String(index + 1) : null }
  },
}

export const postmark: readonly Source[] = [templatesOf('Layout'), templatesOf('Standard'), suppressions]
