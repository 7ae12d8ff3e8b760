export const snapshotsPrefix = (orgId: string): string => `wiki/snapshots/${orgId}/`

/** Storage key of snapshot bytes. Identical bytes of an organisation are stored once. */
export const snapshotKey = (orgId: string, sha256: string): string => `${snapshotsPrefix(orgId)}${sha256}`
