import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { table as suppressions } from '#sql/email/contacts/suppressions.ts'
import { ContactStatus } from '#sql/email/contacts.ts'
import { table as checks } from '#sql/identity/checks.ts'
import { table as installations } from '#sql/push/installations.ts'
import { Consent as Decision } from '#sql/whatsapp/recipients.ts'
import type { Knowledge } from '#tasks/people/rules/knowledge.ts'
import { Instant } from '../http/instant.ts'
import { Consent } from './fields.ts'

const address = {
  sources: z
    .array(z.string())
    .describe('`directory` (notify), `contact` (email), `whatsapp` or `verification` (approved code)'),
  shared: z
    .boolean()
    .describe('True if another person also has it. Rows without a `user_id` are then not linked to this person.'),
}

const { provider, platform, status } = installations.Row.shape

export const Person = z
  .object({
    user_id: z.string(),
    name: z.string().nullable(),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    data: z.record(z.string(), z.string()).describe('Values of the directory'),
    emails: z.array(
      z.object({
        email: z.string(),
        verified: z.boolean().describe('The contact has confirmed, or a code was approved'),
        ...address,
      }),
    ),
    phones: z.array(
      z.object({
        phone: z.string(),
        verified: z.boolean().describe('The person has written from it by WhatsApp, or a code was approved'),
        ...address,
      }),
    ),
    contacts: z.array(
      z.object({
        id: Id,
        email: z.string(),
        status: ContactStatus,
        linked_by: z.enum(['user_id', 'email']),
        name: z.string().nullable(),
        attributes: z.record(z.string(), z.unknown()),
        tags: z.array(z.string()),
        created_at: Instant,
      }),
    ),
    suppressions: z.array(z.object({ email: z.string(), reason: suppressions.Row.shape.reason, created_at: Instant })),
    devices: z.array(
      z.object({
        id: Id,
        app_id: Id,
        user_id: z.string().nullable().describe('ID of the person in the app'),
        provider,
        platform,
        locale: z.string().nullable(),
        status,
        registered_at: Instant,
      }),
    ),
    preferences: z.array(z.object({ product_key: z.string(), type: z.string(), channels: z.array(z.string()) })),
    whatsapp: z.array(
      z.object({ phone: z.string(), linked_by: z.enum(['user_id', 'phone']), consent: Decision.nullable() }),
    ),
    verifications: z.array(
      z.object({
        requirement: z.string(),
        status: checks.Row.shape.status,
        verified_at: Instant.nullable(),
        expires_at: Instant.nullable(),
      }),
    ),
    consent: Consent,
  })
  .meta({ id: 'people.Person' })

export function present(known: Knowledge): z.input<typeof Person> {
  const { keys, directory, consent } = known
  const ids = new Map(known.pushUsers.map(({ id, user_id }) => [id, user_id]))
  return {
    user_id: keys.user_id,
    name: directory?.name ?? known.contacts.find(({ name }) => name !== null)?.name ?? null,
    locale: directory?.locale ?? null,
    time_zone: directory?.time_zone ?? null,
    data: directory?.data ?? {},
    emails: known.emails.map(({ address: email, ...facts }) => ({ email, ...facts })),
    phones: known.phones.map(({ address: phone, ...facts }) => ({ phone, ...facts })),
    contacts: known.contacts.map(({ user_id, ...contact }) => ({
      ...contact,
      linked_by: user_id === null ? 'email' : 'user_id',
    })),
    suppressions: [...known.suppressions],
    devices: known.devices.map((device) => ({ ...device, user_id: ids.get(device.push_user_id) ?? null })),
    preferences: [...known.preferences],
    whatsapp: known.recipients.map(({ user_id, phone, consent }) => ({
      phone,
      consent,
      linked_by: user_id === null ? 'phone' : 'user_id',
    })),
    verifications: [...known.checks],
    consent,
  }
}
