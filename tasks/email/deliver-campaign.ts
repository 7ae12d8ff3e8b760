import { task } from '../queue/task.ts'
import { Turn } from './engine.ts'

/** Delivers subscribed and repermission mail. What is to be delivered is in `email.deliveries`: a job only wakes. */
export const deliverCampaign = task({
  name: 'email/deliver-campaign',
  pool: 'mail-campaign',
  payload: Turn,
  attempts: 10,
  // A turn is over within half a minute, but for a server that takes as long to answer as RFC 5321 §4.5.3.2 lets it.
  timeout: 30 * 60_000,
  run: (turn, { mail, db, signal }) => mail.turn(turn, db, signal),
})
