/**
 * True if a message cannot be sent because the person has opted out at `deniedAt`. A person who has written since can
 * receive free-form messages, but no templates.
 */
export const hasOptedOut = (deniedAt: Date | undefined, isTemplate: boolean, lastInboundAt: Date | null): boolean =>
  deniedAt !== undefined && (isTemplate || lastInboundAt === null || lastInboundAt <= deniedAt)
