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

/** Returns the next consents of an import, in the order of their IDs. */
export async function listConsentsOf(
  tx: Db,
  importId: string,
  after: string | null,
  limit: number,
  sandbox: boolean,
): Promise<readonly z.infer<typeof Evidence>[]> {
  return await tx.any(sql.type(Evidence)`
    select id, contact_id, source from ${(sandbox ? sandboxTable : consents).name}
    where import_id = ${importId} and (${after}::uuid is null or id > ${after}) order by id limit ${limit}`)
}
