export const exportsPrefix = (orgId: string): string => `account/exports/${orgId}/`

/** The key of an archive. Its last part cannot be guessed. */
export const exportKey = (orgId: string, exportId: string, secret: string): string =>
  `${exportsPrefix(orgId)}${exportId}/${secret}.zip`
