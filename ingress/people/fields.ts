import { z } from 'zod'
import { UserId } from '#lib/user-id.ts'
import type { PersonName } from '#sql/people/keys.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { Instant } from '../http/instant.ts'

export const params = z.object({ user_id: UserId })

export const personOf = (orgId: string, userId: string): PersonName => ({
  org_id: orgId,
  user_id: userId,
  person_id: getPersonId(userId),
})

const State = z.enum(['granted', 'denied', 'pending', 'none'])

const ChannelConsent = z.object({
  state: State.describe('`pending` if the person has not confirmed, `none` if nothing is known'),
  source: z
    .string()
    .nullable()
    .describe('What decided, such as `api`, `unsubscribed`, `suppression:complaint` or `device`'),
  at: Instant.nullable(),
})

export const Consent = z
  .object({
    email: ChannelConsent.describe('Marketing email'),
    push: ChannelConsent,
    whatsapp: ChannelConsent,
    sms: ChannelConsent.describe('`denied` if a phone number has opted out'),
  })
  .meta({ id: 'people.Consent' })
