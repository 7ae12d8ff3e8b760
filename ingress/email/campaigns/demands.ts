import { getDomain } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import * as domains from '#sql/email/domains.ts'
import * as topics from '#sql/email/topics.ts'
import { getDomainRefusal } from '#tasks/email/rules/consent/stream-rules.ts'
import { createRefusal } from '../messages/refusals.ts'

/** Throws 403 if the caller cannot send from the domain of an address. */
export async function demandDomain(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, from: string): Promise<void> {
  const name = getDomain(from)
  const domain = await domains.find(db, org.id, name)
  const refused = getDomainRefusal(name, domain ?? undefined, key.locks.from_domains)
  if (refused) throw createRefusal(refused)
}

/** Throws 400 if a segment does not exist. */
export async function demandSegment(db: Db, orgId: string, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined || (await segments.find(db, orgId, id))) return
  throw badRequest([{ field: 'body.segment_id', issue: 'must be one of your segments' }])
}

/** Throws 400 if a topic does not exist. */
export async function demandTopic(db: Db, orgId: string, key: string | null | undefined): Promise<void> {
  if (key === null || key === undefined || (await topics.find(db, orgId, key))) return
  throw badRequest([{ field: 'body.topic', issue: 'must be the key of one of your topics' }])
}
