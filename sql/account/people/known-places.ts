import { z } from 'zod'
import { hashSecret } from '#lib/tokens.ts'
import { type Db, sql } from '../../db.ts'

/** Place of a sign-in: the cookie of the browser, if any, and the network. */
export interface Place {
  browser: string | undefined
  network: string
}

const most = 20

/**
 * Returns the hash of a browser or network. The hash includes the user, so that two people never have the same hash.
 */
const browserHash = (userId: string, browser: string): string => hashSecret(`${userId} browser ${browser}`)
const networkHash = (userId: string, network: string): string => hashSecret(`${userId} network ${network}`)

const Known = z.object({ known: z.array(z.string()) })

/** Returns the name of a known place: the browser first, then the network. `null` for unknown places. */
export async function find(db: Db, userId: string, { browser, network }: Place): Promise<string | null> {
  const known = await db.maybeOneFirst(sql.type(Known)`
    select known_places as known from account.users where id = ${userId}`)
  const names = [...(browser ? [browserHash(userId, browser)] : []), networkHash(userId, network)]
  return names.find((name) => known?.includes(name)) ?? null
}

/** Stores the browser and the network of a sign-in. The least recently used places are deleted. */
export async function remember(
  tx: Db,
  userId: string,
  { browser, network }: Place & { browser: string },
): Promise<void> {
  const names = sql.array([browserHash(userId, browser), networkHash(userId, network)], 'text')
  await tx.query(sql.typeAlias('void')`
    update account.users set known_places = (${names} || array(
      select name from unnest(known_places) with ordinality as k (name, place) where name <> all(${names}) order by place
    ))[1:${most}]
    where id = ${userId}`)
}
