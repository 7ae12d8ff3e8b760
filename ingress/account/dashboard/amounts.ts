import type { Metric } from '#sql/account/metrics.ts'
import type { PlanLimit } from '#sql/account/plans.ts'
import { count } from '../../http/console/format.ts'

const sizes = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** An amount as people read it, with its unit: `1.5 GiB`, `1,200 messages`. */
export function amountOf(unit: Metric['unit'] | PlanLimit['unit'], amount: number): string {
  if (unit !== 'bytes') return `${count(amount)} ${amount === 1 ? unit.replace(/s$/, '') : unit}`
  const power = amount < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(amount) / 10))
  return `${Number((amount / 1024 ** power).toPrecision(3))} ${sizes[power]}`
}
