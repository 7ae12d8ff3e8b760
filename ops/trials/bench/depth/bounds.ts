type Bounds = readonly [RegExp, string][]

/** Lists whose statements read more rows than a page has, and what bounds the number of rows. */
export const bounds: Bounds = [
  [/^account\.streams\.list\b/, 'up to 1,000 waiting rows of each source, of up to as many streams as a plan allows'],
  [
    /^erp\.companies\.search (city|legal_form|status|registered_from|registered_to)=/,
    'it is given a second, as a search is: filters without a name are for few companies',
  ],
  [/^erp\.relations\.list/, 'the relations of one company'],
  [/^hooks\.endpoints\.list/, 'an app has up to 50 endpoints; here, one app has half of all endpoints'],
  [
    /^hooks\.messages\.list status=/,
    'the deliveries of up to 50 endpoints of one app; here, one app has half of all endpoints and messages',
  ],
  [/^notify\.inbox\.list .*(unread|unseen)=false/, 'the inbox of one person, within its retention'],
  [/^video\.transcripts\.search/, 'it is given a limited time: words in most cues answer 422'],
  [/^wiki\.claims\.list article_id=/, 'the claims of one article'],
]

/** The same for counts, and for lists that read many rows only in the benchmark. */
export const countBounds: Bounds = [
  [/^bots\.directory\.list language=/, 'it is given a second: here, no bot has the language'],
  [/^notify\.(inbox\.unreadCount|marks\.counts) /, 'the inbox of one person, within its retention'],
]
