/** What the keys of all bytes of an organisation's snapshots start with. */
export const snapshotsPrefix = (orgId: string): string => `wiki/snapshots/${orgId}/`

/** Where the bytes of snapshots lie in storage: each once for an organisation, however many snapshots have them. */
export const snapshotKey = (orgId: string, sha256: string): string => `${snapshotsPrefix(orgId)}${sha256}`
