import '../support/verify-environment.ts'
import type { FragmentSqlToken } from 'slonik'
import type { Test } from 'tap'
import { sql } from '#sql/db.ts'
import type { Reply } from '../support/ingress.ts'
import { phoneStack } from './phone-stack.ts'

/** What an attacker got. The attack goes through if a reply is `approved`, or if `through` is true. */
export interface Outcome {
  replies?: readonly Reply[]
  through?: boolean
}

const isApproved = ({ body }: Reply): boolean => body?.status === 'approved'

/** A stack with two organisations, and a list of attacks that `runAll` runs one after the other. */
export async function attackStack(t: Test) {
  const stack = await phoneStack(t)
  await stack.startWorkers()
  const [shop, stranger] = [await stack.customer(), await stack.customer()]
  const attacks: { name: string; run(t: Test): Promise<Outcome> }[] = []
  return {
    ...{ stack, shop, stranger, isApproved },
    attack: (name: string, run: (t: Test) => Promise<Outcome>) => attacks.push({ name, run }),
    check: (id: string, code: unknown, options = {}) => shop.check({ id, code }, options),
    set: (id: string, assignments: FragmentSqlToken) =>
      stack.db.query(sql.typeAlias('void')`update verify.verifications set ${assignments} where id = ${id}`),
    async runAll(least: number) {
      let through = 0
      for (const { name, run } of attacks) {
        await t.test(name, async (t) => {
          const { replies = [], through: said = false } = await run(t)
          const goesThrough = said || replies.some(isApproved)
          if (goesThrough) through++
          t.notOk(goesThrough, name)
          t.ok(
            replies.every(({ status }) => status < 500),
            'no server error',
          )
        })
      }
      t.ok(attacks.length >= least, `${attacks.length} attacks`)
      t.equal(through, 0, 'no attack goes through')
      t.comment(`${attacks.length} attacks, ${through} through`)
    },
  }
}
