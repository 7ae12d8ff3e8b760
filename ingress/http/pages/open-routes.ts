export const open = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
} as const

export const openPage = { ...open, hidden: true } as const

export const openDocument = { ...open, cors: true, raw: 'application/json' } as const

export const openFile = { ...openPage, limit: false, raw: true, problems: ['not_found'] } as const

export const viewing = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  limit: false,
  viewers: true,
} as const
