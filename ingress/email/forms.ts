import { z } from 'zod'
import { Address, getDomain } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as rows from '#sql/email/forms.ts'
import * as signUps from '#sql/email/sign-ups.ts'
import * as sites from '#sql/guard/sites.ts'
import { getDomainRefusal, getLockRefusal } from '#tasks/email/rules/consent/stream-rules.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { demandTopics } from './contact-topics.ts'
import { DisplayName, line, Part, Subject, TopicKey } from './fields.ts'
import { filterByReach, getReach } from './messages/reach.ts'
import { createRefusal, domainRefusals } from './messages/refusals.ts'
import { isSandbox } from './messages/sandbox.ts'
import { formUrl } from './sign-ups/url.ts'

const tooMany = problem(409, 'too_many_forms', `The organisation already has ${rows.maxPerOrg} forms.`)

const params = z.object({ id: pathId('form') })

const fields = {
  name: line(100).trim().min(1).describe('Name for your team. Evidence of consent contains it as `source`.'),
  title: line(200).trim().min(1).describe('Heading of the form'),
  consent_text: Part.max(5_000).describe('Text to which the person agrees. Plain text.'),
  text_version: line(100).trim().min(1).describe('Version of the consent text. Evidence of consent contains it.'),
  topics: z
    .array(TopicKey)
    .max(20)
    .refine((keys) => new Set(keys).size === keys.length, { error: 'must contain each topic only once' })
    .describe('Email topics to subscribe to. With several topics, visitors can choose.'),
  from_email: Address.describe('Sender of the confirmation request, in one of your verified domains'),
  from_name: DisplayName.nullable(),
  subject: Subject.max(200),
  guard_site_id: Id.nullable().describe(
    'Site of the Guard area. The form then requires a token for the action `subscribe`.',
  ),
  success_url: z
    .url({ protocol: /^https?$/, error: 'must be a URL, such as https://example.com/thanks' })
    .max(1_000)
    .nullable()
    .describe('Page to open after the form was sent. Default: a page of Millrace.'),
  active: z.boolean().describe('False to close the form'),
}

