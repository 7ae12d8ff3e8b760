/** How urgent a message's jobs are among the organisation's own: 0 is first. */
export const jobPriority = (priority: number): number => (10 - priority) * 10
