/** Where the bytes of snapshots lie in storage: each once for an organisation, however many snapshots have them. */
export const snapshotKey = (orgId: string, sha256: string): string => `wiki/snapshots/${orgId}/${sha256}`
