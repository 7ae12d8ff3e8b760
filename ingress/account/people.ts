import { problem } from '../http/problem-kinds.ts'

/** Nobody would be left who can make owners. */
export const lastOwner = problem(409, 'last_owner', 'The organisation would be left without an owner.')

/** Who is invited belongs to the organisation. */
export const alreadyMember = problem(409, 'already_member', 'The address is a member’s.')

/** The address has an invitation that waits. */
export const alreadyInvited = problem(
  409,
  'already_invited',
  'The address is invited already; send that invitation again.',
)

/** So many wait that no more are sent. */
export const invitationLimit = problem(409, 'invitation_limit', 'Too many invitations wait for an answer.')
