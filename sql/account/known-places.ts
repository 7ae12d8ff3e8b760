import { z } from 'zod'
import { hashSecret } from '#lib/tokens.ts'
import { type Db, sql } from '../db.ts'

/** Where a request of a sign-in comes from: what its browser keeps, if anything, and its network. */
export interface Place {
  browser: string | undefined
  network: string
}

/** Places that are remembered of a person. */
const most = 20

/** What is kept of a browser or a network. It says whose it is, so that no two people have the same. */
const browserHash = (userId: string, browser: string): string => hashSecret(`${userId} browser ${browser}`)
const networkHash = (userId: string, network: string): string => hashSecret(`${userId} network ${network}`)

const Known = z.object({ known: z.array(z.string()) })

/** Returns the name of the place if the person has signed in from it: of the browser before that of the network. `null` for others. */
export async function find(db: Db, userId: string, { browser, network }: Place): Promise<string | null> {
  const known = await db.maybeOneFirst(sql.type(Known)`
    select known_places as known from account.users where id = ${userId}`)
  const names = [...(browser ? [browserHash(userId, browser)] : []), networkHash(userId, network)]
  return names.find((name) => known?.includes(name)) ?? null
}

/** Remembers the browser and the network of a sign-in. The places that were used least recently are forgotten. */
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
