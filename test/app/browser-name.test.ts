import t from 'tap'
import { nameBrowser } from '../../ingress/app/browser-name.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

t.test('a session is listed with the browser and the system, not with the user agent', (t) => {
  const names = [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/156.0.0.0 Safari/537.36`, 'Chrome 156 on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
      'Edge 140 on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
      'Safari 18 on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari 18 on iPhone',
    ],
    ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox 140 on Android'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['', 'Unknown browser'],
  ] as const
  for (const [agent, name] of names) t.equal(nameBrowser(agent), name)
  t.end()
})
