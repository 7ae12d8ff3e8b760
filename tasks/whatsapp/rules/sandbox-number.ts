/** IDs of a number of the sandbox that an organisation can connect as its own, with the sandbox’s credentials. */
export const ownPhoneNumberId = '100000000000002'
export const ownAccountId = '200000000000002'
