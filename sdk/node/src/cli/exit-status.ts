/** Exit statuses of the command line. */
export const exitStatus = {
  done: 0,
  /** The API, the network or a file caused an error. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The command waited for an outcome, and the outcome is negative. */
  negative: 3,
  interrupted: 130,
} as const
