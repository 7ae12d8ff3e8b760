import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { Reason } from './contacts/suppressions.ts'
import { ContactStatus } from './contacts.ts'
import { Status } from './messages.ts'

/** Current facts that decide whether a message may be sent. They may have changed since the message was accepted. */
export const AdmissionFacts = z.object({
  id: Id,
  status: Status,
  /** Status of the contact with this email address. Null if the contact does not exist. */
  contact: ContactStatus.nullable(),
  suppressions: z.array(Reason),
  campaign_cancelled: z.boolean(),
  marketing_paused: z.boolean(),
  /** True if the domain has failed. A deleted domain is recognised by its missing keys. */
  domain_failed: z.boolean(),
  /** True if the contact is not subscribed to the topic of the message. */
  topic_refused: z.boolean(),
})

export type AdmissionFacts = z.infer<typeof AdmissionFacts>

/**
 * Returns the facts of messages of any organisation. Omits deleted messages. The statement is planned for each call.
 * Planning takes 0.25 ms with subqueries and 1.2 ms with joins, because Postgres compares all orders of the joins.
 */
export async function findAdmissionFacts(db: Db, messageIds: readonly string[]): Promise<readonly AdmissionFacts[]> {
  return await db.any(sql.prepared('email.standings', AdmissionFacts)`
    select m.id, m.status, coalesce(b.status, c.status) as contact,
      array(
        select s.reason from email.suppressions as s where s.org_id = m.org_id and s.email = m.to_email
        union
        select unnest(e.reasons) from email.erased_addresses as e
        where e.org_id = m.org_id and e.hash = email.address_hash(m.org_id, m.to_email)) as suppressions,
      coalesce((select k.status = 'cancelled' from email.campaigns as k where k.id = m.campaign_id), false) as campaign_cancelled,
      coalesce((select r.marketing = 'paused' from email.reputation as r where r.org_id = m.org_id), false) as marketing_paused,
      coalesce((select d.status <> 'verified' and not m.sandbox from email.domains as d where d.id = m.domain_id), false)
        as domain_failed,
      m.topic is not null and coalesce(
        case when m.sandbox then b.topics else c.topics end ->> m.topic,
        (select t.default_state from email.topics as t where t.org_id = m.org_id and t.key = m.topic),
        'subscribed') = 'unsubscribed' as topic_refused
    from email.messages as m
    left join email.contacts as c on c.org_id = m.org_id and c.email = m.to_email
    left join email.sandbox_contacts as b on m.sandbox and b.org_id = m.org_id and b.email = m.to_email
    where m.id = any(${sql.array([...messageIds], 'uuid')})`)
}
