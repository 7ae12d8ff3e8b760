/** What the keys of all archives of an organisation start with. */
export const exportsPrefix = (orgId: string): string => `account/exports/${orgId}/`

/** Where one is kept; the last part cannot be guessed. */
export const exportKey = (orgId: string, exportId: string, secret: string): string =>
  `${exportsPrefix(orgId)}${exportId}/${secret}.zip`
