/** The first key of each kind of advisory lock: no two kinds may share one, as their second keys mean different things. */
export const lockSpaces = {
  /** A worker lives (workers/runtime/liveness.ts); jobs.sweep has the same number. */
  worker: 7723,
  /** A viewer's playback sessions are counted and opened by one request at a time. */
  viewer: 7724,
  /** A domain's name is proven by one request at a time. */
  domain: 7725,
  /** One process takes a minute's sample of the queues. */
  sample: 7726,
  /** Connections to an MX set are counted and taken, and its next wake-up is decided; email.take_connection has the same number. */
  mxSet: 7727,
  /** A device's token is registered by one request at a time. */
  device: 7730,
  /** An organisation's calls are counted against its limits, and one is added, by one request at a time. */
  calls: 7744,
  /** What an organisation may have so many of is counted, and one more is added, by one request at a time. */
  limit: 7745,
  /** A port of SRT ingest is given to one channel at a time. */
  srtPort: 7733,
  /** A visitor's tickets of the page without script are counted and spent by one request at a time. */
  tickets: 7765,
  /** The audit log of an organisation is added to by one transaction at a time. */
  audit: 7767,
  /** Mails to the operator are counted, and one is kept, by one transaction at a time. */
  operatorMail: 7766,
  /** Days of the request log are made by one process at a time; account.make_request_days has the same number. */
  requestDays: 7780,
  /** Partitions of a table are made by one process at a time. */
  partitions: 7781,
  /** An organisation is moved to another cell by one command at a time. */
  move: 7784,
  /** Codes that one address asked for are counted, and one is added, by one request at a time. */
  signIn: 7768,
} as const
