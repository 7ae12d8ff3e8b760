import * as plans from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'

export async function putEndlessPlan(db: Db): Promise<void> {
  const never = 500_000_000
  const limits = Object.fromEntries(plans.limitNames.map((name) => [name, never])) as Omit<plans.Plan, 'name'>
  await plans.put(db, { name: 'bench', ...limits })
}
