/** Requests whose statements read more rows than a page has, and what bounds the number of rows. */
export const bounds: readonly [RegExp, string][] = [
  [
    /^erp\.companies\.search (city|legal_form|status|registered_from|registered_to)=/,
    'it is given a second, as a search is: filters without a name are for few companies',
  ],
  [
    /^hooks\.messages\.list status=/,
    'the deliveries of up to 50 endpoints of one app; here, one app has half of all endpoints and messages',
  ],
  [
    /^notify\.(inbox\.list .*(unread|unseen)=false|inbox\.unreadCount |marks\.counts )/,
    'the inbox of one person, as long as it is kept',
  ],
  [/^erp\.relations\.list/, 'the relations of one company'],
  [
    /^verify\.conversions\.read /,
    'it counts: `days` bounds what is read, up to 30 days of one organisation, and an index has all of it',
  ],
  [/^bots\.ratings\.summarise /, 'it counts the ratings of a period: `since` and `until` bound what is read'],
  [/^wiki\.claims\.list article_id=/, 'the claims of one article'],
]
