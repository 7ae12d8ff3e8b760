import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as connections from '#sql/notify/connections.ts'
import * as rows from '#sql/notify/people.ts'
import * as apps from '#sql/push/apps.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { Data, Locale, PersonName, TimeZone, UserId } from './fields.ts'
import { getPersonKey } from './mark-items.ts'

const facts = {
  name: PersonName.nullish(),
  email: Address.nullish(),
  phone: PhoneNumber.nullish().describe('Phone number in E.164 format, for WhatsApp and SMS'),
  push: z
    .strictObject({
      app_id: Id,
      user_id: UserId.optional().describe('ID of the person in the push app. Default: `user_id`.'),
    })
    .nullish()
    .describe('App of the push area that has the person’s devices'),
  locale: Locale.nullish().describe('Language of the person’s messages, such as `de` or `de-AT`'),
  time_zone: TimeZone.nullish().describe('Time zone, such as `Europe/Vienna`'),
  connection_ids: z
    .array(Id)
    .max(20)
    .optional()
    .describe('Chat connections of the person. The first connection of a kind receives its messages.'),
  data: Data.optional().describe('Values for conditions and placeholders, such as `person.data.plan`'),
}

const PersonBody = z.strictObject(facts)

const BatchPerson = z.strictObject({ user_id: UserId, ...facts })

const Person = z
  .object({
    user_id: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    push: z.object({ app_id: Id, user_id: z.string() }).nullable(),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    connection_ids: z.array(Id),
    data: z.record(z.string(), z.string()),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'notify.Person' })

function present({ subject, push_app_id, push_user_id, ...person }: rows.Person): z.input<typeof Person> {
  const { name, email, phone, locale, time_zone, connection_ids, data, created_at, updated_at } = person
  const push = push_app_id === null ? null : { app_id: push_app_id, user_id: push_user_id ?? subject }
  const known = { name, email, phone, push, locale, time_zone, connection_ids, data }
  return { user_id: subject, ...known, created_at, updated_at }
}

const factsOf = (orgId: string, userId: string, given: z.infer<typeof PersonBody>): rows.PersonFacts => ({
  ...getPersonKey(orgId, userId),
  subject: userId,
  name: given.name ?? null,
  email: given.email ?? null,
  phone: given.phone ?? null,
  push_app_id: given.push?.app_id ?? null,
  push_user_id: given.push?.user_id ?? null,
  locale: given.locale ?? null,
  time_zone: given.time_zone ?? null,
  connection_ids: given.connection_ids ?? [],
  data: given.data ?? {},
})

/** Throws 400 with each app that does not belong to the organisation. */
async function demandApps(
  db: DatabasePool,
  orgId: string,
  named: readonly { field: string; appId: string | undefined }[],
) {
  const ids = named.flatMap(({ appId }) => appId ?? [])
  if (ids.length === 0) return
  const own = await apps.findMany(db, ids)
  const faults = named.flatMap(({ field, appId }) =>
    appId === undefined || own.get(appId)?.org_id === orgId
      ? []
      : [{ field, issue: 'must be an app of your organisation' }],
  )
  if (faults.length > 0) throw badRequest(faults)
}

/** Throws 400 with each connection that does not belong to the organisation. */
async function demandConnections(
  db: DatabasePool,
  orgId: string,
  named: readonly { field: string; ids: readonly string[] | undefined }[],
) {
  const known = await connections.findMany(
    db,
    named.flatMap(({ ids }) => ids ?? []),
  )
  const faults = named.flatMap(({ field, ids = [] }) =>
    ids.flatMap((id, i) =>
      known.get(id)?.org_id === orgId
        ? []
        : [{ field: `${field}.${i}`, issue: 'must be a connection of your organisation' }],
    ),
  )
  if (faults.length > 0) throw badRequest(faults)
}

const ofOne = { params: z.object({ user_id: UserId }), problems: ['not_found'] } as const

export const put = route({
  method: 'PUT',
  path: '/people/{user_id}',
  summary: 'Create or replace a person',
  description:
    'Replaces all values of the person. Omitted fields are deleted. Events for the person then need no addresses.',
  scope: 'notify:write',
  params: ofOne.params,
  body: PersonBody,
  status: 200,
  reply: Person,
  example: { body: { name: 'Ann', email: 'ann@example.com', phone: '+3725550123', locale: 'de-AT' } },
  async handle({ params: { user_id }, body, org, db }) {
    await demandApps(db, org.id, [{ field: 'body.push.app_id', appId: body.push?.app_id }])
    await demandConnections(db, org.id, [{ field: 'body.connection_ids', ids: body.connection_ids }])
    const [kept] = await rows.putMany(db, [factsOf(org.id, user_id, body)])
    return present(kept as rows.Person)
  },
})

export const putMany = route({
  method: 'POST',
  path: '/people/batch',
  repeatable: true,
  summary: 'Create or replace up to 100 people',
  description: 'Stores all people or none. A `400` error lists every invalid field.',
  scope: 'notify:write',
  body: z.strictObject({
    people: z
      .array(BatchPerson)
      .min(1)
      .max(100)
      .refine((people) => new Set(people.map(({ user_id }) => user_id)).size === people.length, {
        error: 'must contain each person only once',
      }),
  }),
  status: 200,
  reply: z.object({ data: z.array(Person).describe('People in the order of the request') }),
  example: { body: { people: [{ user_id: 'ann', email: 'ann@example.com' }] } },
  async handle({ body: { people }, org, db }) {
    await demandApps(
      db,
      org.id,
      people.map(({ push }, i) => ({ field: `body.people.${i}.push.app_id`, appId: push?.app_id })),
    )
    await demandConnections(
      db,
      org.id,
      people.map(({ connection_ids: ids }, i) => ({ field: `body.people.${i}.connection_ids`, ids })),
    )
    const kept = await rows.putMany(
      db,
      people.map(({ user_id, ...given }) => factsOf(org.id, user_id, given)),
    )
    const bySubject = new Map(kept.map((person) => [person.subject, person]))
    return { data: people.map(({ user_id }) => present(bySubject.get(user_id) as rows.Person)) }
  },
})

export const list = listRoute({
  path: '/people',
  summary: 'List people, newest first',
  description: 'Returns the people whose contact details you have stored. Use `email` to search for one address.',
  scope: 'notify:read',
  filters: rows.filters,
  query: { email: Address.optional() },
  item: Person,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/people/{user_id}',
  summary: 'Read a person',
  description: 'Returns the stored contact details, locale, time zone and data of the person.',
  scope: 'notify:read',
  ...ofOne,
  status: 200,
  reply: Person,
  async handle({ params: { user_id }, org, db }) {
    return present(await mustFind(rows.find(db, getPersonKey(org.id, user_id)), 'person'))
  },
})

export const remove = removeRoute({
  path: '/people/{user_id}',
  summary: 'Delete a person from the directory',
  description:
    'Stops workflow runs that are waiting for the person (`person_removed`). The inbox is kept for as long as events are kept.',
  scope: 'notify:write',
  ...ofOne,
  reply: { user_id: z.string() },
  what: 'person',
  remove: ({ params, org, db }) => rows.remove(db, getPersonKey(org.id, params.user_id)),
})
