export const openRoute = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
} as const

export const openPage = { ...openRoute, hidden: true } as const

export const openDocument = { ...openRoute, cors: true, raw: 'application/json' } as const

export const openFile = { ...openPage, limit: false, raw: true, problems: ['not_found'] } as const

export const viewerRoute = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  limit: false,
  viewers: true,
} as const