const Form = z
  .object({
    id: Id,
    name: z.string(),
    title: z.string(),
    consent_text: z.string(),
    text_version: z.string(),
    topics: z.array(z.string()),
    from_email: z.string(),
    from_name: z.string().nullable(),
    subject: z.string(),
    guard_site_id: Id.nullable(),
    success_url: z.string().nullable(),
    active: z.boolean(),
    sandbox: z.boolean(),
    url: z.url().describe('URL of the hosted form, and of the `action` of your own form'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'email.Form' })

const present = ({ org_id: _, key_id: __, ...form }: rows.Form): z.input<typeof Form> => ({
  ...form,
  url: formUrl(form.id),
})

const shared = { scope: 'email:manage', testKeys: 'sandbox', locks: ['from_domains'] } as const

export const create = route({
  method: 'POST',
  path: '/forms',
  summary: 'Create a sign-up form',
  description:
    'Creates a public form with double opt-in: each person who fills it in receives a confirmation request by email. The evidence of consent has the time, the IP address and the version of the text.',
  ...shared,
  body: z.strictObject({
    ...fields,
    text_version: fields.text_version.default('1'),
    topics: fields.topics.default([]),
    from_name: fields.from_name.default(null),
    subject: fields.subject.default('Please confirm your subscription'),
    guard_site_id: fields.guard_site_id.default(null),
    success_url: fields.success_url.default(null),
    active: fields.active.default(true),
  }),
  idempotent: true,
  status: 201,
  reply: Form,
  problems: [...domainRefusals, tooMany],
  example: {
    body: {
      name: 'Website footer',
      title: 'Our newsletter',
      consent_text: 'Send me the newsletter once a month.',
      from_email: 'news@example.com',
    },
  },
  async handle({ body, org, key, db }) {
    await demandReferences(db, { org, key }, body)
    const added = await rows.insert(db, {
      id: newId(),
      org_id: org.id,
      key_id: key.id,
      sandbox: isSandbox(key),
      ...body,
    })
    if (!added)
      throw tooMany(`An organisation can have ${rows.maxPerOrg} forms. Delete one first.`, { max: rows.maxPerOrg })
    return present(added)
  },
})

/** Returns the form. Throws 404 if the key cannot access it, for example because of its domain. */
const findReached = (db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Form> =>
  mustFind(filterByReach(key, rows.find(db, org.id, id, isSandbox(key))), 'form')

type References = { [Name in 'from_email' | 'topics' | 'guard_site_id']?: rows.FormFields[Name] | undefined }

/** Throws 400 for topics and sites that the organisation does not have, and 403 for a domain that cannot be used. */
async function demandReferences(
  db: Db,
  { org, key }: Pick<Caller, 'org' | 'key'>,
  { from_email, topics = [], guard_site_id }: References,
): Promise<void> {
  await demandTopics(db, org.id, topics, (_, at) => `body.topics.${at}`)
  if (guard_site_id && !(await sites.find(db, org.id, guard_site_id)))
    throw badRequest([{ field: 'body.guard_site_id', issue: 'must be one of your sites' }])
  if (from_email === undefined) return
  const name = getDomain(from_email)
  const locked = getLockRefusal(name, key.locks.from_domains)
  const domain = (await domains.find(db, org.id, name)) ?? undefined
  const refused = isSandbox(key) ? locked : getDomainRefusal(name, domain, key.locks.from_domains)
  if (refused) throw createRefusal(refused)
}

export const list = listRoute({
  path: '/forms',
  summary: 'List sign-up forms, newest first',
  description: 'Returns the forms of the organisation.',
  ...shared,
  item: Form,
  rows: ({ org, key, db }, page) => rows.list(db, org.id, { ...page, reach: getReach(key) }, isSandbox(key)),
  present,
})

export const read = route({
  method: 'GET',
  path: '/forms/{id}',
  summary: 'Read a sign-up form',
  description: 'Returns the form with its public URL.',
  ...shared,
  params,
  status: 200,
  reply: Form,
  problems: ['not_found'],
  handle: async ({ params: { id }, org, key, db }) => present(await findReached(db, { org, key }, id)),
})

export const update = route({
  method: 'PATCH',
  path: '/forms/{id}',
  summary: 'Update a sign-up form',
  description: 'Omitted fields keep their values. Change `text_version` together with `consent_text`.',
  ...shared,
  params,
  body: z
    .strictObject(fields)
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must contain at least one field to change',
    }),
  status: 200,
  reply: Form,
  problems: ['not_found', ...domainRefusals],
  async handle({ params: { id }, body, org, key, db }) {
    await findReached(db, { org, key }, id)
    await demandReferences(db, { org, key }, body)
    return present(await mustFind(rows.update(db, org.id, id, body, isSandbox(key)), 'form'))
  },
})

export const remove = removeRoute({
  path: '/forms/{id}',
  summary: 'Delete a sign-up form',
  description:
    'Deletes the form and the sign-ups that are not confirmed. Confirmed contacts keep their evidence of consent.',
  ...shared,
  params,
  what: 'form',
  async remove({ params: { id }, org, key, db }) {
    await findReached(db, { org, key }, id)
    return await rows.remove(db, org.id, id, isSandbox(key))
  },
})

const SignUp = z
  .object({
    id: Id,
    email: z.string(),
    topics: z.array(z.string()),
    state: signUps.State.describe(
      '`waiting`, `asked` (the confirmation request was accepted), `confirmed`, or `skipped` with a `reason`',
    ),
    reason: z.string().nullable(),
    ip: z.string(),
    text_version: z.string(),
    consent_text: z.string().describe('Consent text of the form at the time of the sign-up'),
    message_id: Id.nullable(),
    created_at: Instant,
    confirmed_at: Instant.nullable(),
  })
  .meta({ id: 'email.SignUp' })

export const listSignUps = listRoute({
  path: '/forms/{id}/sign-ups',
  summary: 'List the sign-ups of a form',
  description: `Returns what people sent with the form, newest first. Sign-ups are kept for ${signUps.keepDays} days.`,
  ...shared,
  params,
  problems: ['not_found'],
  filters: signUps.filters,
  query: { state: signUps.State.optional() },
  item: SignUp,
  async rows({ params: { id }, org, key, db }, page) {
    await findReached(db, { org, key }, id)
    return await signUps.list(db, id, page)
  },
  present: ({
    id,
    email,
    topics,
    state,
    reason,
    ip,
    text_version,
    consent_text,
    message_id,
    created_at,
    confirmed_at,
  }) => ({
    ...{ id, email, topics, state, reason, ip, text_version, consent_text, message_id, created_at, confirmed_at },
  }),
})
