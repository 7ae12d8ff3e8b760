import { problem } from '../http/problem-kinds.ts'

/** Nobody would be left who can make owners. */
export const lastOwner = problem(409, 'last_owner', 'The organisation must have at least one owner.')

/** Who is invited belongs to the organisation. */
export const alreadyMember = problem(409, 'already_member', 'The address already belongs to a member.')

/** The address has an invitation that waits. */
export const alreadyInvited = problem(
  409,
  'already_invited',
  'The address already has an invitation. Send that invitation again.',
)

/** So many wait that no more are sent. */
export const invitationLimit = problem(409, 'invitation_limit', 'The organisation has too many pending invitations.')
