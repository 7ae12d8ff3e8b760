/** Common properties of public routes that respond from memory: no key, no database query, any query parameters. */
export const open = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
} as const

/** Common properties of pages and their files, which are not part of the API. */
export const openPage = { ...open, hidden: true } as const

/** Common properties of API documents, which pages of other hosts can read. */
export const openDocument = { ...open, cors: true, raw: 'application/json' } as const

/** Common properties of files for pages. */
export const openFile = { ...openPage, limit: false, raw: true, problems: ['not_found'] } as const

/** Common properties of routes for viewers, who send a viewer token. Limited by IP address, not part of the API. */
export const viewing = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  limit: false,
  viewers: true,
} as const
