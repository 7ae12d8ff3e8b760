/** The ids by which the sandbox knows its business number and the account that it belongs to. */
export const sandboxPhoneNumberId = '100000000000001'
export const sandboxAccountId = '200000000000001'

/** The same of a number that an organisation may connect as its own, with the same credentials. */
export const ownPhoneNumberId = '100000000000002'
export const ownAccountId = '200000000000002'

/** The numbers as people see them: those that are kept for fiction. */
export const displayNumber = '+1 555 0100'
export const ownDisplayNumber = '+1 555 0101'
