/** Words in the user agents of bots, link previews and HTTP libraries. */
const words = [
  ...[
    'bot',
    'crawl',
    'spider',
    'slurp',
    'scrape',
    'fetch',
    'archiver',
    'scan',
    'monitor',
    'uptime',
    'preview',
    'validator',
  ],
  ...[
    'headless',
    'phantomjs',
    'lighthouse',
    'pagespeed',
    'pingdom',
    'facebookexternalhit',
    'whatsapp',
    'embedly',
    'yandeximages',
  ],
  ...[
    'curl/',
    'wget',
    'python',
    'java/',
    'okhttp',
    'go-http-client',
    'libwww',
    'axios',
    'node',
    'undici',
    'ruby',
    'perl',
    'php/',
  ],
  ...['httpclient', 'scrapy', 'mediapartners', 'google-', 'feedburner', 'rss', 'http://', 'https://'],
]

/** Phone manufacturer whose name is in the user agents of its browsers and contains `bot`. */
const phones = 'cubot'

export function isBot(agent: string): boolean {
  const text = agent.toLowerCase().replaceAll(phones, '')
  return words.some((word) => text.includes(word))
}
