const hashed = 'Hash of a network or token that is not linked to a person.'
const members = 'Members of the organisation, who are not its customers’ people.'
const pastOfMessage = 'Expires with the retention of its area.'
const customers = 'Chosen by the organisation for itself, not for a person.'

/**
 * Tables and columns with names of personal data that an erasure does not change, with the reason. The test of the
 * catalogue compares this list with the database. A name is `area.table` or `area.table.column`.
 */
export const untouched: Readonly<Record<string, string>> = {
  'account.audit.network': members,
  members,
  hashed,
  pastOfMessage,
  customers,
}
