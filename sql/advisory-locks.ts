/**
 * The first key of each kind of advisory lock. It must be unique per kind, because the second keys have different
 * meanings.
 */
export const lockSpaces = {
  /** Held while a worker is alive (workers/runtime/liveness.ts). jobs.sweep uses the same number. */
  worker: 7723,
  /** Counts and opens a viewer’s playback sessions. */
  viewer: 7724,
  /** Verifies a domain’s name. */
  domain: 7725,
  /** Takes the minute sample of the queues. */
  sample: 7726,
  /**
   * Counts and takes connections to an MX set, and sets its next wake-up. email.take_connection uses the same number.
   */
  mxSet: 7727,
  /** Registers a device’s token. */
  device: 7730,
  /** Counts an organisation’s calls against its limits and adds a call. */
  calls: 7744,
  /** Counts an organisation’s objects of a limited kind and adds one. */
  limit: 7745,
  /** Assigns a port of SRT ingest to a channel. */
  srtPort: 7733,
  /** Counts and uses a visitor’s tickets of the page without JavaScript. */
  tickets: 7765,
  /** Adds to an organisation’s audit log. */
  audit: 7767,
  /** Counts the emails to the operator and stores one. */
  operatorMail: 7766,
  /** Creates the days of the request log. account.make_request_days uses the same number. */
  requestDays: 7780,
  /** Creates partitions of a table. */
  partitions: 7781,
  /** Moves an organisation to another cell. */
  move: 7784,
  /** Counts the codes for one email address and adds one. */
  signIn: 7768,
} as const
