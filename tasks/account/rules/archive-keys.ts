export const exportsPrefix = (orgId: string): string => `account/exports/${orgId}/`

export const exportKey = (orgId: string, exportId: string, secret: string): string =>
  `${exportsPrefix(orgId)}${exportId}/${secret}.zip`
