/** Returns the priority of a message’s jobs within the organisation. 0 runs first. */
export const getJobPriority = (priority: number): number => (10 - priority) * 10
