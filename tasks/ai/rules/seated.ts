import { Later } from '#lib/errors.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'

export type ChargeMeans = Pick<Attempt & Tools['llm'], 'llm' | 'signal' | 'db' | 'own' | 'log'>

/** Background work leaves seats for questions, because clients wait for questions. */
type Urgency = 'question' | 'background'

/** Delay in milliseconds until a job without a free seat is retried. Many background jobs may wait. */
const waitMs: Record<Urgency, () => number> = {
  question: () => 500,
  background: () => 2_000 + Math.random() * 16_000,
}

/**
 * Runs work in a seat of an organisation. Nested work uses the same seat. Throws `Later` if the organisation uses its
 * share of the engine.
 */
export async function runInSeat<T>(
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
