import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Node } from './node.ts'

const patienceMs = 4_000

const Count = z.tuple([z.object({ count: z.number() })])

/**
 * Writes a row on the host itself, bypassing HAProxy. Returns whether the row was confirmed, and a function that checks
 * whether another host has the row.
 */
export async function writeToOldPrimary(
  node: Node,
): Promise<{ acknowledged: boolean; isThere(other: Node): Promise<boolean> }> {
  const number = -Date.now()
  const acknowledged = await node.sql(`insert into chaos.door values (${number})`, patienceMs, 'millrace').then(
    () => true,
    () => false,
  )
  return {
    acknowledged,
    async isThere(other) {
      const text = `select count(*) as count from chaos.door where number = ${number}`
      return Count.parse(await other.sql(text, patienceMs, 'millrace'))[0].count > 0
    },
  }
}

/**
 * Measures when the Postgres of a host stops accepting writes, in milliseconds. It still accepted writes at `last` and
 * no longer did at `by`. The difference depends only on the load of the host.
 */
export async function measureFencing(node: Node): Promise<{ last: number; by: number }> {
  const begun = performance.now()
  const since = () => Math.round(performance.now() - begun)
  let last = 0
  for (let asked = since(); asked < 60_000; asked = since()) {
    if ((await node.isWritable()) !== true) break
    last = asked
    await pause(200)
  }
  return { last, by: since() }
}
