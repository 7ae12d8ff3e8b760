import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'email',
  'operator_mail',
  z.object({
    id: Id,
    sender: z.string(),
    recipient: z.string(),
    remote_network: z.string(),
    content: z.instanceof(Buffer),
    forwarded_at: z.date().nullable(),
    created_at: z.date(),
  }),
  { retention: days({ setting: 'EMAIL_MESSAGE_DAYS', atMost: 30 }, 'created_at') },
)

export type OperatorMail = z.infer<typeof table.Row>

/**
 * Maximum number of emails per hour: from one network, and in total. Further emails get a temporary reply. The reserve
 * is for networks that sent no email within the hour, so that a few networks cannot exclude all others.
 */
const mostAnHour = { network: 20, all: 200, reserve: 1_000 }

export const mostKept = { bytes: 256 * 2 ** 20, mails: 10_000 } as const

/**
 * Stores an email. Returns false if the hourly limit of the network or in total is reached. If the storage limit is
 * exceeded, the oldest emails of the networks with the most bytes are deleted.
 */
export async function insert(
  tx: Db,
  mail: Omit<OperatorMail, 'forwarded_at' | 'created_at'>,
  most: { bytes: number; mails: number } = mostKept,
): Promise<boolean> {
  const { id, sender, recipient, remote_network, content } = mail
  await tx.query(sql.typeAlias('void')`select from pg_advisory_xact_lock(${advisoryLockSpaces.operatorMail}, 0)`)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    insert into email.operator_mail (id, sender, recipient, remote_network, content)
    select ${id}, ${sender}, ${recipient}, ${remote_network}, ${sql.binary(content)}
    from (
      select count(*) as everybody, count(*) filter (where remote_network = ${remote_network}) as own
      from email.operator_mail where created_at > now() - interval '1 hour'
    ) as lately
    where everybody < ${mostAnHour.all} and own < ${mostAnHour.network}
      or everybody < ${mostAnHour.all + mostAnHour.reserve} and own = 0`)
  if (rowCount === 0) return false
  await tx.query(sql.typeAlias('void')`
    delete from email.operator_mail where id in (
      select id from (
        select id, sum(bytes) over kept as bytes, row_number() over kept as mails
        from (
          select id, created_at, octet_length(content) as bytes,
            sum(octet_length(content)) over (partition by remote_network) as of_network
          from email.operator_mail) as each
        window kept as (order by of_network, created_at desc, id desc)
      ) as summed
      where bytes > ${most.bytes} or mails > ${most.mails})`)
  return true
}

export async function find(db: Db, id: string): Promise<OperatorMail | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from email.operator_mail where id = ${id}`)
}

export async function list(db: Db, limit: number): Promise<readonly OperatorMail[]> {
  return await db.any(sql.type(table.Row)`
    select id, sender, recipient, remote_network, substring(content for 16384) as content, forwarded_at, created_at
    from email.operator_mail order by created_at desc, id desc limit ${limit}`)
}

export async function setForwarded(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update email.operator_mail set forwarded_at = now() where id = ${id}`)
}
