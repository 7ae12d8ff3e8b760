/**
 * First key of each kind of advisory lock. It must be unique per kind, because each kind uses its second keys
 * differently.
 */
export const advisoryLockSpaces = {
  /** Held while a worker is alive (workers/runtime/liveness.ts). jobs.sweep uses the same number. */
  worker: 7723,
  viewer: 7724,
  domain: 7725,
  sample: 7726,
  /**
   * Counts and reserves connections to an MX set, and sets its next wake-up. email.take_connection uses the same
   * number.
   */
  mxSet: 7727,
  device: 7730,
  installation: 7731,
  /** Counts opens and clicks by day. email.lock_engagement_days uses the same number. */
  engagementDays: 7742,
  calls: 7744,
  limit: 7745,
  srtPort: 7733,
  tickets: 7765,
  audit: 7767,
  operatorMail: 7766,
  /** Creates the daily partitions of the request log. account.make_request_days uses the same number. */
  requestDays: 7780,
  partitions: 7781,
  move: 7784,
  signIn: 7768,
  /** Assigns positions in the event stream of an organisation. */
  eventStream: 7792,
  /** Contacts of bots in channels. */
  botContact: 7790,
} as const
