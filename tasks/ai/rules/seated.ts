import { Later } from '#lib/errors.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'

/** What language work is charged with. */
export type ChargeMeans = Pick<Attempt & Tools['llm'], 'llm' | 'signal' | 'db' | 'own' | 'log'>

/** How soon work must be done: a question's asker waits, background work leaves seats to those. */
type Urgency = 'question' | 'background'

/** Milliseconds until work is tried again that found its organisation's share of the seats taken; many jobs wait in the background. */
const waitMs: Record<Urgency, () => number> = {
  question: () => 500,
  background: () => 2_000 + Math.random() * 16_000,
}

/**
 * Does work in a seat of an organisation's, with the engine that has it: what is charged with that one takes no further seat. Throws
 * `Later` while the organisation has its share of what the engine does at once.
 */
export async function seated<T>(
  { llm, signal, db, own, log }: ChargeMeans,
  orgId: string,
  work: (means: ChargeMeans) => Promise<T>,
  urgency: Urgency = 'question',
): Promise<T> {
  const seat = llm.seat ? llm.seat(orgId, urgency === 'background') : { engine: llm, leave() {} }
  if (!seat) throw new Later(waitMs[urgency](), 'the organisation has reached its share of concurrent requests')
  try {
    return await work({ llm: seat.engine, signal, db, own, log })
  } finally {
    seat.leave()
  }
}
