import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'

const Account = z.object({ key: z.string(), url: z.string().nullable(), contact: z.string().nullable() })
const columns = getColumns(Account)

export type Account = z.infer<typeof Account>

/** Returns the context to which the encryption of an account’s private key is bound. */
export const accountSealContext = (directoryUrl: string) => `account ${directoryUrl}`

export async function findAccount(db: Db, directoryUrl: string): Promise<Account | null> {
  return await db.maybeOne(sql.type(Account)`
    select ${columns} from video.acme_accounts where directory_url = ${directoryUrl}`)
}

/**
 * Stores the key of a new account instead of `former`. Returns the stored account, because another process may have
 * stored its account first.
 */
export async function putKey(db: Db, directoryUrl: string, key: string, former: string | null): Promise<Account> {
  await db.query(sql.typeAlias('void')`
    insert into video.acme_accounts as a (directory_url, key) values (${directoryUrl}, ${key})
    on conflict (directory_url) do update set key = excluded.key, url = null, contact = null where a.key = ${former}`)
  return await db.one(sql.type(Account)`
    select ${columns} from video.acme_accounts where directory_url = ${directoryUrl}`)
}

/** Stores the URL of the account with that key; `null` if the authority has deleted the account. */
export async function setAccount(db: Db, directoryUrl: string, account: Account): Promise<void> {
  const { key, url, contact } = account
  await db.query(sql.typeAlias('void')`
    update video.acme_accounts set url = ${url}, contact = ${contact} where directory_url = ${directoryUrl} and key = ${key}`)
}

export async function putChallenge(db: Db, domainId: string, token: string, answer: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into video.acme_challenges (token, domain_id, answer) values (${token}, ${domainId}, ${answer})
    on conflict (token) do update set answer = excluded.answer, domain_id = excluded.domain_id`)
}

export async function findAnswer(db: Db, token: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ answer: z.string() }))`
    select answer from video.acme_challenges where token = ${token}`)
}

export async function removeChallenges(db: Db, domainId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from video.acme_challenges where domain_id = ${domainId}`)
}
