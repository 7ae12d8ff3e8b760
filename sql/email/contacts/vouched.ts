import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../../db.ts'
import { Contact, tableFor } from '../contacts.ts'
import { table as consents, sandboxTable } from './consents.ts'

/** A contact for whose consent an operator vouches. `source`: where the person gave consent. */
export interface VouchedContact {
  id: string
  source: string
}

const Confirmed = Contact.pick({ id: true, email: true, consent_source: true })

/** Confirms those contacts that are unconfirmed. Returns them. */
export async function confirm(
  tx: Db,
  orgId: string,
  wanted: readonly VouchedContact[],
  sandbox: boolean,
): Promise<readonly z.infer<typeof Confirmed>[]> {
  if (wanted.length === 0) return []
  return await tx.any(sql.type(Confirmed)`
    with wanted as (
      select c.id, w.source from ${tableFor(sandbox)} as c
      join ${sql.unnest(
        wanted.map(({ id, source }) => [id, source]),
        ['uuid', 'text'],
      )} as w (id, source) on c.id = w.id
      where c.org_id = ${orgId} and c.status = 'unconfirmed' order by c.id for update of c)
    update ${tableFor(sandbox)} as c set status = 'confirmed', consent_source = w.source, confirmed_at = now()
    from wanted as w where c.id = w.id and c.status = 'unconfirmed' returning c.id, c.email, c.consent_source`)
}

const Evidence = z.object({ id: Id, contact_id: Id, source: z.string() })

/**
 * Returns the next consents of an import, in the order of their IDs. Includes consents of its rows that an earlier import
 * had stored.
 */
export async function listConsentsOf(
  tx: Db,
  importId: string,
  after: string | null,
  limit: number,
  sandbox: boolean,
): Promise<readonly z.infer<typeof Evidence>[]> {
  const evidence = (sandbox ? sandboxTable : consents).name
  return await tx.any(sql.type(Evidence)`
    with found as (
      select id from ${evidence} where import_id = ${importId}
      union
      select e.id from email.import_rows as r
      join ${tableFor(sandbox)} as c on c.org_id = r.org_id and c.email = r.email
      join ${evidence} as e on e.contact_id = c.id and e.source = btrim(r.fields ->> 'source')
      where r.import_id = ${importId} and r.outcome in ('imported', 'existing'))
    select e.id, e.contact_id, e.source from ${evidence} as e join found on found.id = e.id
    where ${after}::uuid is null or e.id > ${after} order by e.id limit ${limit}`)
}
