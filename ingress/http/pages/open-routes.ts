/** What routes have in common that answer anybody by what is in the process: no key, no statement, whatever else the query has. */
export const open = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
} as const

/** What pages and their files have in common: they are no part of the API. */
export const openPage = { ...open, hidden: true } as const

/** What the documents of the API have in common: pages of other hosts may read them. */
export const openDocument = { ...open, cors: true, raw: 'application/json' } as const

/** What the files that pages load have in common. */
export const openFile = { ...openPage, limit: false, raw: true, problems: ['not_found'] } as const

/** What routes have in common that answer viewers, who show a token of their own: counted by their address, no part of the API. */
export const viewing = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  limit: false,
  viewers: true,
} as const
