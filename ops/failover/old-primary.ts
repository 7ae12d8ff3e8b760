import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Node } from './node.ts'

/** Milliseconds that such a write is waited for. */
const patienceMs = 4_000

const Count = z.tuple([z.object({ count: z.number() })])

/** Writes a row on the host itself, past HAProxy: whether it was acknowledged, and a question whether another host has it. */
export async function strayWrite(
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
 * Milliseconds from now until the Postgres of a host takes no writes any more: it did when it was `last` asked and said so, and was known
 * not to `by` then. Nothing but a host under load is between the two.
 */
export async function fencedAfter(node: Node): Promise<{ last: number; by: number }> {
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
